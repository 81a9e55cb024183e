"""Kernels on a device that print or assert: launches that do not wait. Over a driver without a GPU.

TERRAZZO_TEST_FAKE_DRIVER names that driver; ci/test sets it.
"""

import os
import shutil
import subprocess
import sys

import pytest

DRIVER = os.environ.get("TERRAZZO_TEST_FAKE_DRIVER")
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "bench", "launch")

PROGRAM = """
import ctypes, os, sys
sys.path.insert(0, sys.argv[1])
import python_launch
Tensor = python_launch.device_arrays().Tensor
python_launch.pretend_torch(Tensor)
synchronized = []
sys.modules["torch._C"]._cuda_synchronize = lambda: synchronized.append(1)
sys.modules["torch._C"]._accelerator_synchronizeDevice = lambda index: synchronized.append(index)
import terrazzo
import terrazzo.triton.language as tl
driver = ctypes.CDLL(os.environ["TERRAZZO_NVIDIA_DRIVER"])

def calls():
    return {name: driver.fakeCudaCalls(name.encode()) for name in (
        "cuStreamSynchronize", "cuEventSynchronize", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2", "cuLaunchKernelEx")}

def body(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0)
    tl.device_assert(v < 100, "v is too large")
    tl.store(out + at, v + 1, mask=at < n)

checked, plain = terrazzo.jit(body, debug=True), terrazzo.jit(body)
x, out = Tensor(1024), Tensor(1024)

if sys.argv[2] == "capture":
    plain[(1,)](x, out, 1024, BLOCK=512)  # a context
    before = calls()
    driver.fakeCudaRecord(1)
    code = checked[(1,)](x, out, 1024, BLOCK=1024)  # compiled, loaded and launched while the stream records
    checked[(1,)](x, out, 1024, BLOCK=1024)
    after = calls()
    driver.fakeCudaRecord(0)
    assert code._facts["has_log"]
    assert after == {**before, "cuLaunchKernelEx": after["cuLaunchKernelEx"]}, (before, after)
elif sys.argv[2] == "launches":
    assert checked[(1,)](x, out, 1024, BLOCK=1024)._facts["has_log"]
    before = calls()
    for _ in range(10):
        checked[(1,)](x, out, 1024, BLOCK=1024)
    after = calls()
    assert after == {**before, "cuLaunchKernelEx": after["cuLaunchKernelEx"]}, (before, after)
    # The framework's own synchronisation tells what kernels said, the program's too, and so does the exit.
    sys.modules["torch._C"]._cuda_synchronize()
    assert synchronized == [1] and calls()["cuStreamSynchronize"] == before["cuStreamSynchronize"] + 1
    sys.modules["torch._C"]._accelerator_synchronizeDevice(0)  # torch.accelerator.synchronize
    assert synchronized == [1, 0] and calls()["cuStreamSynchronize"] == before["cuStreamSynchronize"] + 2
    terrazzo.synchronize()
    assert calls()["cuStreamSynchronize"] == before["cuStreamSynchronize"] + 3
else:
    assert not plain[(1,)](x, out, 1024, BLOCK=1024)._facts["has_log"]
    assert plain[(1,)](x, out, 1024, BLOCK=1024, debug=True)._facts["has_log"]
    os.environ["TRITON_DEBUG"] = "1"
    again = terrazzo.jit(body)
    assert again[(1,)](x, out, 1024, BLOCK=1024, sanitize_overflow=False)._facts["has_log"]
print("done")
"""


@pytest.mark.skipif(not DRIVER or not os.path.exists(DRIVER), reason="TERRAZZO_TEST_FAKE_DRIVER names no file")
@pytest.mark.skipif(not shutil.which(os.environ.get("CC", "cc")), reason="no C compiler for arrays of a device")
@pytest.mark.parametrize("what", ["capture", "launches", "options"])
def test_launches(tmp_path, what):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    run = subprocess.run([sys.executable, str(script), BENCH, what], capture_output=True, text=True, timeout=120, env={
        **os.environ, "TERRAZZO_NVIDIA_DRIVER": DRIVER, "TZ_FAKE_CUDA": "idle=1 devices=1", "TERRAZZO_CACHE_DIR": str(tmp_path)})
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
