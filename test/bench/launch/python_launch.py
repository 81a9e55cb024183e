"""What Python pays for a launch, without a GPU: the real extension over a driver that does nothing.

    python_launch.py FAKE_DRIVER [--calls N]     a table; FAKE_DRIVER: fake-cuda-driver.so of a build
    python_launch.py FAKE_DRIVER --run FORM      N calls of one form in this process, for a profiler

The arrays are those of device_arrays.c, which take torch's place. Needs a C
compiler, the headers of this Python, and the package terrazzo. Nanoseconds a
call, the least of 21 rounds, beside a call that does nothing.
"""

import argparse
import ctypes
import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import types


def device_arrays():
    """device_arrays.c, compiled and loaded."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "device_arrays.c")
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "device_arrays.so")
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, "-O2", "-fPIC", "-shared", "-I", sysconfig.get_path("include"), source, "-o", library],
                       check=True)
        spec = importlib.util.spec_from_file_location("device_arrays", library)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def pretend_torch(tensor):
    """The part of torch that the package asks for."""
    torch = types.ModuleType("torch")
    torch.Tensor = tensor
    torch.version = types.SimpleNamespace(cuda="13.0")
    torch.accelerator = types.SimpleNamespace(current_accelerator=lambda: types.SimpleNamespace(type="cuda"))
    torch._C = types.ModuleType("torch._C")
    torch._C._cuda_getCurrentRawStream = lambda index: 0
    sys.modules.update({"torch": torch, "torch._C": torch._C})


def make_current(library):
    """The device's context, as a framework's work leaves it."""
    driver, context = ctypes.CDLL(library), ctypes.c_void_p()
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 100) == 0
    assert driver.cuCtxPushCurrent_v2(context) == 0


def forms(kernel, arrays):
    """Name -> a function that launches `count` times."""
    x, y, out = arrays

    def nothing(x, y, out, n, BLOCK):
        pass

    def calls_nothing(count):
        for _ in range(count):
            nothing(x, y, out, 1024, BLOCK=1024)

    def keyword(count):
        for _ in range(count):
            kernel[(1,)](x, y, out, 1024, BLOCK=1024)

    def unpacked(count):
        for _ in range(count):
            kernel[(1,)](*arrays, 1024, BLOCK=1024)

    def bound(count):
        launch = kernel[(1,)]
        for _ in range(count):
            launch(x, y, out, 1024, 1024)

    def option(count):
        for _ in range(count):
            kernel[(1,)](x, y, out, 1024, BLOCK=1024, num_warps=4)

    def function(count):
        for _ in range(count):
            kernel[lambda meta: (1,)](x, y, out, 1024, BLOCK=1024)

    return {"an empty Python function": calls_nothing, "keyword": keyword, "unpacked": unpacked, "bound": bound,
            "option": option, "function": function}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--run")
    options = parser.parse_args()
    os.environ["TERRAZZO_NVIDIA_DRIVER"] = os.path.abspath(options.driver)
    os.environ["TZ_FAKE_CUDA"] = "idle=1 devices=1"
    tensor = device_arrays().Tensor
    pretend_torch(tensor)
    import terrazzo
    import terrazzo.triton.language as tl
    globals()["tl"] = tl

    @terrazzo.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        a = tl.load(x + at, mask=at < n)
        tl.store(out + at, a + tl.load(y + at, mask=at < n), mask=at < n)

    arrays = [tensor(1024) for _ in range(3)]
    add[(1,)](*arrays, 1024, BLOCK=1024)
    make_current(os.environ["TERRAZZO_NVIDIA_DRIVER"])
    ways = forms(add, arrays)
    if options.run:
        ways[options.run](options.calls)
        return
    for name, way in ways.items():
        way(1000)
        times = []
        for _ in range(21):
            start = time.perf_counter_ns()
            way(options.calls // 20)
            times.append((time.perf_counter_ns() - start) / (options.calls // 20))
        print(f"{name:26s} {min(times):8.0f} ns")


if __name__ == "__main__":
    main()
