"""Kernels that get one array for two parameters read what was there before they wrote it."""

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl


@terrazzo.jit
def rows_kernel(x, out, weights, total, rows, N: tl.constexpr):
    at = tl.arange(0, N)
    sums = tl.zeros((N,), tl.float32)
    for row in range(rows):
        values = tl.load(x + row * N + at)
        sums += values
        tl.store(out + row * N + at, values * tl.sum(values * tl.load(weights + at), 0))
    tl.store(total + at, sums)


@pytest.mark.parametrize("in_place", [False, True])
def test_rows(in_place):
    rng = np.random.default_rng(1)
    x, weights = rng.random((4, 512), np.float32), rng.random(512, np.float32)
    expected, sums = x * (x @ weights)[:, None], x.sum(0)
    out, total = x if in_place else np.zeros_like(x), np.zeros_like(weights)
    rows_kernel[(1,)](x, out, weights, total, 4, N=512)
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    np.testing.assert_allclose(total, sums, rtol=1e-5)
