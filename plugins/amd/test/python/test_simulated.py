"""The package's own tests on simulated devices that have one memory with the host: a sample of the files, or those of
TERRAZZO_PACKAGE_TESTS (python/tests/package_on_target.py)."""

import os
import runpy
import subprocess
import sys

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", ".."))
SAMPLE = "arrays element_types launch layouts"


def environment(target):
    return {**os.environ, "TERRAZZO_SIMULATORS": "1", "TERRAZZO_AMD_SIMULATOR_HOST_MEMORY": "1", "TERRAZZO_TARGET": target}


SCRIPT = """
import numpy as np
import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl

@terrazzo.jit
def twice(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), 2 * tl.load(x + tl.arange(0, N)))

x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
code = twice[(1,)](x, out, N=64)
assert (out == 2 * x).all()
told = triton.runtime.driver.active.get_current_target()
print(code.target, told.backend, told.arch, told.warp_size, "amdgcn" in code.asm)
"""


@pytest.mark.parametrize("processor, lanes", [("gfx942", 64), ("gfx1100", 32)])
def test_a_kernel_works_on_arrays_of_the_host(tmp_path, processor, lanes):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    run = subprocess.run([sys.executable, script], env=environment(f"amd:{processor}"), capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == f"amd:{processor} hip {processor} {lanes} True\n"


def test_a_device_with_memory_of_its_own_says_why_it_cannot(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    asked = {**environment("amd:gfx942"), "TERRAZZO_AMD_SIMULATOR_HOST_MEMORY": "0"}
    run = subprocess.run([sys.executable, script], env=asked, capture_output=True, text=True)
    assert run.returncode != 0
    assert "the arrays of kernel 'twice' lie in host memory, which TERRAZZO_TARGET=amd:gfx942 cannot read" in run.stderr


def test_the_package_works_on_it(tmp_path):
    check = runpy.run_path(os.path.join(ROOT, "python", "tests", "package_on_target.py"))["check_package"]
    percent = runpy.run_path(os.path.join(ROOT, "plugins", "amd", "test", "machines.py"))["PYTHON_PERCENT"]
    check(tmp_path, "amd:gfx942", environment("amd:gfx942"), SAMPLE, percent=percent)


def test_the_share_that_must_pass():
    is_enough = runpy.run_path(os.path.join(ROOT, "python", "tests", "package_on_target.py"))["is_enough"]
    assert is_enough(10, 500, 98) and not is_enough(11, 500, 98)
    assert is_enough(25, 500, 95) and not is_enough(26, 500, 95)
