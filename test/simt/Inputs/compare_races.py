"""What the interpreter and the fibers say of each kernel of programs_race.py: the same, with the same lines.

  compare_races.py TZ       TERRAZZO_PLUGIN_FILES names the fibers
"""
import os
import re
import subprocess
import sys

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs_race.py")


def kernels():
    """(name, lines that race)."""
    name, found = "", {}
    for number, line in enumerate(open(FILE), 1):
        if match := re.match(r"def (\w+)\(data, flags\):", line):
            name = match.group(1)
            found[name] = set()
        elif line.endswith("  # race\n"):
            found[name].add(number)
    return found.items()


def lines_told(tz, name, target, seed=0):
    """Lines of the race that is told first; empty: none is. Another failure ends the test."""
    command = [tz, "run", f"{FILE}::{name}", "--target", target, "--grid", "3", "--arg", "data=zeros:i32[256]", "--arg", "flags=zeros:i32[64]"]
    done = subprocess.run(command, env={**os.environ, "TERRAZZO_FIBERS_SEED": str(seed)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    told = re.search(r".*(race between programs: byte|race in device memory, between the blocks).*", done.stdout)
    # The heading comes when the launch went well. Those that are timed behind it find the flags set.
    if re.search(rf"^{name} on {target}\b.*, grid 3$", done.stdout, re.M):
        return set()
    if done.returncode == 0 or not told:
        sys.exit(f"{name} on {target}: exit status {done.returncode}\n{done.stdout}")
    return {int(line) for line in re.findall(r"programs_race\.py:(\d+):\d+", told.group(0))} if told else set()


def main():
    racy = ordered = wrong = 0
    for name, lines in kernels():
        if name.startswith("racy_") != bool(lines):
            sys.exit(f"{name}: its name and its lines differ")
        racy += bool(lines)
        ordered += not lines
        for target, seed in (("interp", 0), ("fibers:any", 0), ("fibers:wave64", 0), ("fibers:any", 3)):
            told = lines_told(sys.argv[1], name, target, seed)
            if told != lines:
                wrong += 1
                print(f"{name} on {target}, seed {seed}: told {sorted(told)}, expected {sorted(lines)}")
    print(f"{racy} kernels that race, {ordered} that do not, {wrong} wrong verdicts")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
