"""triton.backends and triton.runtime.driver: of the backends one is active, the one whose device kernels run on."""

import os
import subprocess
import sys

import pytest

import terrazzo.triton as triton
from terrazzo.triton.backends.compiler import GPUTarget

# A torch that has a GPU, as far as drivers ask.
FAKE = """
import sys, types
torch = types.ModuleType("torch")
facts = types.SimpleNamespace(multi_processor_count=132, shared_memory_per_block_optin=232448, warp_size=32)
torch.cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0, get_device_properties=lambda index: facts,
                                   get_device_capability=lambda device=None: (9, 0))
torch.version = types.SimpleNamespace(cuda="13.0", hip=None, xpu=None)
torch.device = lambda kind, index: (kind, index)
"""

ACTIVE = """
import terrazzo
terrazzo.install_as_triton()
import triton
from triton.backends import backends
print([name for name, backend in backends.items() if backend.driver and backend.driver.is_active()])
"""


def run(program, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "TERRAZZO_TARGET"}
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**kept, **environment})
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_the_cpu_is_active_where_there_is_nothing_else():
    assert run(ACTIVE) == "['cpu']\n"


def test_a_gpu_is_active_alone():
    program = FAKE + "sys.modules['torch'] = torch\n" + ACTIVE
    assert run(program) == "['nvidia']\n"
    assert run(program, TERRAZZO_TARGET="nvidia") == "['nvidia']\n"
    for target in ("cpu", "cpu:0", "interp"):
        assert run(program, TERRAZZO_TARGET=target) == "['cpu']\n"


def test_a_gpu_of_another_vendor_is_active_alone():
    program = FAKE + "sys.modules['torch'] = torch\ntorch.version.cuda, torch.version.hip = None, '7.0'\n" + ACTIVE
    names = eval(run(program))
    assert len(names) == 1 and names != ["cpu"] and names != ["nvidia"]


def test_a_gpu_that_comes_later():
    program = FAKE + ACTIVE + "sys.modules['torch'] = torch\n" + ACTIVE.replace("from triton.backends import backends",
                                                                                   "backends = triton.backends.backends")
    assert run(program) == "['cpu']\n['nvidia']\n"


def test_the_active_driver_of_a_gpu():
    assert run(FAKE + """
sys.modules["torch"] = torch
from terrazzo.triton.runtime import driver
from terrazzo.triton.backends.nvidia.driver import CudaDriver
assert isinstance(driver.active, CudaDriver)
assert driver.active.get_current_target() == __import__("terrazzo").triton.backends.compiler.GPUTarget("cuda", 90, 32)
print(driver.active.utils.get_device_properties(0)["multiprocessor_count"], driver.active.get_active_torch_device())
""") == "132 ('cuda', 0)\n"


def test_the_driver_becomes_the_vendors_own():
    """Who asks before terrazzo.triton is there is answered for any accelerator."""
    assert run(FAKE + """
sys.modules["torch"] = torch
from terrazzo.runtime.drivers import driver
print(type(driver.active).__name__)
import terrazzo.triton
print(type(driver.active).__name__)
""").split() == ["AcceleratorDriver", "CudaDriver"]


def test_what_libraries_ask_of_the_backend():
    from terrazzo.triton.backends.nvidia import compiler

    target, tl = GPUTarget("cuda", 90, 32), triton.language
    least = compiler.min_dot_size(target)
    assert least(tl.float16, tl.float16) == (1, 1, 16) and least(tl.float8e5, tl.float8e4nv) == (1, 1, 32)
    assert least(tl.block_type(tl.int8, [16, 16]), tl.int8) == (1, 1, 32)
    with pytest.raises(ValueError, match="types of one width, not fp16 and fp8e5"):
        least(tl.float16, tl.float8e5)
    backend = triton.compiler.make_backend(target)
    options = backend.parse_options({"num_warps": 8})
    assert isinstance(backend, compiler.CUDABackend) and backend.binary_ext == "cubin"
    assert (options.num_warps, options.arch, options.backend_name) == (8, "sm_90a", "cuda")
    with pytest.raises(ValueError, match="num_warps is a power of 2, not 3"):
        backend.parse_options({"num_warps": 3})
    with pytest.raises(ValueError, match="this is the backend 'cuda'"):
        compiler.CUDABackend(GPUTarget("cpu", "x86_64", 1))


