"""Each example's own driver under Triton and under Terrazzo.

    python drivers.py FOLDER [--jobs N] [NAME ...]

Each driver (`python NAME.py`) runs in a process of its own under each of the
two, from a cold cache. Both have imported torch and made a context on the
device before the clock starts: what is timed is the driver, its compilations
above all. Prints both times, what the drivers said, and a table for Markdown.
Exit status 1 if a driver fails under Terrazzo that runs under Triton.
"""

import argparse
import concurrent.futures
import os
import runpy
import subprocess
import sys
import tempfile
import time

MARK = "driver's seconds: "


def body(path, who):
    """The child: runs the driver in this process."""
    if who == "terrazzo":
        import terrazzo
        terrazzo.install_as_triton()
    import torch
    import triton
    torch.zeros(1, device="cuda")
    torch.cuda.synchronize()
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    start = time.perf_counter()
    runpy.run_path(path, run_name="__main__")
    torch.cuda.synchronize()
    took = time.perf_counter() - start
    assert ("terrazzo" in triton.__name__) == (who == "terrazzo")
    print(f"{MARK}{took:.3f}")


def run(path, who):
    """(seconds or None, what it said)"""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TRITON_CACHE_DIR": cache, "TERRAZZO_CACHE_DIR": cache}
        done = subprocess.run([sys.executable, __file__, "--body", who, path], capture_output=True, text=True, env=environment)
    if done.returncode:
        return None, done.stderr.strip()
    said, _, seconds = done.stdout.rpartition(MARK)
    return float(seconds), said.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--jobs", type=int, default=1, help="drivers at a time; both runs of one are one after the other")
    parser.add_argument("--body", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.body:
        body(options.folder, options.body)
        return 0
    drivers = []
    for file in sorted(os.listdir(options.folder)):
        path = os.path.join(options.folder, file)
        if file.endswith(".py") and (not options.names or file[:-3] in options.names):
            with open(path) as text:
                if "__main__" in text.read():
                    drivers.append(path)

    def both(path):
        return run(path, "triton"), run(path, "terrazzo")

    worse, rows = 0, []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (theirs, ours) in zip(drivers, pool.map(both, drivers)):
            name = os.path.basename(path)
            worse += ours[0] is None and theirs[0] is not None
            text = ["failed" if seconds is None else f"{seconds:.2f}" for seconds, _ in (theirs, ours)]
            ratio = "" if None in (theirs[0], ours[0]) else f"{theirs[0] / ours[0]:.1f}"
            print(f"{name}: triton {text[0]} s, terrazzo {text[1]} s")
            for who, (_, said) in (("triton", theirs), ("terrazzo", ours)):
                for line in said.splitlines()[-3:]:
                    print(f"    {who}: {line}")
            sys.stdout.flush()
            rows.append(f"| {name} | {text[0]} | {text[1]} | {ratio} |")
    print("\n| driver | Triton, s | Terrazzo, s | ratio |\n|---|---|---|---|", *rows, sep="\n")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
