"""Makes a small tree of pages, some of them wrong, and prints what ci/book.py says. Run by book.test."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "ci"))
import book  # noqa: E402

folder = sys.argv[1]
book.ROOT = folder
FILES = {
    "docs/right.md": "# Right\n\n## A `name`, and a [link](wrong.md#wrong)\n\n[Here](#a-name-and-a-link), [there](../code.py).\n\n```python\nx = 1\n```\n",
    "docs/wrong.md": "# Wrong\n\n[One](gone.md), [two](right.md#no-such), [three](right.md#right).\n\n"
                     "Two blocks that no parser takes.\n\n```python\nx = = 1\n```\n```json\n{1}\n```\n",
    "docs/index.md": "# Index\n\n[One](one.md), `docs/gone/file.py`, `core/NAME.cpp`.\n",
    "docs/one.md": "# One\n\n[Two](two.md).\n",
    "docs/two.md": "# Two\n\n[Three](three.md).\n",
    "docs/three.md": "# Three\n\n[Four](four.md#near), [questions](questions.md).\n",
    "docs/four.md": "# Four\n\n## Near\n\n## Far\n",
    "docs/questions.md": "# Questions\n\n## Where is it?\n\n[There](four.md#far).\n\n## And who knows?\n\nNobody.\n\n## What is near?\n\n[This](one.md#one).\n",
    "docs/reference/command-line.md": "# The command line\n\n## tz\n\n  --version\n\n## tz run\n\n  --grid TEXT\n\n## tz cache stat\n\n  --json\n",
    "docs/commands.md": "# Commands\n\n```\ntz run a.py::k --grid 'cdiv(n, 4) --gird' \\\n   --arg x=1 && ci/test --steps lit   # --more\ntz --version; tz cache stat --json\n"
                        "A=1 build/ci/bin/tz jump\nci/gone\ntz-opt k.mlir --tile-gone --mlir-timing\n```\n\n```python\ntz = run\n```\n",
    "ci/test": "steps = parser.add_argument(\"--steps\")\n",
    "code.py": "# docs/right.md and docs/elsewhere/gone.md; https://example.org/docs/other.md\n# docs/right.md#a-name-and-a-link, docs/right.md#gone (language rule 7)\n",
}
for name, text in FILES.items():
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
subprocess.run(["git", "init", "-q", folder], check=True)
for fault in (*book.broken_links(), *book.names_of_pages(), *book.headings_named(), *book.unreadable_code(), *book.wrong_commands(), *book.names_of_files(),
              *book.far_answers("docs/questions.md", "docs/index.md")):
    print(fault)

# Words and sentences of ci/words.py.
import words  # noqa: E402

book.tracked.cache_clear()
words.FREE, words.BUDGET = (), 0
with open(os.path.join(folder, "docs", "words.md"), "w") as file:
    file.write("# Words\n\nLoads of each turn go ahead. They take turns, in turn, and a pass turns them into copies; `turn` is a name.\n\n"
               "* " + "word " * 30 + "end.\n* " + "word " * 15 + ". " + "word " * 29 + "end.\n\n| " + "cell " * 40 + "|\n|---|\n")
with open(os.path.join(folder, "code.cpp"), "w") as file:
    file.write('int turn = 0; // the copy engine\nsay("begun in every turn of it", turn);\nauto rings = all.rings(); // one of the rings waits\n'
               '/// Split at `turn`, the turns that are left behind it.\n// Whose turn it is: the work turns out to be done in turn.\n')
for fault in (*words.private_words(), *words.long_ones()):
    print(fault)
