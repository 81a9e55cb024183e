"""What docs/reference/language.md#types-of-results says, row by row. Run by types-of-results.test."""

import triton
import triton.language as tl


@triton.jit
def numbers():
    i = tl.arange(0, 16)
    half = i.to(tl.float16)
    small, large, larger, largest, far, fraction = 3, 4000000000, 5000000000, 10000000000000000000, 1e300, 0.5
    tl.static_assert(small.dtype == tl.int32 and large.dtype == tl.uint32)
    tl.static_assert(larger.dtype == tl.int64 and largest.dtype == tl.uint64)
    tl.static_assert(fraction.dtype == tl.float32 and far.dtype == tl.float64)
    tl.static_assert((i.to(tl.uint8) + 5).dtype == tl.uint8)
    tl.static_assert((half * 0.1).dtype == tl.float16)
    tl.static_assert((i.to(tl.int16) * 4.0).dtype == tl.float32)
    tl.static_assert(tl.maximum(half, 0.0).dtype == tl.float32)
    tl.static_assert(-7 // 2 == -4)


@triton.jit
def two_tiles():
    i = tl.arange(0, 16)
    u32, i8, u8 = i.to(tl.uint32), i.to(tl.int8), i.to(tl.uint8)
    half, brain, single, double = i.to(tl.float16), i.to(tl.bfloat16), i.to(tl.float32), i.to(tl.float64)
    e4, e5 = single.to(tl.float8e4nv), single.to(tl.float8e5)
    tl.static_assert((double + half).dtype == tl.float64)
    tl.static_assert((single + half).dtype == tl.float32 and (half / half).dtype == tl.float32 and (half % half).dtype == tl.float32)
    tl.static_assert((half + brain).dtype == tl.float16 and (half + i).dtype == tl.float16)
    tl.static_assert((brain + brain).dtype == tl.bfloat16)
    tl.static_assert((brain + i).dtype == tl.float32 and (brain + e4).dtype == tl.float32)
    tl.static_assert((e4 + e5).dtype == tl.float16 and (e4 + e4).dtype == tl.float8e4nv)
    tl.static_assert((i8 + i).dtype == tl.int32)
    tl.static_assert((u8 + i).dtype == tl.int32 and (i + u32).dtype == tl.uint32)
    tl.static_assert((i / i).dtype == tl.float32 and (i < 3).dtype == tl.int1)


@triton.jit
def reductions():
    i = tl.arange(0, 16)
    i8, u8 = i.to(tl.int8), i.to(tl.uint8)
    half, brain = i.to(tl.float16), i.to(tl.bfloat16)
    tl.static_assert(tl.sum(i8).dtype == tl.int32 and tl.sum(u8).dtype == tl.uint32 and tl.sum(i == 3).dtype == tl.uint32)
    tl.static_assert(tl.sum(half).dtype == tl.float16 and tl.sum(brain).dtype == tl.bfloat16)
    tl.static_assert(tl.cumsum(u8).dtype == tl.uint32 and tl.cumsum(brain).dtype == tl.float32)
    tl.static_assert(tl.max(half).dtype == tl.float32 and tl.max(u8).dtype == tl.int32)
    best, where = tl.max(brain, 0, return_indices=True)
    tl.static_assert(best.dtype == tl.float32 and where.dtype == tl.int32)
    best, where = tl.max(u8, 0, return_indices=True)
    tl.static_assert(best.dtype == tl.uint8 and tl.argmin(u8, 0).dtype == tl.int32)
    tl.static_assert(tl.cumprod(brain).dtype == tl.float32 and tl.cumprod(u8).dtype == tl.uint8)


@triton.jit
def products():
    whole = tl.zeros([16, 16], tl.int8)
    half = tl.zeros([16, 16], tl.float16)
    double = tl.zeros([16, 16], tl.float64)
    e4, e5 = half.to(tl.float8e4nv), half.to(tl.float8e5)
    tl.static_assert(tl.dot(whole, whole).dtype == tl.int32 and tl.dot(double, double).dtype == tl.float64)
    tl.static_assert(tl.dot(half, half).dtype == tl.float32 and tl.dot(e4, e5).dtype == tl.float32)
    tl.static_assert(tl.dot(half, half, out_dtype=tl.float16).dtype == tl.float16)
    tl.static_assert(tl.dot(half, half, half).dtype == tl.float16)
