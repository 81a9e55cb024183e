"""The package's own tests on Intel's OpenCL runtime for CPUs, whose memory is the host's: a sample of the files.

TERRAZZO_INTEL_TESTS names other files of python/tests, or is "all", which takes minutes (ci/nightly). Of
what passes on the CPU's own target 95 % must then pass here; of the sample everything must.
"""

import os
import re
import runpy
import subprocess
import sys
from xml.etree import ElementTree

import pytest

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", ".."))
TESTS = os.path.join(ROOT, "python", "tests")
SAMPLE = "arrays bad_input code element_types knobs launch layouts semantics"
# Of the CPU alone: the checked mode, faults that are caught, ending a kernel, the interpreter that a variable chooses, figures
# of the CPU. Each runs without this file.
NOT_HERE = ("checked", "faults", "interrupts", "interpreter", "race", "torch_compile_table", "wheel")
NAMES_THE_CPU = ("test_code.py::test_facts", "test_code.py::test_stages_are_those_of_the_target")


def environment():
    found = runpy.run_path(os.path.join(ROOT, "plugins", "intel", "test", "environment.py"))["environment"](ROOT)
    if not found:
        pytest.skip("there is no OpenCL runtime for CPUs; ci/setup --tests installs Intel's")
    return {**os.environ, **found, "TERRAZZO_TARGET": "intel:opencl"}


def files():
    wanted = os.environ.get("TERRAZZO_INTEL_TESTS", SAMPLE)
    if wanted == "all":
        names = (re.fullmatch(r"test_(\w+)\.py", name) for name in sorted(os.listdir(TESTS)))
        wanted = " ".join(name.group(1) for name in names if name and name.group(1) not in NOT_HERE)
    return wanted.split()


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


def outcomes(folder, target):
    """Test -> whether it passed, of those that ran; and what pytest says."""
    report = folder / f"{target.replace(':', '-')}.xml"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}",
         *(os.path.join(TESTS, f"test_{name}.py") for name in files()),
         *(f"--deselect=python/tests/{name}" for name in NAMES_THE_CPU), f"--rootdir={ROOT}"],
        cwd=ROOT, env={**environment(), "TERRAZZO_TARGET": target, "TERRAZZO_CACHE_DIR": str(folder / "cache")},
        capture_output=True, text=True)
    said = run.stdout[-6000:] + run.stderr[-2000:]
    assert report.exists(), said
    cases = [case for case in ElementTree.parse(report).iter("testcase") if case.find("skipped") is None]
    return {f"{case.get('classname')}.{case.get('name')}": case.find("failure") is None and case.find("error") is None
            for case in cases}, said


def test_the_package_works_on_it(tmp_path):
    here, said = outcomes(tmp_path, "intel:opencl")
    assert here, said
    if "TERRAZZO_INTEL_TESTS" not in os.environ:
        assert all(here.values()), said
        return
    on_cpu, _ = outcomes(tmp_path, "cpu")
    expected = [name for name, ok in on_cpu.items() if ok]
    lost = [name for name in expected if not here.get(name)]
    print(f"{len(expected) - len(lost)} of {len(expected)} tests that pass on the CPU's own target pass here; not:", *lost, sep="\n  ")
    assert 20 * len(lost) <= len(expected), said
