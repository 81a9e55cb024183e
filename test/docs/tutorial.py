#!/usr/bin/env python3
"""Does what a page of the book says: writes its files, runs its commands, compares what they print.

  tutorial.py PAGE FOLDER    FOLDER is made anew, and is where the page's commands begin

Blocks of code, in the order of the page:
  a line that ends with "`NAME`:" before a block    the block is the file NAME
  "From `PATH`:" before a block                     PATH of the source has the block, line by line; "// ..." stands for others
  sh                                                commands; the first that fails fails the page
  text, behind sh                                   lines that the commands print, in this order; "..." stands for others

$HOME and $SOURCE are the caller's. Exits 1 at the first fault, and names the page's line.
"""
import os
import re
import shutil
import subprocess
import sys

SOURCE = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def blocks(text):
    """(line, language, what the line before says, code) of each block."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        before = text[:match.start()].rstrip().rsplit("\n", 1)[-1]
        yield text[:match.start()].count("\n") + 1, match.group(1), before, match.group(2)


def missing(wanted, have):
    """The first wanted line that is not among the others in order; None: all are."""
    at = 0
    for line in wanted:
        if not line.strip() or line.strip() in ("...", "// ...", "# ..."):
            continue
        while at < len(have) and have[at].strip() != line.strip():
            at += 1
        if at == len(have):
            return line
        at += 1
    return None


def main():
    page, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    text = open(page, encoding="utf-8").read()
    printed, counts = [], {"files": 0, "excerpts": 0, "commands": 0, "outputs": 0}

    def fail(line, what):
        print(f"{page}:{line}: {what}")
        sys.exit(1)

    for line, language, before, code in blocks(text):
        name, source = re.search(r"`([\w./-]+)`:$", before), re.search(r"From `([\w./-]+)`:$", before)
        if source:
            counts["excerpts"] += 1
            have = open(os.path.join(SOURCE, source.group(1)), encoding="utf-8").read().split("\n")
            gone = missing(code.split("\n"), have)
            if gone:
                fail(line, f"{source.group(1)} has no such line, or not in this order: {gone}")
        elif name and language != "sh":
            counts["files"] += 1
            path = os.path.join(folder, name.group(1))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "w", encoding="utf-8").write(code)
        elif language == "sh":
            counts["commands"] += 1
            run = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if run.returncode:
                fail(line, f"the commands end with {run.returncode}:\n{code}{run.stdout[-6000:]}")
            printed = run.stdout.split("\n")
        elif language == "text":
            counts["outputs"] += 1
            gone = missing(code.split("\n"), printed)
            if gone:
                fail(line, f"not printed: {gone}\nbut:\n" + "\n".join(printed[-60:]))
        else:
            fail(line, f"nobody tries this block of '{language}'; name its file, or make it sh or text")
    print(f"{os.path.basename(page)}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))


if __name__ == "__main__":
    main()
