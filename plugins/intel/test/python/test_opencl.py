"""The package's own tests on Intel's OpenCL runtime for CPUs, whose memory is the host's: a sample of the files, or those of
TERRAZZO_PACKAGE_TESTS (python/tests/package_on_target.py)."""

import os
import runpy
import subprocess
import sys

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", ".."))
SAMPLE = "arrays bad_input code element_types knobs launch layouts semantics"
NAMES_THE_CPU = ("test_code.py::test_facts", "test_code.py::test_stages_are_those_of_the_target")


def environment():
    found = runpy.run_path(os.path.join(ROOT, "plugins", "intel", "test", "environment.py"))["environment"](ROOT)
    if not found:
        pytest.skip("there is no OpenCL runtime for CPUs; ci/setup --tests installs Intel's")
    return {**os.environ, **found, "TERRAZZO_TARGET": "intel:opencl"}


def test_a_kernel_runs_on_the_device_that_was_asked_for(tmp_path):
    """Its code is SPIR-V, as bytes and as text."""
    script = tmp_path / "script.py"
    script.write_text("""
import numpy as np
import terrazzo
import terrazzo.triton.language as tl

@terrazzo.jit
def twice(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), 2 * tl.load(x + tl.arange(0, N)))

x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
code = twice[(1,)](x, out, N=64)
assert (out == 2 * x).all()
assert code.target == "intel:opencl", code.target
assert code.asm["spirv"][:4] == b"\\x03\\x02\\x23\\x07", code.asm["spirv"][:4]
assert "OpEntryPoint" in code.asm["spirv-asm"]
assert "spirv" in dict(code.asm)
try:
    twice[(1,)](x, out, N=64, num_warp=4)
except KeyError as refused:
    print(refused)
""")
    run = subprocess.run([sys.executable, script], env=environment(), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "unknown option 'num_warp' for target 'intel:opencl'; did you mean 'num_warps'?" in run.stdout


def test_the_target_is_the_one_that_was_asked_for(tmp_path):
    """By Triton's names, on the host's side and in a kernel: not the CPU's, and lanes as the code has them."""
    script = tmp_path / "script.py"
    script.write_text("""
import numpy as np
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo.triton.language.target_info import current_target

@triton.jit
def lanes(out):
    tl.store(out, current_target().warp_size)

out = np.zeros(1, np.int32)
kernel = lanes[(1,)](out)
told = triton.runtime.driver.active.get_current_target()
assert told == kernel.metadata.target, (told, kernel.metadata.target)
assert triton.runtime.driver.active.get_device_properties()["warpSize"] == told.warp_size == out[0]
# Code for this target is code for the device that runs here.
again = triton.compile(triton.compiler.ASTSource(lanes, {"out": "*i32"}, {}), target=told)
again[(1,)](out)
print(told.backend, told.arch, told.warp_size)
""")
    for target, lanes in (("opencl", 16), ("dg2-emulated", 8)):
        asked = {**environment(), "TERRAZZO_TARGET": f"intel:{target}"}
        run = subprocess.run([sys.executable, script], env=asked, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert run.stdout == f"xpu {target} {lanes}\n"


def test_the_package_works_on_it(tmp_path):
    check = runpy.run_path(os.path.join(ROOT, "python", "tests", "package_on_target.py"))["check_package"]
    check(tmp_path, "intel:opencl", environment(), SAMPLE, NAMES_THE_CPU)
