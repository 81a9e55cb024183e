"""The package's own tests on simulated devices that have one memory with the host: a sample of the files.

TERRAZZO_AMD_TESTS names other files of python/tests, or is "all", which takes minutes (ci/nightly). Of
what passes on the CPU's own target 95 % must then pass here; of the sample everything must.
"""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", ".."))
TESTS = os.path.join(ROOT, "python", "tests")
SAMPLE = "arrays element_types launch layouts"
# Of the CPU alone: the checked mode, faults that are caught, ending a kernel, the interpreter that a variable chooses, figures
# of the CPU. Each runs without this file.
NOT_HERE = ("checked", "faults", "interrupts", "interpreter", "race", "torch_compile_table", "wheel")


def environment(target):
    return {**os.environ, "TERRAZZO_SIMULATORS": "1", "TERRAZZO_AMD_SIMULATOR_HOST_MEMORY": "1", "TERRAZZO_TARGET": target}


def files():
    wanted = os.environ.get("TERRAZZO_AMD_TESTS", SAMPLE)
    if wanted == "all":
        names = (re.fullmatch(r"test_(\w+)\.py", name) for name in sorted(os.listdir(TESTS)))
        wanted = " ".join(name.group(1) for name in names if name and name.group(1) not in NOT_HERE)
    return wanted.split()


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


def outcomes(folder, target):
    """Test -> whether it passed, of those that ran; and what pytest says."""
    report = folder / f"{target.replace(':', '-')}.xml"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
         *(os.path.join(TESTS, f"test_{name}.py") for name in files()), f"--rootdir={ROOT}"],
        cwd=ROOT, env={**environment(target), "TERRAZZO_CACHE_DIR": str(folder / "cache")}, capture_output=True, text=True)
    said = run.stdout[-6000:] + run.stderr[-2000:]
    assert report.exists(), said
    cases = [case for case in ElementTree.parse(report).iter("testcase") if case.find("skipped") is None]
    return {f"{case.get('classname')}.{case.get('name')}": case.find("failure") is None and case.find("error") is None
            for case in cases}, said


def test_the_package_works_on_it(tmp_path):
    here, said = outcomes(tmp_path, "amd:gfx942")
    assert here, said
    if "TERRAZZO_AMD_TESTS" not in os.environ:
        assert all(here.values()), said
        return
    on_cpu, _ = outcomes(tmp_path, "cpu")
    expected = [name for name, ok in on_cpu.items() if ok]
    lost = [name for name in expected if not here.get(name)]
    print(f"{len(expected) - len(lost)} of {len(expected)} tests that pass on the CPU's own target pass here; not:", *lost, sep="\n  ")
    assert 20 * len(lost) <= len(expected), said
