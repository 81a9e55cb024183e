"""The checked mode on the CPU: accesses outside of arrays are named before they happen."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo.errors import KernelFault


@terrazzo.jit
def scale(x, out, n, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    if MASKED:
        tl.store(out + at, 2 * tl.load(x + at, mask=inside), mask=inside)
    else:
        tl.store(out + at, 2 * tl.load(x + at), mask=inside)


@terrazzo.jit
def scatter(out, places, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.load(places + at, mask=at < n, other=0), at.to(tl.float32), mask=at < n)


@terrazzo.jit
def add_up(out, place, value):
    tl.atomic_add(out + place, value)


@terrazzo.jit
def product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + m[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(out + m[:, None] * N + n[None, :], tl.dot(left, right))


@terrazzo.jit
def tiles(x, out, rows, columns, BLOCK: tl.constexpr):
    view = tl.make_block_ptr(x, (rows, columns), (columns, 1), (0, 0), (BLOCK, BLOCK), (1, 0))
    at = tl.arange(0, BLOCK)
    tl.store(out + at[:, None] * BLOCK + at[None, :], tl.load(view, boundary_check=(0, 1)))


@terrazzo.jit
def walk(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    at = x + tl.arange(0, BLOCK)
    for _ in range(n):
        total += tl.load(at)
        at += BLOCK
    tl.store(out + tl.arange(0, BLOCK), total)


def line_of(kernel, text):
    return next(kernel.starting_line_number + i for i, line in enumerate(kernel.raw_src) if text in line)


def fault(launch):
    with pytest.raises(KernelFault) as caught:
        launch()
    return caught.value


def test_right_kernels_run_as_ever():
    x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    scale[(16,)](x, out, 1000, BLOCK=64, MASKED=True, checked=True)
    assert (out == 2 * x).all()
    a, b = np.random.rand(32, 64).astype(np.float32), np.random.rand(64, 16).astype(np.float32)
    out = np.zeros((32, 16), np.float32)
    product[(1,)](a, b, out, M=32, N=16, K=64, checked=True)
    np.testing.assert_allclose(out, a @ b, rtol=1e-4)
    out = np.zeros(64, np.float32)
    walk[(1,)](x[:640], out, 10, BLOCK=64, checked=True)
    np.testing.assert_allclose(out, x[:640].reshape(10, 64).sum(0))
    out = np.full((32, 32), -1, np.float32)
    tiles[(1,)](x[:690], out, 30, 23, BLOCK=32, checked=True)
    assert (out[:30, :23] == x[:690].reshape(30, 23)).all() and not out[30:].any()


def test_a_missing_mask():
    x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    error = fault(lambda: scale[(16,)](x, out, 1000, BLOCK=64, MASKED=False, checked=True))
    assert (error.file, error.line) == (__file__, line_of(scale, "tl.load(x + at), mask"))
    assert error.program == (15, 0, 0)
    assert "kernel 'scale' reads element 1000 of 'x', which has elements 0 to 999 (4000 bytes)" in str(error)
    assert "nothing was accessed there" in str(error)
    assert (out[960:] == 0).all()


def test_a_part_of_an_array_may_touch_all_of_it():
    memory = np.zeros(1100, np.float32)
    part = memory[50:1050]
    scale[(16,)](part, np.zeros(1000, np.float32), 1000, BLOCK=64, MASKED=False, checked=True)
    error = fault(lambda: scale[(32,)](part, np.zeros(2048, np.float32), 2048, BLOCK=64, MASKED=False, checked=True))
    assert "element 1050 of 'x', which has elements -50 to 1049" in str(error)


@pytest.mark.parametrize("place", [-1, 100, 1 << 30])
def test_scattered_stores(place):
    out, places = np.zeros(100, np.float32), np.arange(64, dtype=np.int64)
    scatter[(1,)](out, places, 64, BLOCK=64, checked=True)
    assert (out[:64] == np.arange(64)).all()
    places[17] = place
    error = fault(lambda: scatter[(1,)](out, places, 64, BLOCK=64, checked=True))
    assert f"kernel 'scatter' writes element {place} of 'out', which has elements 0 to 99" in str(error)
    # Lanes that are masked off may point anywhere.
    scatter[(1,)](out, places, 17, BLOCK=64, checked=True)


def test_atomics():
    out = np.zeros(8, np.int32)
    add_up[(5,)](out, 7, 1, checked=True)
    assert out[7] == 5
    assert "updates element 8 of 'out'" in str(fault(lambda: add_up[(1,)](out, 8, 1, checked=True)))


def test_operands_of_products():
    a, b, out = (np.ones(n, np.float32) for n in (32 * 64, 64 * 16 - 1, 32 * 16))
    error = fault(lambda: product[(1,)](a, b, out, M=32, N=16, K=64, checked=True))
    assert "reads element 1023 of 'b', which has elements 0 to 1022" in str(error)
    assert error.line == line_of(product, "tl.load(b")


def test_views_whose_shape_is_too_large():
    x = np.ones(30 * 23 - 1, np.float32)
    error = fault(lambda: tiles[(1,)](x, np.zeros(1024, np.float32), 30, 23, BLOCK=32, checked=True))
    assert "reads element 689 of 'x'" in str(error)


def test_pointers_that_walk():
    x = np.ones(64 * 10 - 3, np.float32)
    error = fault(lambda: walk[(1,)](x, np.zeros(64, np.float32), 10, BLOCK=64, checked=True))
    assert "reads element 637 of 'x'" in str(error) and error.line == line_of(walk, "total += ")


def test_the_variable():
    made = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import sys
        sys.path.insert(0, sys.argv[1])
        import numpy as np
        import test_checked as t
        try:
            t.scale[(16,)](np.ones(1000, np.float32), np.zeros(1000, np.float32), 1000, BLOCK=64, MASKED=False)
        except t.KernelFault as error:
            print(error)
        # An option wins, and other targets pass over it.
        t.scale[(16,)](np.ones(1024, np.float32), np.zeros(1000, np.float32), 1000, BLOCK=64, MASKED=False, checked=False)
    """), os.path.dirname(__file__)], capture_output=True, text=True, env={**os.environ, "TERRAZZO_CHECKED": "1"})
    assert made.returncode == 0, made.stderr
    assert "reads element 1000 of 'x'" in made.stdout


def test_a_wrong_variable():
    made = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import sys
        sys.path.insert(0, sys.argv[1])
        import numpy as np
        import test_checked as t
        t.add_up[(1,)](np.zeros(8, np.int32), 0, 1)
    """), os.path.dirname(__file__)], capture_output=True, text=True, env={**os.environ, "TERRAZZO_CHECKED": "maybe"})
    assert made.returncode == 1 and "TERRAZZO_CHECKED is 'maybe'; it is 0 or 1" in made.stderr
