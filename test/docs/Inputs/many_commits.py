"""Makes a repository whose wrong subjects lie behind many right ones, and prints what ci/subjects.py says. Run by subjects.test."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "ci"))
import subjects  # noqa: E402

folder = sys.argv[1]


def git(*arguments):
    subprocess.run(["git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments], check=True)


def commit(*texts):
    for text in texts:
        git("commit", "-q", "--allow-empty", "-m", text)


def said(title):
    print(title + ":", *subjects.subjects(folder), sep="\n  ")


right = [f"core: change {number}" for number in range(subjects.NEWEST + 5)]
subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
commit("core: a subject that is much longer than the seventy-two characters that a log shows", *right)
git("update-ref", "refs/remotes/origin/main", "HEAD")
said("pushed")
commit("without a folder", *right)
said("not pushed")
git("update-ref", "-d", "refs/remotes/origin/main")
commit("core: another subject that is much longer than the characters that a log shows")
said("without origin")
