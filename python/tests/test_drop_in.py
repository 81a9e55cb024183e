"""Terrazzo in Triton's place."""

import subprocess
import sys

PROGRAM = """
import triton
import triton.language as tl
from triton.language.extra.libdevice import tanh
from triton.runtime.jit import JITFunction, reinterpret
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.errors import OutOfResources
from triton.compiler.errors import CompilationError
from triton.backends.compiler import GPUTarget
from triton.tools.tensor_descriptor import TensorDescriptor
from triton.language.standard import _log2, zeros_like
from triton.runtime.cache import get_cache_manager
import terrazzo.triton, numpy as np, sys
import triton.runtime.driver
assert triton.runtime.driver.active is triton.runtime.driver.default  # the object, not the module of its name
assert triton.runtime.jit.JITFunction is JITFunction and triton.runtime.jit.jit is triton.jit  # the module
assert triton is terrazzo.triton and tl is terrazzo.triton.language
assert triton.language.extra.libdevice is sys.modules["triton.language.extra.libdevice"]
assert triton.__spec__.name == "terrazzo.triton"
import importlib, pkgutil
for vendor in pkgutil.iter_modules(triton.language.extra.__path__, "triton.language.extra."):
    if vendor.ispkg:
        assert importlib.import_module(vendor.name + ".libdevice").tanh is tanh
try:
    import triton.experimental.gluon
except ImportError:
    print("no gluon")

@triton.jit
def twice(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

x = np.arange(100, dtype=np.float32)
twice[(triton.cdiv(100, 64),)](x, 100, BLOCK=64)
assert (x == 2 * np.arange(100)).all()
print("done", *sys.argv[1:])
"""


def test_what_wrappers_of_kernels_read():
    import inspect
    import terrazzo.triton as triton
    from kernels import add_kernel, scale_kernel
    assert list(scale_kernel.signature.parameters) == scale_kernel.arg_names
    assert [p.default for p in scale_kernel.params] == [inspect.Parameter.empty] * 3 + [2.0, 128]
    assert [p.num for p in add_kernel.params if p.is_constexpr] == [4]
    assert isinstance(add_kernel, triton.JITFunction) and isinstance(add_kernel, triton.KernelInterface)


def python(*arguments, **more):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=300, **more)


def test_a_script_of_triton(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    run = python("-m", "terrazzo", str(script), "one", "two")
    assert (run.returncode, run.stdout, run.stderr) == (0, "no gluon\ndone one two\n", "")


def test_installed_from_python(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import terrazzo\nterrazzo.install_as_triton()\nterrazzo.install_as_triton()\n" + PROGRAM)
    run = python(str(script))
    assert (run.returncode, run.stderr) == (0, "") and "done" in run.stdout


def test_too_late(tmp_path):
    (tmp_path / "triton.py").write_text("")
    run = python("-c", "import triton, terrazzo; terrazzo.install_as_triton()", cwd=tmp_path)
    assert run.returncode == 1 and "triton was imported before" in run.stderr and "python -m terrazzo" in run.stderr


def test_bad_command_lines():
    run = python("-m", "terrazzo", "nowhere.py")
    assert run.returncode == 2 and "there is no file nowhere.py" in run.stderr
    assert python("-m", "terrazzo").returncode == 2
    run = python("-m", "terrazzo", "-c", "import triton; print(triton.__version__)")
    assert run.stdout == "3.6.0\n"


def test_processes_that_inherit_the_path(tmp_path):
    """As those of multiprocessing's spawn and torch.compile's workers: PYTHONPATH is the parent's sys.path."""
    child = "import triton.language as tl, triton, sys, terrazzo.triton; assert triton is terrazzo.triton is sys.modules['triton']; " \
            "assert tl is terrazzo.triton.language; print('ours')"
    parent = "import os, subprocess, sys, terrazzo; terrazzo.install_as_triton(); " \
             f"subprocess.run([sys.executable, '-c', {child!r}], check=True, env={{**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}})"
    run = python("-c", parent, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (0, "ours\n"), run.stderr
