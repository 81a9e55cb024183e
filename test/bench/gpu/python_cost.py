"""What Python pays: a launch, the first call, the import; beside Triton and the driver's own launch.

    python_cost.py [--driver PROGRAM]     all, as a table; PROGRAM prints the driver's microseconds a launch
    python_cost.py launch|cold PACKAGE    one measurement in this process, for the table

The kernel adds two vectors: five arguments, of which one is constexpr. A launch
is timed over batches that fit the queue; the first call has an empty cache and
everything else imported. Medians of fresh processes.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time


def packages(name):
    if name == "terrazzo":
        import terrazzo.triton as triton
        import terrazzo.triton.language as tl
    else:
        import triton
        import triton.language as tl
    return triton, tl


def kernel_of(name):
    triton, language = packages(name)
    globals()["tl"] = language

    @triton.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):  # noqa: F821 - set above
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)  # noqa: F821
        a = tl.load(x + at, mask=at < n)  # noqa: F821
        tl.store(out + at, a + tl.load(y + at, mask=at < n), mask=at < n)  # noqa: F821

    return add


def arguments():
    import torch

    torch.ones(1, device="cuda").add_(1)
    return [torch.rand(1024, device="cuda") for _ in range(3)], torch.cuda.synchronize


def launch(name):
    kernel, (arrays, sync) = kernel_of(name), arguments()
    kernel[(1,)](*arrays, 1024, BLOCK=1024)
    sync()
    times = []
    for _ in range(60):
        start = time.perf_counter()
        for _ in range(200):
            kernel[(1,)](*arrays, 1024, BLOCK=1024)
        times.append((time.perf_counter() - start) / 200 * 1e6)
        sync()
    return statistics.median(times)


def cold(name):
    (arrays, sync), kernel = arguments(), kernel_of(name)
    start = time.perf_counter()
    kernel[(1,)](*arrays, 1024, BLOCK=1024)
    sync()
    return (time.perf_counter() - start) * 1e3


def child(*args):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, os.path.abspath(__file__), *args], capture_output=True, text=True,
                              env={**os.environ, "TRITON_CACHE_DIR": folder, "TERRAZZO_CACHE_DIR": folder})
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stdout)


def import_time(statement):
    program = f"import time; t = time.perf_counter(); {statement}; print((time.perf_counter() - t) * 1e3)"
    times = []
    for _ in range(7):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        times.append(float(done.stdout))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="?", choices=("launch", "cold"))
    parser.add_argument("package", nargs="?", choices=("terrazzo", "triton"))
    parser.add_argument("--driver")
    options = parser.parse_args()
    if options.what:
        print({"launch": launch, "cold": cold}[options.what](options.package))
        return
    if options.driver:
        done = subprocess.run([options.driver], capture_output=True, text=True, check=True)
        print(f"driver's own launch  {float(done.stdout):8.2f} us")
    for what, unit, times in (("launch", "us", 3), ("cold", "ms", 3)):
        found = {name: statistics.median(child(what, name) for _ in range(times)) for name in ("terrazzo", "triton")}
        print(f"{what:20s} {found['terrazzo']:8.2f} {unit}   triton {found['triton']:8.2f} {unit}   "
              f"{found['triton'] / found['terrazzo']:.2f} x")
    for name in ("terrazzo", "terrazzo.triton.language", "triton"):
        print(f"import {name:24s} {import_time('import ' + name):8.1f} ms")


if __name__ == "__main__":
    main()