def test_paths_and_names_of_types():
    from terrazzo.triton import _utils

    nested = (1, ("a", [2, "b"]), 3)
    paths = _utils.find_paths_if(nested, lambda path, item: isinstance(item, str))
    assert paths == [(1, 0), (1, 1, 1)] and [_utils.get_iterable_path(nested, path) for path in paths] == ["a", "b"]
    changed = [1, [2, 3]]
    _utils.set_iterable_path(changed, (1, 0), 5)
    assert changed == [1, [5, 3]]
    names = ("torch.float16", triton.language.bfloat16, "fp8e5", "int64", "bool")
    assert [_utils.canonicalize_dtype(name) for name in names] == ["fp16", "bf16", "fp8e5", "i64", "u1"]
    assert [_utils.get_primitive_bitwidth(name) for name in names] == [16, 16, 8, 64, 1]
    assert _utils.canonicalize_ptr_dtype("float32", True) == "*kfp32"


def test_tools_of_the_vendor(tmp_path, monkeypatch):
    knobs = triton.knobs
    tool = tmp_path / "ptxas"
    tool.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 13.1, V13.1.2'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(tool))
    assert (knobs.nvidia.ptxas.path, knobs.nvidia.ptxas.version) == (str(tool), "13.1")
    assert os.fspath(knobs.nvidia.ptxas) == str(tool) == knobs.nvidia.ptxas
    monkeypatch.delenv("TRITON_PTXAS_PATH")
    monkeypatch.setenv("PATH", "")
    assert knobs.nvidia.ptxas is None
    with knobs.nvidia.scope():
        knobs.nvidia.ptxas = str(tool)
        assert knobs.nvidia.ptxas.version == "13.1" and os.environ["TRITON_PTXAS_PATH"] == str(tool)


def test_code_for_a_gpu_that_is_not_here():
    """It was x86 code, silently."""
    assert run("""
import linecache
import terrazzo
terrazzo.install_as_triton()
import numpy as np, triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
text = '''@triton.jit
def fill(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 1.0, mask=at < n)
'''
linecache.cache["fill.py"] = len(text), None, text.splitlines(True), "fill.py"
exec(compile(text, "fill.py", "exec"))
source = ASTSource(fill, {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256})
for arch, name in ((90, "sm_90a"), (80, "sm_80")):
    kernel = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 2})
    assert ".target " + name in kernel.asm["ptx"] and "fill" in kernel.asm["ptx"], kernel.asm["ptx"]
    assert kernel.metadata.target == GPUTarget("cuda", arch, 32) and kernel.metadata.num_warps == 2
    assert kernel.inner.target == "nvidia:" + name and "ttir" in kernel.asm
    for launch in (lambda: kernel[(1,)](np.zeros(4, np.float32), 4, 256), kernel._init_handles):
        try:
            launch()
        except terrazzo.LaunchError as error:
            assert "kernel 'fill' was compiled for nvidia:" + name in str(error), error
        else:
            raise SystemExit("launched")
x = np.zeros(4, np.float32)
fill[(1,)](x, 4, BLOCK=256)
assert (x == 1).all()
try:
    triton.compile(source, target=GPUTarget("hip", "gfx942", 64))
except terrazzo.CompilationError as error:
    print(error)
""") == ("Terrazzo has no compiler for GPUTarget(backend='hip', arch='gfx942', warp_size=64): it compiles for the backends 'cuda' "
         "and 'cpu'\n")


def test_facts_are_of_the_code_that_most_launches_run():
    """Blocks of a cluster share a long product of few programs: that variant is ahead of the others, and rare."""
    assert run("""
import linecache
import terrazzo
terrazzo.install_as_triton()
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
text = '''@triton.jit
def product(a, b, c, K, N: tl.constexpr):
    rows, inner = tl.arange(0, 64), tl.arange(0, 64)
    sums = tl.zeros((64, 64), tl.float32)
    for k in range(0, K, 64):
        at = k + inner
        sums += tl.dot(tl.load(a + rows[:, None] * K + at, mask=at < K), tl.load(b + at[:, None] * N + rows, mask=at[:, None] < K))
    tl.store(c + rows[:, None] * N + rows, sums)
'''
linecache.cache["product.py"] = len(text), None, text.splitlines(True), "product.py"
exec(compile(text, "product.py", "exec"))
source = ASTSource(product, {"a": "*fp16", "b": "*fp16", "c": "*fp32", "K": "i32", "N": "constexpr"}, {"N": 64}, {(i,): [["tt.divisibility", 16]] for i in range(4)})
kernel = triton.compile(source, target=GPUTarget("cuda", 90, 32))
print("product_split" in kernel.asm["ptx"], kernel.inner.metadata.cluster_dims)
""") == "True (1, 1, 1)\n"
