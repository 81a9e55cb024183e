"""Holds docs/reference/command-line.md to what `tz --help` and the help of each command print.

    command_line.py TZ [--bless]

--bless writes the page. Commands are those that a help lists under "Subcommands:".
"""
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "reference", "command-line.md")
HEAD = """# The command line

Made by `test/docs/command_line.py TZ --bless` from the help of each command, which `tz COMMAND --help` prints.
`tz manual | man -l -` shows the same as a manual page. [Getting started](../learn/getting-started.md) shows commands with what they print.
"""


def sections(tz, words=()):
    """Of a command and of the commands below it: (name, help)."""
    done = subprocess.run([tz, *words, "--help"], capture_output=True, text=True)
    if done.returncode or not done.stdout:
        raise SystemExit(f"command_line.py: tz {' '.join(words)} --help: {done.stderr}")
    text = "\n".join(line.rstrip() for line in done.stdout.strip("\n").split("\n"))
    yield " ".join(["tz", *words]), re.sub(r"\n{3,}", "\n\n", text)
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", text + "\n", re.M)
    for name in re.findall(r"^  (\w[\w-]*)", listed.group(1), re.M) if listed else ():
        yield from sections(tz, (*words, name))


def main():
    tz = sys.argv[1]
    parts = list(sections(tz))
    want = HEAD + "".join(f"\n## {name}\n\n```text\n{text}\n```\n" for name, text in parts)
    if "--bless" in sys.argv:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(want)
    with open(PAGE, encoding="utf-8") as file:
        have = file.read()
    if have != want:
        first = next((line for line in want.split("\n") if line not in have.split("\n")), "its lines stand in another order")
        print(f"docs/reference/command-line.md is not what tz prints, from: {first}\nRun test/docs/command_line.py {tz} --bless")
        return 1
    print(f"{len(parts)} commands")
    return 0


if __name__ == "__main__":
    sys.exit(main())
