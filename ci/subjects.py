"""Subjects of commits, as docs/contribute/style.md#commits asks for them. ci/lint runs it.

    ci/subjects.py [FOLDER]   of another repository; prints what is wrong

It looks at all commits that origin/main lacks, and at the newest 30 in any case.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
MOST, NEWEST = 72, 30  # a log of one line each is read in 72 columns


def log(folder, *arguments):
    done = subprocess.run(["git", "-C", folder, "log", "--no-merges", "--format=%h %s", *arguments], capture_output=True, text=True)
    return done.stdout.splitlines()


def subjects(folder=ROOT):
    # Without a branch origin/main, as in an archive's clone, the newest are all there is to judge.
    lines = dict.fromkeys([*log(folder, "origin/main..HEAD"), *log(folder, f"-{NEWEST}")])
    for line in lines:
        commit, subject = line.split(" ", 1)
        if len(subject) > MOST:
            yield f"commit {commit}: a subject of {len(subject)} characters; {MOST} are read"
        if not re.match(r"[\w.{}/, -]+: \S|Revert ", subject):
            yield f"commit {commit}: '{subject}' does not begin with the folder that changes, as in `folder: what`"


if __name__ == "__main__":
    faults = list(subjects(*sys.argv[1:2]))
    print("\n".join(faults)) if faults else None
    sys.exit(1 if faults else 0)
