"""docs/learn/python-tour.md does what it says: its blocks run in order and print what stands below them."""

import linecache
import os
import re
import subprocess
import sys

import pytest

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "learn", "python-tour.md")


def run_page(text):
    """Runs the blocks in one namespace; what differs from the page, as text."""
    import contextlib
    import io
    scope, wrong = {"__name__": "tour"}, []
    for i, block in enumerate(re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M), 1):
        expected = re.findall(r"^#> ?(.*)$", block, flags=re.M)
        name = f"<tour block {i}>"
        linecache.cache[name] = (len(block), None, block.splitlines(True), name)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block, name, "exec"), scope)
        if out.getvalue().splitlines() != expected:
            wrong.append(f"block {i} prints {out.getvalue().splitlines()}, the page says {expected}")
    return "\n".join(wrong)


@pytest.mark.skipif(not os.path.exists(PAGE), reason="the page is in the repository, not in the wheel")
def test_the_tour():
    # In a process of its own: the page makes `import triton` mean this package.
    run = subprocess.run([sys.executable, __file__, PAGE], capture_output=True, text=True, timeout=300)
    assert (run.returncode, run.stdout) == (0, ""), run.stdout + run.stderr


if __name__ == "__main__":
    with open(sys.argv[1]) as page:
        sys.stdout.write(run_page(page.read()))
