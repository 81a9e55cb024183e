"""Names that only the running program knows reach the compiler as they are when a kernel is first compiled."""

import enum
import linecache
import types
from typing import NamedTuple

import numpy as np
import pytest

import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo.errors import ChangedGlobal, CompilationError

FACTOR = tl.constexpr(3)
PLAIN = 5
CHANGING = tl.constexpr(1)


def run(kernel, *args, size=8, dtype=np.float32, **more):
    out = np.zeros(size, dtype)
    kernel[(1,)](out, *args, **more)
    return out


@terrazzo.jit
def twice(x):
    return x * 2


def test_global_constexpr():

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), tl.arange(0, 8) * FACTOR)

    assert run(kernel).tolist() == [0, 3, 6, 9, 12, 15, 18, 21]


def test_plain_global_is_refused(monkeypatch):

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), PLAIN)

    with pytest.raises(CompilationError, match="global 'PLAIN' is not a constexpr"):
        run(kernel)
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")

    @terrazzo.jit
    def again(out):
        tl.store(out + tl.arange(0, 8), PLAIN)

    assert (run(again) == 5).all()


def make_kernel(offset, function):

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), function(tl.arange(0, 8)) + offset)

    return kernel


def test_closures_of_one_text():
    add_one = make_kernel(tl.constexpr(1), twice)

    @terrazzo.jit
    def square(x):
        return x * x

    add_ten = make_kernel(tl.constexpr(10), square)
    assert run(add_one).tolist() == [2 * i + 1 for i in range(8)]
    assert run(add_ten).tolist() == [i * i + 10 for i in range(8)]


def test_changed_global_raises():

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), CHANGING)

    global CHANGING
    assert (run(kernel) == 1).all()
    CHANGING = tl.constexpr(1)  # an equal value is no change
    assert (run(kernel) == 1).all()
    CHANGING = tl.constexpr(2)
    try:
        with pytest.raises(ChangedGlobal, match="'CHANGING', which kernel 'kernel' reads, was .*1.* is .*2.* now"):
            run(kernel)
    finally:
        CHANGING = tl.constexpr(1)
    assert (run(kernel) == 1).all()


def test_name_that_a_helper_reads_is_watched(monkeypatch):
    module = types.ModuleType("helpers_of_test")
    exec_text(module, "SCALE = tl.constexpr(4)\n\n@terrazzo.jit\ndef scale(x):\n    return x * SCALE\n")

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), module.scale(tl.arange(0, 8)))

    assert run(kernel)[1] == 4
    monkeypatch.setattr(module, "SCALE", tl.constexpr(6))
    with pytest.raises(ChangedGlobal, match="SCALE"):
        run(kernel)


def exec_text(module, text):
    """As notebooks do it: the text is in linecache and in no file."""
    name = f"<cell {module.__name__}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module.__dict__.update(tl=tl, terrazzo=terrazzo)
    exec(compile(text, name, "exec"), module.__dict__)


def test_function_made_by_exec():
    module = types.ModuleType("cell_1")
    exec_text(module, "\n\n@terrazzo.jit\ndef kernel(out, N: tl.constexpr):\n    tl.store(out + tl.arange(0, N), N)\n")
    assert (run(module.kernel, 8) == 8).all()
    with pytest.raises(CompilationError) as caught:
        run(module.kernel, 7)
    assert (caught.value.file, caught.value.line) == ("<cell cell_1>", 5)
    assert "tl.store(out + tl.arange(0, N), N)" in str(caught.value)


def test_function_without_text():
    namespace = {"tl": tl, "terrazzo": terrazzo}
    exec("@terrazzo.jit\ndef kernel(out):\n    tl.store(out, 1)\n", namespace)
    with pytest.raises(terrazzo.TerrazzoError, match="source of kernel 'kernel' cannot be read.*linecache"):
        run(namespace["kernel"])


