"""Runs the kernels of faults.py with their checks: each fault must be told by its check, at its line, and no other.

  run_faults.py TZ FILE --target cpu [--only WORD]
"""
import argparse
import concurrent.futures
import re
import shlex
import subprocess
import sys

KERNEL = re.compile(r"^def (\w+)\(")


def kernels(path):
    """(name, words of tz run, checks, line, text) of each; line 0: no report."""
    words, clean, name = None, None, None
    found = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("# run: "):
            words, clean, name = shlex.split(line[len("# run: "):]), None, None
        elif line.startswith("# clean: "):
            clean = line[len("# clean: "):].strip()
        elif (start := KERNEL.match(line)) and words is not None:
            name = start[1]
            if clean:
                found += [(name, words, check, 0, "") for check in clean.split(",")]
        elif "#! " in line and name:
            check, text = line.split("#! ", 1)[1].strip().split(": ", 1)
            found.append((name, words, check, number, text))
    return found


def problem(tz, path, target, kernel):
    """What is wrong, or nothing."""
    name, words, check, line, text = kernel
    run = subprocess.run([tz, "run", f"{path}::{name}", "--target", target, "--sanitize", check, *words],
                         capture_output=True, text=True, timeout=300, errors="replace")
    said = run.stdout + run.stderr
    if not line:
        return "" if run.returncode == 0 else f"reports something: {said}"
    wanted = rf"{re.escape(path)}:{line}:\d+: {check}: {re.escape(text)}"
    if run.returncode != 1 or not re.search(wanted, said):
        return f"exit status {run.returncode}; wanted line {line}: {check}: {text}\n{said}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tz")
    parser.add_argument("file")
    parser.add_argument("--target", required=True)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    found = [one for one in kernels(options.file) if options.only in one[0]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = list(pool.map(lambda one: problem(options.tz, options.file, options.target, one), found))
    failed = 0
    for kernel, wrong in zip(found, problems):
        if wrong:
            failed += 1
            print(f"{kernel[0]} ({kernel[2]}): {wrong}")
    print(f"{options.target}: {sum(bool(one[3]) for one in found)} faults, {sum(not one[3] for one in found)} runs without one, {failed} failed")
    return failed != 0


sys.exit(main())
