"""What third-party kernels rely on, run on the CPU."""

import numpy as np
import pytest
import terrazzo
import terrazzo.triton.language as tl
from terrazzo.errors import CompilationError


@terrazzo.jit
def lists_are_tuples(x, N: tl.constexpr):
    t = tl.expand_dims(tl.arange(0, N), 0)
    tl.static_assert(t.shape == [1, N])
    tl.static_assert(t.shape == (1, N))
    tl.static_assert([(1, N), 2] == ([1, N], 2))
    tl.static_assert(t.shape != [N, 1])
    tl.store(x, 1)


@terrazzo.jit
def guarded(x):
    if hasattr(x, "dtype") and isinstance(x.dtype, tl.pointer_type) and tl.load(x + tl.arange(0, 1)) > 42:
        tl.store(x, 42)
    tl.static_assert(not hasattr(x, "no_such_name") and hasattr(x.dtype, "element_ty") and not hasattr(tl.int32, "element_ty"))
    tl.static_assert(isinstance(tl.block_type(tl.int32, [4]), tl.block_type) and not isinstance(tl.int32, tl.pointer_type))


@terrazzo.jit
def shift_right(x, y, out, N: tl.constexpr):
    at = tl.arange(0, N)
    z = tl.load(x + at) >> tl.load(y + at)
    tl.static_assert(z.dtype == tl.uint32)
    tl.store(out + at, z)


@terrazzo.jit
def int8_dot(x, out, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.dot(tl.load(x + at), tl.load(x + at), out_dtype=tl.int8))


@terrazzo.jit
def chosen_descriptor(x, y, M, N, BM: tl.constexpr, BN: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    n = 0
    while n < N:
        if n % (2 * BN) == 0:
            desc = tl.make_tensor_descriptor(y, [M, N], [N, 1], [BM, BN])
        else:
            desc = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
        desc.store([0, n], desc.load([0, n]) + 1)
        n += BN


def test_lists_are_tuples():
    x = np.zeros(1, np.int32)
    lists_are_tuples[(1,)](x, 8)
    assert x[0] == 1


@pytest.mark.parametrize("before,after", [(43, 42), (41, 41)])
def test_a_tile_of_one_element_is_a_condition(before, after):
    x = np.full(1, before, np.int32)
    guarded[(1,)](x)
    assert x[0] == after


def test_a_signed_value_is_shifted_with_its_sign():
    x = np.array([-128, -1, 64, 127], np.int8)
    y = np.array([1, 31, 2, 0], np.uint32)
    out = np.zeros(4, np.uint32)
    shift_right[(1,)](x, y, out, 4)
    np.testing.assert_array_equal(out, (x.astype(np.int32) >> y.astype(np.int32)).astype(np.uint32))


def test_a_dot_of_int8_is_int32_whatever_is_asked():
    x = np.arange(256, dtype=np.int64).reshape(16, 16).astype(np.int8)
    out = np.zeros((16, 16), np.int32)
    int8_dot[(1,)](x, out, 16)
    np.testing.assert_array_equal(out, x.astype(np.int32) @ x.astype(np.int32))


def test_a_descriptor_that_was_chosen():
    x, y = np.zeros((4, 64), np.float32), np.zeros((4, 64), np.float32)
    chosen_descriptor[(1,)](x, y, 4, 64, 4, 16)
    expected = (np.arange(64) // 16 % 2 == 0).astype(np.float32)
    np.testing.assert_array_equal(y, np.tile(expected, (4, 1)))
    np.testing.assert_array_equal(x, np.tile(1 - expected, (4, 1)))


@terrazzo.jit
def and_of_floats(x):
    tl.store(x, tl.load(x) & tl.load(x))


def test_bits_of_floats():
    with pytest.raises(CompilationError, match="invalid operands of type fp32: bitwise operations need integers"):
        and_of_floats[(1,)](np.zeros(1, np.float32))
