"""Runs kernels with planted faults: each must be told by its check, at its line, and by no other check.

  run_faults.py TZ FOLDER --target cpu [--checks bounds,nan] [--ends-races] [--only WORD]

Above a kernel stand the words of `tz run`, behind `# run: `. The faulty line ends with `#! CHECK: TEXT`: the check that
must report it, at this line, with this text. The line below it may say `#= STATEMENT`, or one above the kernel
`# mended run: WORDS`: with it in the place of the other the kernel is its mended twin, of which nothing is reported.
`# clean: CHECKS` above a kernel: it has no fault.

The interpreter (target interp) is the oracle: it must find the same faults of memory, and no fault of memory elsewhere.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import re
import shlex
import subprocess
import sys
import tempfile

START = re.compile(r"^def (\w+)\(")
# What the interpreter says of each; of values it looks at offsets alone.
ORACLE = {"bounds": "access of [0-9]+ bytes? at", "race": "race between programs",
          "uninitialized": "is read before it is written", "overflow": "overflow in address arithmetic", "nan": None}
# A report of a race names both accesses. The later one in time tells, so either may be the one that a fault is written for.
RACE = re.compile(r"(\S+):(\d+):\d+: race: ([\w ]+) of (element \d+ of '\w+'), which program \([\d, ]+\) (\w+) at (\S+):(\d+):\d+;")
OTHER = {"store": "writes", "load": "reads", "atomic update": "updates"}


@dataclasses.dataclass
class Kernel:
    path: str
    twin: str  # the file of its mended twin
    words: list
    mended_words: list = None
    clean: list = None
    name: str = ""
    fault: tuple = None  # check, line, text


def read(path, folder):
    """The kernels of a file, whose mended twins are written into the folder."""
    twin = os.path.join(folder, os.path.basename(path))
    found, mended = [], []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        mended.append(line)
        if line.startswith("# run: "):
            found.append(Kernel(path, twin, shlex.split(line[len("# run: "):])))
        elif line.startswith("# mended run: "):
            found[-1].mended_words = shlex.split(line[len("# mended run: "):])
        elif line.startswith("# clean: "):
            found[-1].clean = line[len("# clean: "):].strip().split(",")
        elif (start := START.match(line)) and not found[-1].name:
            found[-1].name = start[1]
        elif "#! " in line:
            check, text = line.split("#! ", 1)[1].strip().split(": ", 1)
            found[-1].fault = (check, number, text)
        elif line.strip().startswith("#= "):
            faulty = mended[-2]
            indent = faulty[:len(faulty) - len(faulty.lstrip())]
            mended[-2:] = [indent + line.strip().removeprefix("#= ") + "\n", "\n"]
    with open(twin, "w", encoding="utf-8") as file:
        file.writelines(mended)
    return found


def ends(said):
    """The accesses that reports of races name: file, line, and the text of a fault, with the kind of access and without."""
    for tells, line, kind, element, verb, other, other_line in RACE.findall(said):
        yield from ((tells, line, f"{kind} of {element}"), (tells, line, element), (other, other_line, element))
        yield from ((other, other_line, f"{one} of {element}") for one, does in OTHER.items() if does == verb)


class Runner:
    def __init__(self, tz, target, checks, ends_races):
        self.tz, self.target, self.checks, self.ends_races = tz, target, checks, ends_races

    def run(self, path, kernel, words, target, checks):
        """Exit status, and what was said."""
        sanitize = ["--sanitize", ",".join(checks)] if checks else []
        run = subprocess.run([self.tz, "run", f"{path}::{kernel.name}", "--target", target, "--repeat", "1", *sanitize, *words],
                             capture_output=True, text=True, timeout=60, errors="replace")
        return run.returncode, run.stdout + run.stderr

    def silent(self, what, *run):
        """What is wrong with a run that should report nothing, or nothing."""
        status, said = self.run(*run)
        return f"{what} reports something: {said}" if status else ""

    def told(self, kernel):
        """All checks look; one tells, of one line."""
        check, line, text = kernel.fault
        status, said = self.run(kernel.path, kernel, kernel.words, self.target, self.checks)
        place = rf"{re.escape(kernel.path)}:{line}:\d+"
        if check == "race" and self.ends_races:
            found = "race in device memory" in said and re.search(place, said)
        elif check == "race":
            found = (kernel.path, str(line), text) in ends(said)
        else:
            found = re.search(rf"{place}: {check}: {re.escape(text)}", said)
        if status != 1 or not found:
            return f"exit status {status}; wanted line {line}: {check}: {text}\n{said}"
        others = [one for one in self.checks if one != check and f"({one})" in said]
        lines = set(re.findall(rf"{re.escape(kernel.path)}:(\d+):", said)) - {str(line)}
        return f"other reports, too: {said}" if others or (lines and check != "race") else ""

    def oracle(self, kernel):
        check, line, _ = kernel.fault
        status, said = self.run(kernel.path, kernel, kernel.words, "interp", [])
        wanted = ORACLE[check]
        if status == 0 and check in ("nan", "overflow"):
            return ""
        others = [one for one in ORACLE.values() if one and one != wanted and re.search(one, said)]
        isThere = wanted and re.search(wanted, said) and re.search(rf"{re.escape(kernel.path)}:{line}:\d+", said)
        return "" if status == 1 and isThere and not others else f"the interpreter says otherwise: {said}"

    def problems(self, kernel):
        """What is wrong, as a list of texts."""
        if kernel.clean:
            return [self.silent("it", kernel.path, kernel, kernel.words, self.target, kernel.clean)]
        check = kernel.fault[0]
        mended = (kernel.twin, kernel, kernel.mended_words or kernel.words)
        found = []
        if check in self.checks:
            found.append(self.told(kernel))
        found.append(self.silent("its mended twin", *mended, self.target, self.checks))
        if self.target == "cpu":
            found += [self.oracle(kernel), self.silent("the interpreter, of the mended twin,", *mended, "interp", [])]
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tz")
    parser.add_argument("folder")
    parser.add_argument("--target", required=True)
    parser.add_argument("--checks", default="bounds,nan,overflow,race,uninitialized")
    parser.add_argument("--ends-races", action="store_true", help="the target itself ends a launch with a race, and names the place")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    runner = Runner(options.tz, options.target, options.checks.split(","), options.ends_races)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = sorted(os.path.join(options.folder, name) for name in os.listdir(options.folder) if name.endswith(".py"))
        kernels = [kernel for file in files for kernel in read(file, folder) if options.only in kernel.name]
        results = list(pool.map(runner.problems, kernels))
    failed = 0
    for kernel, texts in zip(kernels, results):
        texts = [text for text in texts if text]
        failed += bool(texts)
        for text in texts:
            print(f"{os.path.basename(kernel.path)}::{kernel.name}: {text}")
    compiled = sum(bool(kernel.fault) and kernel.fault[0] in runner.checks for kernel in kernels)
    faults = sum(bool(kernel.fault) for kernel in kernels)
    print(f"{options.target}: {faults} faults, {compiled} of them for compiled checks, {failed} kernels failed")
    return failed != 0


sys.exit(main())
