"""What Python pays: a launch, the first call, the import; beside Triton and the driver's own launch.

    python_cost.py                        all, as a table
    python_cost.py launch                 launches: everything in one process, in turns; then each package in its own
    python_cost.py alone|cold PACKAGE     one measurement in this process, for the table: launches, the first call

The kernel adds two vectors: five arguments, of which one is constexpr. A launch
is timed over batches that fit the queue. The driver's own launch is that of the
same machine code, called from C by driver_launches.c; without a C compiler it is
left out. The first call has an empty cache and everything else imported; the
median of fresh processes.
"""

import argparse
import ctypes
import functools
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


def driver_ways(compiled, arrays):
    """Name -> microseconds of `count` launches of the kernel's machine code, from C."""
    import torch

    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver_launches.c")
    library = os.path.join(tempfile.mkdtemp(), "driver_launches.so")
    try:
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-fPIC", "-shared", source, "-o", library, "-ldl"], check=True)
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"no launches from C: {failure}")
        return {}
    loops = ctypes.CDLL(library)
    loops.prepare.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                              ctypes.c_int, ctypes.c_uint, ctypes.c_void_p]
    loops.microseconds.restype = ctypes.c_double
    facts = compiled.asm["cubin"], compiled.name.encode()
    done = loops.prepare(*facts, *(a.data_ptr() for a in arrays), 1024, compiled.metadata.num_warps * 32,
                         torch.cuda.current_stream().cuda_stream)
    if done:
        sys.exit(f"driver_launches.c: the driver answers {done}")
    ways = ["launchKernelEx, packed", "launchKernelEx, pointers", "launchKernel, packed", "launchKernel, pointers",
            "contextGetCurrent alone"]
    return {"driver: " + way: functools.partial(loops.microseconds, i) for i, way in enumerate(ways)}


def launch_ways():
    """Name -> microseconds of `count` launches, of all that is compared."""
    arrays, sync = arguments()
    x, y, out = arrays
    kernels = {name: kernel_of(name) for name in ("terrazzo", "triton")}
    compiled = {name: kernel[(1,)](x, y, out, 1024, BLOCK=1024) for name, kernel in kernels.items()}

    def timed(body):
        def run(count):
            start = time.perf_counter()
            body(count)
            return (time.perf_counter() - start) * 1e6
        return run

    def plain(kernel):
        def body(count):
            for _ in range(count):
                kernel[(1,)](x, y, out, 1024, BLOCK=1024)
        return body

    def unpacked(kernel):
        def body(count):
            for _ in range(count):
                kernel[(1,)](*arrays, 1024, BLOCK=1024)
        return body

    def option(kernel):
        def body(count):
            for _ in range(count):
                kernel[(1,)](x, y, out, 1024, BLOCK=1024, num_warps=4)
        return body

    def empty(x, y, out, n, BLOCK):
        pass

    ways = {"Python: an empty function": timed(plain({(1,): empty})), **driver_ways(compiled["terrazzo"], arrays)}
    for form in (plain, unpacked, option):
        for name, kernel in kernels.items():
            ways[f"{name}: {form.__name__}"] = timed(form(kernel))
    return ways, sync


def launch(rounds=60, batch=200):
    ways, sync = launch_ways()
    times = {name: [] for name in ways}
    for turn in range(rounds + 3):
        for name, way in ways.items():
            taken = way(batch) / batch
            sync()
            if turn >= 3:
                times[name].append(taken)
    found = {name: statistics.median(values) for name, values in times.items()}
    own = min((value for name, value in found.items() if "launchKernel" in name), default=None)
    for name, value in found.items():
        form = name.partition(": ")[2]
        beside = f"   {found['triton: ' + form] / value:5.2f} x" if name.startswith("terrazzo") else ""
        over = f"   {value - own:+6.2f} us" if own and name.startswith(("terrazzo", "triton")) else ""
        low, high = (sorted(times[name])[int(rounds * share)] for share in (0.1, 0.9))
        print(f"launch {name:36s} {value:7.3f} us   (10 %: {low:.3f}, 90 %: {high:.3f}){over}{beside}")


def alone(name):
    """The plain form, nothing else in the process."""
    (x, y, out), sync = arguments()
    kernel = kernel_of(name)
    kernel[(1,)](x, y, out, 1024, BLOCK=1024)
    sync()
    times = []
    for _ in range(60):
        start = time.perf_counter()
        for _ in range(200):
            kernel[(1,)](x, y, out, 1024, BLOCK=1024)
        times.append((time.perf_counter() - start) / 200 * 1e6)
        sync()
    return statistics.median(times)


def in_processes(what, unit, times=3):
    found = {name: statistics.median(child(what, name) for _ in range(times)) for name in ("terrazzo", "triton")}
    print(f"{what:12s} {found['terrazzo']:8.2f} {unit}   triton {found['triton']:8.2f} {unit}   "
          f"{found['triton'] / found['terrazzo']:.2f} x")


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
    parser.add_argument("what", nargs="?", choices=("launch", "alone", "cold"))
    parser.add_argument("package", nargs="?", choices=("terrazzo", "triton"))
    options = parser.parse_args()
    if options.what in ("alone", "cold"):
        print({"alone": alone, "cold": cold}[options.what](options.package))
        return
    launch()
    in_processes("alone", "us")
    if options.what:
        return
    in_processes("cold", "ms")
    for name in ("terrazzo", "terrazzo.triton.language", "triton"):
        print(f"import {name:24s} {import_time('import ' + name):8.1f} ms")


if __name__ == "__main__":
    main()
