"""The program in docs/guide/python.md runs from top to bottom."""

import os
import re
import runpy

import pytest

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "guide", "python.md")


@pytest.mark.skipif(not os.path.exists(PAGE), reason="the documentation is not beside the tests")
def test_the_page_is_a_program(tmp_path, capsys):
    with open(PAGE, encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
    assert len(blocks) >= 6
    program = tmp_path / "page.py"
    program.write_text("\n\n".join(blocks))
    runpy.run_path(str(program), run_name="__main__")
    assert "power of two" in capsys.readouterr().out