def test_text_is_that_of_the_definition(tmp_path):
    path = tmp_path / "edited.py"
    text = "import terrazzo\nimport terrazzo.triton.language as tl\n\n\n@terrazzo.jit\ndef kernel(out):\n" \
           "    tl.store(out + tl.arange(0, 8), 1)\n"
    path.write_text(text)
    namespace = {}
    exec(compile(text, str(path), "exec"), namespace)
    path.write_text(text.replace("8), 1)", "8), 2)"))
    linecache.checkcache(str(path))
    assert (run(namespace["kernel"]) == 1).all()


def test_indented_text_keeps_its_columns():
    if True:

        @terrazzo.jit
        def kernel(out):
            tl.store(out + tl.arange(0, 7), 1)

    with pytest.raises(CompilationError) as caught:
        run(kernel)
    with open(__file__) as file:
        line = file.read().split("\n")[caught.value.line - 1]
    assert line[caught.value.column - 1:].startswith("tl.arange(0, 7)")


def test_monkeypatched_helper(monkeypatch):
    import kernels

    @terrazzo.jit
    def thrice(x):
        return x * 3

    monkeypatch.setattr(kernels, "helper", thrice, raising=False)

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), kernels.helper(tl.arange(0, 8)))

    assert run(kernel)[2] == 6


def test_ordinary_function_is_called_with_constants():

    def pages(n, size=4):
        return {"count": -(-n // size)}["count"]

    @terrazzo.jit
    def kernel(out, N: tl.constexpr):
        count: tl.constexpr = pages(N, size=2)
        tl.store(out + tl.arange(0, 8), count)

    assert (run(kernel, 7) == 4).all()


def test_ordinary_function_with_a_tile():

    def wrong(x):
        return x

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), wrong(tl.arange(0, 8)))

    with pytest.raises(CompilationError, match="'wrong' is an ordinary Python function"):
        run(kernel)


def test_ordinary_function_that_raises():

    def broken(n):
        raise LookupError(f"no page {n}")

    @terrazzo.jit
    def kernel(out):
        tl.store(out, broken(3))

    with pytest.raises(CompilationError, match="'broken' failed: LookupError: no page 3") as caught:
        run(kernel)
    assert caught.value.line


def test_constexpr_function():

    @triton.constexpr_function
    def log2(n):
        return n.bit_length() - 1

    @terrazzo.jit
    def kernel(out, N: tl.constexpr):
        tl.store(out + tl.arange(0, N), tl.full((N,), log2(N), tl.float32))

    assert (run(kernel, 8) == 3).all()
    assert log2(16) == 4


@triton.constexpr_function
def element_of(x):
    if isinstance(x, tl.tensor):
        return x.dtype.element_ty if x.dtype.is_ptr() else x.dtype
    return x.dtype if isinstance(x, tl.tensor_descriptor) else None


def test_constexpr_function_asks_types():

    @triton.constexpr_function
    def of_block(x, n):
        assert not hasattr(x, "sum") and hash(x) and x.type == tl.block_type(tl.float32, [4, 8])
        return x.shape[0].value * x.shape[1] + x.numel + (n.type == tl.int32)

    @triton.constexpr_function
    def of_descriptor(table):
        assert table.type.block_type == table.block_type == tl.block_type(tl.float16, [4, 8])
        assert list(table.block_shape) == [4, 8] and table.base.dtype.element_ty == tl.float16
        return len(table.shape) * 10 + len(table.strides)

    @terrazzo.jit
    def kernel(out, table, n):
        tl.static_assert(element_of(out) == tl.float32)
        tl.static_assert(element_of(out + tl.arange(0, 4)) == tl.float32)
        tl.static_assert(element_of(table) == tl.float16)
        tl.static_assert(element_of(n) == tl.int32 and element_of(3) is None)
        block = table.load([0, 0]).to(tl.float32)
        tl.store(out + tl.arange(0, 8), of_block(block, n=n) * 100 + of_descriptor(table))

    assert run(kernel, terrazzo.TensorDescriptor.from_tensor(np.zeros((4, 8), np.float16), [4, 8]), 5)[0] == 6522


