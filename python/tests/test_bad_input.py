"""What a user does wrong is an exception with a sentence that helps."""

import sys
import warnings

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo.errors import ArgumentError, CompilationError, LaunchError, TerrazzoError
from kernels import add_kernel, fill_kernel


@pytest.fixture
def given():
    return [np.zeros(1000, np.float32) for _ in range(3)] + [1000]


def test_missing_constexpr(given):
    with pytest.raises(TypeError, match=r"needs a value for 'BLOCK'; a constexpr may be given by keyword"):
        add_kernel[(8,)](*given)


def test_missing_arguments(given):
    with pytest.raises(TypeError, match=r"needs values for 'out', 'n'"):
        add_kernel[(8,)](*given[:2], BLOCK=128)


def test_too_many_arguments(given):
    with pytest.raises(TypeError, match="takes 5 arguments, 6 were given"):
        add_kernel[(8,)](*given, 128, 128)


def test_two_values_for_a_parameter(given):
    with pytest.raises(TypeError, match="two values for parameter 'x'"):
        add_kernel[(8,)](*given, 128, x=given[0])


def test_unknown_option(given):
    with pytest.raises(KeyError, match="unknown option 'num_warp'.*did you mean 'num_warps'") as caught:
        add_kernel[(8,)](*given, 128, num_warp=4)
    assert isinstance(caught.value, TerrazzoError)


def test_option_out_of_range(given):
    with pytest.raises(CompilationError, match="option 'num_warps' is -1"):
        add_kernel[(8,)](*given, 128, num_warps=-1)


def test_wrong_type_of_argument(given):
    given[3] = {}
    with pytest.raises(ArgumentError, match="argument 'n' of kernel 'add_kernel' is of type dict"):
        add_kernel[(8,)](*given, 128)


def test_array_for_a_constexpr(given):
    with pytest.raises(ArgumentError, match="argument 'BLOCK' .* is constexpr and cannot be an array"):
        add_kernel[(8,)](*given, given[0])


def test_elements_that_no_kernel_has(given):
    given[0] = given[0].astype(np.complex64)
    with pytest.raises(ArgumentError, match="argument 'x' of kernel 'add_kernel': no kernel has arrays of complex64"):
        add_kernel[(8,)](*given, 128)


def test_integer_beyond_64_bits(given):
    given[3] = 2**64
    with pytest.raises(ArgumentError, match="argument 'n' of kernel 'add_kernel': an integer does not fit 64 bits"):
        add_kernel[(8,)](*given, 128)


@pytest.mark.parametrize("grid, text", [
    ((1, 2, 3, 4), "has 4 dimensions; 1 to 3"),
    ((), "has 0 dimensions"),
    ((-1,), "dimension 0 of the grid of kernel 'add_kernel' is -1; it has 0 programs or more"),
    ((1, -(2**70)), "dimension 1 .* is -1180591620717411303424; it has 0 programs or more"),
    ((2**70,), "is 1180591620717411303424; it has at most"),
    (("8",), "found str"),
    (8.0, "found float"),
    (None, "found NoneType"),
    (lambda meta: None, "found NoneType"),
    ((2**40,), "grid"),
])
def test_wrong_grid(given, grid, text):
    with pytest.raises(LaunchError, match=text):
        add_kernel[grid](*given, 128)


def test_exception_of_a_grid_function(given):
    with pytest.raises(KeyError, match="BLOC"):
        add_kernel[lambda meta: (meta["BLOC"],)](*given, 128)


def test_call_without_grid(given):
    with pytest.raises(TerrazzoError, match=r"called without a grid: write add_kernel\[grid\]"):
        add_kernel(*given, 128)


def test_compile_error_has_the_kernels_line(given):
    with pytest.raises(CompilationError) as caught:
        add_kernel[(8,)](*given, BLOCK=100)
    error = caught.value
    assert error.file.endswith("kernels.py")
    line = open(error.file).read().split("\n")[error.line - 1]
    assert line[error.column - 1:].startswith("tl.arange(0, BLOCK)")
    assert "arange length must be a power of two, found 100" in str(error)
    assert line.strip() in str(error)


def test_jit_of_something_else():
    with pytest.raises(TypeError, match="decorates a function, found int"):
        terrazzo.jit(3)


def test_lambda():
    with pytest.raises(TerrazzoError, match=r"test_bad_input.py:\d+: a kernel is a function that 'def' defines, found"):
        terrazzo.jit(lambda x: x)[(1,)](1)


def test_option_beyond_64_bits(given):
    with pytest.raises(ArgumentError, match="launch option 'num_warps' of kernel 'add_kernel' does not fit 64 bits"):
        add_kernel[(8,)](*given, 128, num_warps=2**70)


def test_exception_of_an_argument(given):
    class Array:
        @property
        def __array_interface__(self):
            raise OSError("the disk is gone")

    given[1] = Array()
    with pytest.raises(OSError, match="the disk is gone") as caught:
        add_kernel[(8,)](*given, 128)
    assert getattr(caught.value, "__notes__", None) in (None, ["argument 'y' of kernel 'add_kernel'"])
    assert sys.version_info < (3, 11) or caught.value.__notes__


def test_what_does_not_fit():
    said = "k.py:7:5: error: the kernel needs 266240 bytes of shared memory, a block of this device has 232448; use smaller tiles\n"
    error = terrazzo.errors.from_status(34, "TZ_E_RESOURCE_LIMIT", "does not compile", None, None, said)
    assert isinstance(error, terrazzo.OutOfResources) and (error.required, error.limit) == (266240, 232448)
    assert error.line == 7 and error.name == "shared memory"
    error = terrazzo.errors.from_status(33, "TZ_E_UNSUPPORTED_OP", "does not compile", None, None, said)
    assert isinstance(error, CompilationError)


def test_function_without_init():
    broken = terrazzo.JITFunction.__new__(terrazzo.JITFunction)
    with pytest.raises(RuntimeError, match="__init__ was not called"):
        broken[(1,)](1)


def test_tuple_in_itself():
    out, inner = np.zeros(4, np.float32), []
    inner.append(inner)
    with pytest.raises((ArgumentError, RecursionError, TerrazzoError)):
        fill_kernel[(1,)](out, tuple(inner), 4)


def test_static_print_prints(capsys):
    @terrazzo.jit
    def says(out, N: tl.constexpr):
        tl.static_print("width", N)
        tl.store(out + tl.arange(0, N), 1.0)

    out = np.zeros(16, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        says[(1,)](out, 16)
        assert capsys.readouterr().out == "width 16\n" and (out == 1).all()
        says[(1,)](out, 16)  # compiled before
        says[(1,)](out, 8)
    assert capsys.readouterr().out == "width 8\n"
