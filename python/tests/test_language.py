"""The language's names as objects of the host."""

import inspect
import pickle
import subprocess
import sys

import pytest
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo.triton.language.functions import KernelFunction


def test_names_are_there():
    for name in ("load", "store", "dot", "arange", "program_id", "sum", "max", "where", "zeros", "make_block_ptr"):
        assert isinstance(getattr(tl, name), KernelFunction)
    assert tl.extra.libdevice.tanh.__terrazzo__ == "triton.language.extra.libdevice.tanh"
    assert tl.math.exp.__name__ == "exp" and tl.standard._log2(64) == 6
    assert tl.core.PropagateNan.ALL == 0xFFFF
    assert tl.core.CONSTEXPR_0 == 0


def test_every_function_has_a_signature():
    functions = [f for module in (tl, tl.math, tl.extra.libdevice) for f in vars(module).values()
                 if isinstance(f, KernelFunction)]
    assert len(functions) > 300
    for function in functions:
        assert inspect.signature(function) is not None
    assert list(inspect.signature(tl.load).parameters)[:3] == ["pointer", "mask", "other"]
    assert inspect.signature(tl.rand).parameters["n_rounds"].default == 10


def test_a_call_on_the_host_says_what_to_do():
    with pytest.raises(ValueError, match=r"tl\.load works only inside a kernel"):
        tl.load(1)
    with pytest.raises(RuntimeError, match="drives loops inside a kernel"):
        tl.static_range(3)
    assert {"num_stages", "loop_unroll_factor", "disallow_acc_multi_buffer", "flatten", "warp_specialize"} < \
        set(inspect.signature(tl.range).parameters)
    with pytest.raises(TypeError, match="exists only inside a kernel"):
        tl.tensor()


@pytest.mark.parametrize("name,text,bits,signature", [
    ("float16", "fp16", 16, "fp16"), ("bfloat16", "bf16", 16, "bf16"), ("int1", "int1", 1, "u1"),
    ("uint64", "uint64", 64, "u64"), ("float8e4nv", "fp8e4nv", 8, "fp8e4nv"), ("int32", "int32", 32, "i32"),
])
def test_dtypes(name, text, bits, signature):
    dtype = getattr(tl, name)
    assert str(dtype) == text and repr(dtype) == "triton.language." + name and dtype.primitive_bitwidth == bits
    assert tl.dtype(text) == dtype and hash(tl.dtype(text)) == hash(dtype) and pickle.loads(pickle.dumps(dtype)) == dtype
    assert tl.str_to_ty(signature) == dtype and dtype.__terrazzo__ == "tl." + name


def test_questions_of_dtypes():
    assert tl.float32.is_floating() and tl.float32.is_standard_floating() and not tl.float8e5.is_standard_floating()
    assert tl.int8.is_int_signed() and tl.int8.get_int_min_value() == -128 and tl.uint8.get_int_max_value() == 255
    assert tl.float8e5.is_fp8() and tl.bfloat16.is_bf16() and not tl.int1.is_int_signed() and tl.int1.is_bool()
    pointer = tl.pointer_type(tl.float16, const=True)
    assert pointer.is_ptr() and pointer.is_const() and pointer.element_ty is tl.float16
    assert pointer == tl.str_to_ty("*kfp16") and pointer != tl.pointer_type(tl.float16)
    block = tl.block_type(tl.float32, [64, 32])
    assert block.shape == (64, 32) and block.scalar is tl.float32 and block.numel == 2048 and block.is_block()


def test_a_type_that_is_none():
    with pytest.raises(ValueError, match="no dtype is called 'fp17'; there are void, int1"):
        tl.dtype("fp17")
    with pytest.raises(ValueError, match="no type is written 'float3'"):
        tl.str_to_ty("float3")
    with pytest.raises(TypeError, match="element_ty must be a dtype"):
        tl.pointer_type(3)


