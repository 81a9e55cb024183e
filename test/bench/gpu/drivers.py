"""Each example's own driver under Triton and under Terrazzo.

    python drivers.py FOLDER [NAME ...]

Runs `python NAME.py` and `python -m terrazzo NAME.py` (which must be importable)
and prints what both took, from a cold cache, and what the driver said.
Exit status 1 if a driver fails under Terrazzo that runs under Triton.
"""

import os
import subprocess
import sys
import tempfile
import time


def run(command, cache):
    environment = {**os.environ, "TRITON_CACHE_DIR": cache, "TERRAZZO_CACHE_DIR": cache}
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    return done.returncode, time.perf_counter() - start, (done.stdout if done.returncode == 0 else done.stderr).strip()


def main():
    folder, names = sys.argv[1], sys.argv[2:]
    worse = 0
    for file in sorted(os.listdir(folder)):
        path = os.path.join(folder, file)
        if not file.endswith(".py") or (names and file[:-3] not in names):
            continue
        with open(path) as text:
            if "__main__" not in text.read():
                continue
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            theirs = run([sys.executable, path], first)
            ours = run([sys.executable, "-m", "terrazzo", path], second)
        worse += ours[0] != 0 and theirs[0] == 0
        print(f"{file}: triton {theirs[1]:.1f} s{'' if theirs[0] == 0 else ' FAILED'}, terrazzo {ours[1]:.1f} s"
              f"{'' if ours[0] == 0 else ' FAILED'}")
        for who, (_, _, said) in (("triton", theirs), ("terrazzo", ours)):
            for line in said.splitlines()[-3:]:
                print(f"    {who}: {line}")
        sys.stdout.flush()
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