def test_constexpr_function_gives_arguments_back():

    @triton.constexpr_function
    def chosen(first, a, b):
        return (a, 3.0) if first else (b, 5.0)

    @triton.constexpr_function
    def rows_of(table):
        return table.shape[0]

    @terrazzo.jit
    def kernel(out, table, FIRST: tl.constexpr):
        value, more = chosen(FIRST, tl.arange(0, 8), out)
        if FIRST:
            tl.store(out + value, value + more)
        else:
            tl.store(value + tl.arange(0, 8), more + rows_of(table))

    table = terrazzo.TensorDescriptor.from_tensor(np.zeros((16, 8), np.float16), [4, 8])
    assert run(kernel, table, FIRST=True).tolist() == [3, 4, 5, 6, 7, 8, 9, 10]
    assert run(kernel, table, FIRST=False).tolist() == [21] * 8


@pytest.mark.parametrize("compute, name", [(lambda x: x + 1, "add"), (lambda x: 2 * x, "rmul"), (lambda x: bool(x), "bool"),
                                           (lambda x: x[0], "getitem"), (lambda x: x == 3, "eq"), (lambda x: [*x], "iter")])
def test_constexpr_function_that_computes(compute, name):
    function = triton.constexpr_function(compute)

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), function(tl.arange(0, 8)))

    with pytest.raises(CompilationError, match=rf"__{name}__ of run-time value <\[8\], int32>, which has no value before the "
                       "kernel runs: a constexpr_function may ask its type, dtype, shape and numel"):
        run(kernel)


def test_a_stand_in_is_of_its_call():
    kept = []

    @triton.constexpr_function
    def keeps(x):
        kept.append(x)
        return kept[0]

    @terrazzo.jit
    def kernel(out):
        a = keeps(tl.arange(0, 8))
        tl.store(out + keeps(a * 0), a)

    with pytest.raises(CompilationError):
        run(kernel)


def test_attributes_of_descriptors():

    @terrazzo.jit
    def kernel(out, table, MADE: tl.constexpr):
        view = tl.make_tensor_descriptor(table.base, table.shape, table.strides, table.block_shape) if MADE else table
        tl.static_assert(view.dtype == tl.float32 and view.block_type.nbytes == 64 and view.type.block_type.shape[1] == 8)
        tl.static_assert(view.base.dtype.element_ty == tl.float32 and len(view.shape) == 2)
        tl.store(out + tl.arange(0, 8), tl.load(view.base + view.strides[0] * (view.shape[0] - 1) + tl.arange(0, 8)))

    x = np.arange(32, dtype=np.float32).reshape(4, 8)
    table = terrazzo.TensorDescriptor.from_tensor(x, [2, 8])
    for made in (False, True):
        assert run(kernel, table, MADE=made).tolist() == x[3].tolist()


def test_default_is_that_of_the_definition():
    kernels = []
    for step in (2, 3):

        @terrazzo.jit
        def kernel(out, STEP: tl.constexpr = step):
            tl.store(out + tl.arange(0, 8), tl.arange(0, 8) * STEP)

        kernels.append(kernel)

    @terrazzo.jit
    def helper(x, by=step):
        return x + by

    @terrazzo.jit
    def calls(out):
        tl.store(out + tl.arange(0, 8), helper(tl.arange(0, 8)))

    assert [run(k)[1] for k in kernels] == [2, 3]
    assert run(calls)[1] == 4


def test_jit_function_as_argument():

    @terrazzo.jit
    def apply(out, function: tl.constexpr):
        tl.store(out + tl.arange(0, 8), function(tl.arange(0, 8)))

    @terrazzo.jit
    def negative(x):
        return -x

    assert run(apply, twice)[3] == 6
    assert run(apply, negative)[3] == -3
    assert run(apply, function=twice)[3] == 6


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "uint8", "float64"])
def test_dtype_as_argument(dtype):

    @terrazzo.jit
    def kernel(out, D: tl.constexpr):
        tl.store(out + tl.arange(0, 8), (tl.arange(0, 8) + 250).to(D).to(tl.float32))

    expected = (np.arange(8) + 250).astype(dtype).astype(np.float32)
    np.testing.assert_array_equal(run(kernel, getattr(tl, dtype)), expected)


