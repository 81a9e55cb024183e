"""Checks in compiled kernels: the option `sanitize`, and what their reports become."""

import numpy
import pytest

import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl


@triton.jit
def scale(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at))


@triton.jit
def divide(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) / tl.load(x + at))


def test_bounds():
    x, out = numpy.ones(1000, numpy.float32), numpy.zeros(1024, numpy.float32)
    text = "bounds: load of element 1000 of 'x', which has elements 0 to 999"
    with pytest.raises(terrazzo.errors.DeviceAssertionError, match=text) as told:
        scale[(16,)](x, out, BLOCK=64, sanitize="bounds")
    assert told.value.file == __file__ and told.value.line == 14
    assert (out[:1000] == 2).all()  # what is inside was stored
    scale[(15,)](x, out, BLOCK=64, sanitize="bounds")


def test_views_of_one_array():
    # The memory is that of the array which it is a view of.
    whole = numpy.ones(128, numpy.float32)
    scale[(1,)](whole[:32], numpy.zeros(64, numpy.float32), BLOCK=64, sanitize="bounds")


def test_environment(monkeypatch):
    monkeypatch.setenv("TERRAZZO_SANITIZE", "nan")
    x, out = numpy.zeros(64, numpy.float32), numpy.zeros(64, numpy.float32)
    with pytest.raises(terrazzo.errors.DeviceAssertionError, match="nan: / gives nan from finite operands"):
        triton.jit(divide.fn)[(1,)](x, out, BLOCK=64)


def test_unknown():
    x = numpy.zeros(64, numpy.float32)
    with pytest.raises(terrazzo.errors.TerrazzoError, match="there is no check 'bonds'; did you mean 'bounds'"):
        scale[(1,)](x, x.copy(), BLOCK=64, sanitize="bonds")