def test_constexpr_computes_as_its_value():
    c = tl.constexpr(12)
    assert (c + 1).value == 13 and (25 - c).value == 13 and (c // 5).value == 2 and (-c).value == -12
    assert c == 12 and c != 13 and c > 11 and bool(c) and hash(c) == hash(tl.constexpr(12))
    assert list(range(100))[c] == 12 and int(c) == 12 and float(c) == 12.0
    assert repr(tl.constexpr(c)) == "constexpr[12]" and tl.constexpr(c).value == 12
    assert tl.constexpr("ab")[0] == "a"


def test_helpers_of_the_host():
    assert triton.cdiv(7, 2) == 4 and triton.cdiv(tl.constexpr(8), 4) == 2
    assert [triton.next_power_of_2(n) for n in (1, 2, 3, 1000, 1024)] == [1, 2, 4, 1024, 1024]

    @triton.constexpr_function
    def doubled(n):
        return 2 * n

    assert doubled(tl.constexpr(4)) == 8 and doubled.__name__ == "doubled"
    with pytest.raises(ValueError, match=r"shape\[1\] must be a power of 2, not 3"):
        tl.core.validate_block_shape([2, 3])


def test_import_loads_little():
    """What only some calls need is imported by them: the import is a program's first wait."""
    heavy = ["concurrent.futures", "decimal", "hashlib", "json", "numpy", "shutil", "statistics", "subprocess", "textwrap", "uuid"]
    found = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path = {sys.path!r}; before = set(sys.modules); "
                            f"import terrazzo.triton.language; print(*sorted(set({heavy!r}) & set(sys.modules) - before))"],
                           capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


LAUNCH = """
import sys
import numpy as np
import terrazzo
import terrazzo.triton.language as tl

@terrazzo.jit
def kernel(x):
    tl.store(x, 1.0)

before = set(sys.modules)
kernel[(1,)](np.zeros(1, np.float32))
print(*(name for name in sys.modules if name not in before and not name.startswith("terrazzo.")))
"""


def test_first_launch_loads_little(tmp_path):
    """Names of stages and settings that do nothing cost a launch nothing."""
    program = tmp_path / "program.py"
    program.write_text(LAUNCH)
    assert subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True).stdout.split() == []


COMBINING = """
import sys
import numpy as np
import terrazzo
terrazzo.install_as_triton()
import triton
import triton.language as tl
from triton.language.standard import _argmax_combine_tie_break_left, _argmin_combine, sort_impl

@triton.jit
def smallest(v, i, w, j):
    return _argmin_combine(v, i, w, j, True)

@triton.jit
def kernel(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(out, tl.reduce(v, 0, tl.standard._sum_combine))
    tl.store(out + 1, tl.reduce(v, 0, tl.standard._elementwise_max))
    tl.store(out + 2, tl.reduce(v, 0, tl.standard._elementwise_min))
    best, where = tl.reduce((v, i), 0, _argmax_combine_tie_break_left)
    tl.store(out + 3, where)
    best, where = tl.reduce((v, i), 0, smallest)
    tl.store(out + 4, where)
    tl.store(out + 5 + i, sort_impl(v, descending=True))
    tl.store(out + 5 + N + tl.arange(0, 4), sort_impl(v, 4))
    tl.store(out + 9 + N + i, tl.associative_scan(v, 0, tl.standard._sum_combine))

x = np.array([3, 7, -2, 7, 5, -2, 0, 1], np.int32)
out = np.zeros(9 + 2 * 8, np.int32)
kernel[(1,)](x, out, N=8)
print(*out)
"""


def test_functions_that_kernels_of_others_combine_with(tmp_path):
    program = tmp_path / "program.py"  # a kernel's text is read from a file
    program.write_text(COMBINING)
    found = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == ("19 7 -2 1 2 " "7 7 5 3 1 0 -2 -2 " "-2 -2 0 1 " "3 10 8 15 20 18 18 19").split()