class Mode(enum.Enum):
    ADD = 1
    MULTIPLY = 2


class Level(enum.IntEnum):
    LOW = 3


def test_enumerations():

    @terrazzo.jit
    def kernel(out, mode: tl.constexpr, level: tl.constexpr):
        x = tl.arange(0, 8)
        if mode == Mode.ADD:
            x = x + level
        else:
            x = x * level
        tl.store(out + tl.arange(0, 8), x)

    assert run(kernel, Mode.ADD, Level.LOW)[2] == 5
    assert run(kernel, Mode.MULTIPLY, Level.LOW)[2] == 6


class Pair(NamedTuple):
    left: int
    right: int


def test_named_tuples():

    @terrazzo.jit
    def kernel(out, pair, fixed: tl.constexpr):
        made = Pair(pair.left, fixed.right)
        tl.store(out + tl.arange(0, 8), made.left * 10 + made.right)

    assert (run(kernel, Pair(2, 9), Pair(1, 4)) == 24).all()


def test_strings_that_read_like_something_else():

    @terrazzo.jit
    def kernel(out, text: tl.constexpr):
        if text == "fp16":
            tl.store(out, 1)
        elif text == 'a "b" \\':
            tl.store(out, 2)
        elif text == "":
            tl.store(out, 3)
        else:
            tl.store(out, 4)

    assert [run(kernel, t)[0] for t in ("fp16", 'a "b" \\', "", "kernel")] == [1, 2, 3, 4]


def test_unknown_name_has_a_suggestion():

    @terrazzo.jit
    def kernel(out):
        tl.store(out, aragne(0, 8))

    with pytest.raises(CompilationError, match="name 'aragne' is not defined"):
        run(kernel)


@pytest.mark.parametrize("text, line, column, message", [
    ("def helper(x)\n    return x\n", 0, 14, "expected ':' after the 'def' line"),
    ("def helper(x):\n    return x * (2 +\n", 1, 16, "bracket is never closed"),
    ("def helper(x):\n    y = 3\n    return y *\n", 2, 15, "expected an expression"),
    ("    def helper(x):\n        return x *\n", 1, 19, "expected an expression"),
])
def test_mistake_of_a_helpers_own_text(text, line, column, message):

    @terrazzo.jit
    def helper(x):
        return x

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 8), helper(tl.arange(0, 8)))

    helper.src = text
    for _ in range(2):
        with pytest.raises(CompilationError, match=message) as caught:
            run(kernel)
        assert (caught.value.file, caught.value.line - helper.starting_line_number, caught.value.column) == (__file__, line, column)
        assert text.splitlines()[line].strip() in str(caught.value) and str(caught.value).count("error:") == 1


def test_object_of_the_program_is_refused():
    things = {"a": object()}

    @terrazzo.jit
    def kernel(out):
        tl.store(out, things)

    with pytest.raises(CompilationError, match="no value that is known at compile time") as caught:
        run(kernel)
    assert "it is a dict of the program" in str(caught.value)


def test_changed_source():

    @terrazzo.jit
    def kernel(out):
        tl.store(out, 1)

    kernel.src = "def kernel(out):\n    tl.store(out, 7)\n"
    assert run(kernel)[0] == 7
    assert kernel.src.endswith("7)\n")


def test_do_not_specialize():

    @terrazzo.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=["m"])
    def kernel(out, n, m):
        tl.store(out, n + m)

    assert run(kernel, 1, 16)[0] == 17
    assert [p.do_not_specialize for p in kernel.params] == [False, True, False]
    assert [p.do_not_specialize_on_alignment for p in kernel.params] == [False, False, True]
