"""Holds the blocks of docs/learn/one-kernel.md to what their commands print.

    emit.py TZ [--with WORD] [--without WORD] [--bless]

A block stands behind `<!-- emit: tz ... -->`. With ` | PATTERN` behind the command it
has only the lines that match. --with and --without choose blocks by a word of their
command; --bless writes what the commands print.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PAGE = os.path.join(ROOT, "docs", "learn", "one-kernel.md")


def printed(tz, command, arguments):
    command, _, pattern = command.partition(" | ")
    words = shlex.split(command.replace("$ARGS", arguments))
    done = subprocess.run([tz, *words[1:]], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"emit.py: {command}: {done.stderr}")
    lines = [line.rstrip().replace("\t", "  ") for line in done.stdout.splitlines()]
    return "".join(line + "\n" for line in lines if not pattern or re.search(pattern, line))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tz")
    parser.add_argument("--with", dest="wanted", default="")
    parser.add_argument("--without", default="")
    parser.add_argument("--bless", action="store_true")
    options = parser.parse_args()
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    arguments = re.search(r'^ARGS="(.*)"$', text, re.M).group(1)
    seen, wrong = 0, []

    def block(match):
        nonlocal seen
        head, command, have = match.group(1), match.group(2), match.group(3)
        if options.wanted not in command or options.without and options.without in command:
            return match.group(0)
        seen += 1
        want = printed(options.tz, command, arguments)
        if want != have:
            wrong.append(f"{command}\nprints\n{want}and the page has\n{have}")
        return head + want + "```"
    made = re.sub(r"^(<!-- emit: (.*?) -->\n```\w*\n)(.*?)^```$", block, text, flags=re.M | re.S)
    if options.bless:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(made)
        return 0
    print("\n".join(wrong) or f"{seen} blocks")
    return 1 if wrong or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
