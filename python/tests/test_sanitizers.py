"""Checks in compiled kernels: the option `sanitize`, and what their reports become."""

import os
import subprocess
import sys

import numpy
import pytest

import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo.runtime import unwritten


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
    assert told.value.file == __file__ and told.value.line == 19
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


def test_unwritten_array():
    x, out = numpy.empty(64, numpy.float32), numpy.zeros(64, numpy.float32)
    unwritten.forget(x)
    copy = x.copy()
    scale[(1,)](copy, out, BLOCK=64, sanitize="uninitialized")  # of a copy nothing is certain
    x[:40] = 1  # unseen, by the host
    text = "uninitialized: load of element 40 of 'x', which nothing has written; tile element (40), the first of 24 of 64"
    with pytest.raises(terrazzo.errors.DeviceAssertionError, match=text.replace("(", r"\(").replace(")", r"\)")):
        scale[(1,)](x, out, BLOCK=64, sanitize="uninitialized")
    x[41] = 1  # its word has another element, of which nothing is certain any more
    with pytest.raises(terrazzo.errors.DeviceAssertionError, match="element 42 of 'x'.* the first of 22"):
        scale[(1,)](x, out, BLOCK=64, sanitize="uninitialized")
    x[42:] = 1
    scale[(1,)](x, out, BLOCK=64, sanitize="uninitialized")


def test_kernels_write_unwritten_arrays():
    x, between, out = numpy.ones(64, numpy.float16), numpy.empty(64, numpy.float16), numpy.zeros(64, numpy.float16)
    unwritten.forget(between)
    scale[(2,)](x, between, BLOCK=16)  # without the check
    with pytest.raises(terrazzo.errors.DeviceAssertionError, match="element 32 of 'x'.* the first of 32 of 64"):
        scale[(1,)](between, out, BLOCK=64, sanitize="uninitialized")
    scale[(4,)](x, between, BLOCK=16, sanitize="uninitialized")
    scale[(1,)](between, out, BLOCK=64, sanitize="uninitialized")
    assert (out == 4).all()


PROGRAM = """
import torch
import terrazzo, terrazzo.triton as triton
import terrazzo.triton.language as tl
@triton.jit
def scale(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at))
def told(x):
    try:
        scale[(1,)](x, torch.zeros(64), BLOCK=64)
    except terrazzo.errors.DeviceAssertionError as error:
        return str(error).partition(";")[0].partition(": ")[2]
    return "nothing"
written = torch.ones(64)
for x in (torch.empty(64), torch.empty_like(written), written.new_empty(64), torch.empty_strided((8, 8), (1, 8)),
          torch.empty(64).fill_(1), torch.empty(64, out=torch.ones(64)), written.clone(), torch.empty(64).numpy()):
    print(told(x))
"""


def test_torch_empty(tmp_path):
    pytest.importorskip("torch")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run([sys.executable, program], env={**os.environ, "TERRAZZO_SANITIZE": "uninitialized"},
                          capture_output=True, text=True)
    assert not done.returncode, done.stderr
    text = "uninitialized: load of element 0 of 'x', which nothing has written"
    assert done.stdout.splitlines() == [text] * 4 + ["nothing"] * 3 + [text]
