"""Launching on host memory with NumPy: arguments, grids, options."""

import copy
import pickle

import numpy as np
import pytest

import terrazzo
from terrazzo import errors
from kernels import add_kernel, fill_kernel, scale_kernel, warps_kernel


def arrays(n=1000):
    rng = np.random.default_rng(1)
    x, y = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    return x, y, np.zeros_like(x)


def test_adds():
    x, y, out = arrays()
    add_kernel[(8,)](x, y, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, x + y)


@pytest.mark.parametrize("grid", [8, (8,), [8], (8, 1), (8, 1, 1), lambda meta: (-(-meta["n"] // meta["BLOCK"]),),
                                  lambda meta: 8, (np.int64(8),)])
def test_grids(grid):
    x, y, out = arrays()
    add_kernel[grid](x, y, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, x + y)


def test_positional_and_keyword_arguments():
    x, y, out = arrays()
    add_kernel[(8,)](x, y, out, 1000, 128)
    np.testing.assert_array_equal(out, x + y)
    out[:] = 0
    add_kernel[(8,)](BLOCK=128, n=1000, out=out, y=y, x=x)
    np.testing.assert_array_equal(out, x + y)
    names = "".join(["n", "um_", "warps"])  # not interned
    add_kernel[(8,)](x, y, out, 1000, 128, **{names: 8})


def test_default_of_a_parameter():
    x, _, out = arrays()
    scale_kernel[(8,)](x, out, 1000, BLOCK=128)
    np.testing.assert_array_equal(out, x * np.float32(2))
    scale_kernel[(8,)](x, out, 1000, 3.0, BLOCK=128)
    np.testing.assert_array_equal(out, x * np.float32(3))


def test_empty_grid_launches_nothing():
    x, y, out = arrays()
    add_kernel[(0,)](x, y, out, 1000, BLOCK=128)
    assert not out.any()


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                   "float16", "float32", "float64"])
def test_element_types(dtype):
    out = np.zeros(64, dtype)
    fill_kernel[(1,)](out, 1, 64)
    assert (out == 1).all()


@pytest.mark.parametrize("value", [7, -7, 2**40, -(2**40), 2**63 + 5, True, 1.5, np.int32(9), np.float32(2.5)])
def test_scalars(value):
    out = np.zeros(64, np.uint64 if isinstance(value, int) and value >= 2**63 else np.float64)
    fill_kernel[(1,)](out, value, 64)
    assert (out == value).all()


def test_run_and_warmup():
    x, y, out = arrays()
    add_kernel.warmup(x, y, out, 1000, BLOCK=256, grid=(4,))
    assert not out.any()
    add_kernel.run(x, y, out, 1000, grid=(4,), BLOCK=256)
    np.testing.assert_array_equal(out, x + y)


def test_options():
    x, y, out = arrays()
    add_kernel[(8,)](x, y, out, 1000, BLOCK=128, num_warps=8, num_stages=2)
    np.testing.assert_array_equal(out, x + y)


def test_a_parameter_of_an_options_name_is_the_option_too():
    out = np.zeros(64, np.int32)
    code = warps_kernel[(1,)](out, BLOCK=64, num_warps=8)
    assert (out == 8).all() and code.metadata.num_warps == 8
    assert warps_kernel[(1,)](out, BLOCK=64, num_warps=2).metadata.num_warps == 2 and (out == 2).all()
    # By its place it is the parameter alone.
    assert warps_kernel[(1,)](out, 64, 8).metadata.num_warps == 4 and (out == 8).all()


def test_facts_of_a_function():
    assert add_kernel.__name__ == "add_kernel"
    assert add_kernel.arg_names == ["x", "y", "out", "n", "BLOCK"]
    assert [p.is_constexpr for p in add_kernel.params] == [False] * 4 + [True]
    assert add_kernel.src.startswith("def add_kernel(")
    assert "add_kernel" in repr(add_kernel)


def test_version():
    assert terrazzo.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'jitt'"):
        terrazzo.jitt
    assert "jit" in dir(terrazzo)


def test_errors_are_one_family():
    for name in ("CompilationError", "OutOfResources", "LaunchError", "ArgumentError"):
        assert issubclass(getattr(errors, name), terrazzo.TerrazzoError)


def test_copies_and_pickles_as_a_function_does():
    assert copy.deepcopy([add_kernel])[0] is add_kernel
    assert pickle.loads(pickle.dumps(add_kernel)) is add_kernel


def test_dtypes_as_constants():
    """They are kept once they were seen: another must not be taken for them."""
    import terrazzo.triton.language as tl

    @terrazzo.jit
    def rounds(x, out, T: tl.constexpr):
        tl.store(out, tl.load(x).to(T).to(tl.float32))

    x, out = np.full(1, 1 + 2**-9, np.float32), np.zeros(1, np.float32)
    for _ in range(3):
        for dtype, expected in ((tl.float32, x[0]), (tl.float16, x[0]), (tl.bfloat16, 1.0), (tl.constexpr(tl.float32), x[0])):
            rounds[(1,)](x, out, dtype)
            assert out[0] == expected


def test_libraries_of_functions_that_the_language_has():
    x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    add_kernel[(1,)](x, x, out, 256, BLOCK=256, extern_libs={"libdevice": "/nowhere/libdevice.10.bc"})
    assert (out == 2).all()
