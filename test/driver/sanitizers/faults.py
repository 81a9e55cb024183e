"""Kernels with one planted fault each, and some without.

Above a kernel stand the words of `tz run`. The faulty line ends with `#! CHECK: TEXT`: the check that must report it, at
this line, with this text. `# clean: CHECKS` instead: none of these may report anything. faults.py is read by
run_faults.py, which needs no more for another kernel than these two comments.
"""
import triton
import triton.language as tl


# bounds ------------------------------------------------------------------------------------------------------------

# run: --grid 16 --arg x=ones:f32[1000] --arg out=zeros:f32[1024]
@triton.jit
def load_behind(x, out):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    value = tl.load(x + at)  #! bounds: load of element 1000 of 'x', which has elements 0 to 999; tile element (40), the first of 24 of 64; program (15, 0, 0)
    tl.store(out + at, 2 * value)


# run: --grid 16 --arg x=ones:f32[1024] --arg out=zeros:f32[1000]
@triton.jit
def store_behind(x, out):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at))  #! bounds: store of element 1000 of 'out', which has elements 0 to 999; tile element (40), the first of 24 of 64


# run: --grid 1 --arg x=ones:f32[64] --arg out=zeros:f32[64]
@triton.jit
def load_before(x, out):
    at = tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at - 1))  #! bounds: load of element -1 of 'x', which has elements 0 to 63; tile element (0); program (0, 0, 0)


# run: --grid 2 --arg x=ones:f16[100] --arg out=zeros:f16[128] --arg n=100
@triton.jit
def mask_too_wide(x, out, n):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    value = tl.load(x + at, mask=at <= n, other=0.0)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (36); program (1, 0, 0)
    tl.store(out + at, value)


# run: --grid 1 --arg x=ones:f32[16,24] --arg out=zeros:f32[16,32] --arg stride=32
@triton.jit
def wrong_stride(x, out, stride):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :]
    value = tl.load(x + rows * stride + columns, mask=columns < 24)  #! bounds: load of element 384 of 'x', which has elements 0 to 383; tile element (12, 0), the first of 96 of 512
    tl.store(out + rows * 32 + columns, value)


# run: --grid 1 --arg x=ones:i32[8,8] --arg out=zeros:i32[8,7]
@triton.jit
def transposed_store(x, out):
    rows, columns = tl.arange(0, 8)[:, None], tl.arange(0, 8)[None, :]
    value = tl.load(x + rows * 8 + columns)
    tl.store(out + columns * 8 + rows, value)  #! bounds: store of element 56 of 'out', which has elements 0 to 55; tile element (0, 7), the first of 8 of 64


# run: --grid 3 --arg x=ones:f32[2] --arg out=zeros:f32[3]
@triton.jit
def scalar_load(x, out):
    tl.store(out + tl.program_id(0), tl.load(x + tl.program_id(0)))  #! bounds: load of element 2 of 'x', which has elements 0 to 1; program (2, 0, 0)


# run: --grid 2,3 --arg out=zeros:f64[5]
@triton.jit
def scalar_store(out):
    tl.store(out + tl.program_id(1) * 2 + tl.program_id(0), 1.0)  #! bounds: store of element 5 of 'out', which has elements 0 to 4; program (1, 2, 0)


# run: --grid 1 --arg x=ones:f32[100] --arg out=zeros:f32[32] --arg n=100
@triton.jit
def loop_without_mask(x, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    p = x + at
    for _ in range(0, n, 32):
        total += tl.load(p)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (4), the first of 28 of 32
        p += 32
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[16] --arg index=arange:i32[32] --arg out=zeros:f32[32]
@triton.jit
def loaded_index(x, index, out):
    at = tl.arange(0, 32)
    where = tl.load(index + at)
    tl.store(out + at, tl.load(x + where))  #! bounds: load of element 16 of 'x', which has elements 0 to 15; tile element (16), the first of 16 of 32


# run: --grid 1 --arg index=values:i64[0,5,2,9,1,3,8,4] --arg out=zeros:f32[8]
@triton.jit
def scattered_store(index, out):
    at = tl.arange(0, 8)
    tl.store(out + tl.load(index + at), 1.0)  #! bounds: store of element 9 of 'out', which has elements 0 to 7; tile element (3), the first of 2 of 8


# run: --grid 1 --arg index=values:i32[0,1,2,4] --arg counts=zeros:i32[4]
@triton.jit
def atomic_add(index, counts):
    at = tl.load(index + tl.arange(0, 4))
    tl.atomic_add(counts + at, 1)  #! bounds: atomic update of element 4 of 'counts', which has elements 0 to 3; tile element (3)


# run: --grid 5 --arg best=zeros:f32[4]
@triton.jit
def atomic_max(best):
    tl.atomic_max(best + tl.program_id(0), 1.0)  #! bounds: atomic update of element 4 of 'best', which has elements 0 to 3; program (4, 0, 0)


# run: --grid 2 --arg lock=zeros:i32[1] --arg out=zeros:i32[2]
@triton.jit
def atomic_cas(lock, out):
    old = tl.atomic_cas(lock + tl.program_id(0), 0, 1)  #! bounds: atomic update of element 1 of 'lock', which has elements 0 to 0; program (1, 0, 0)
    tl.store(out + tl.program_id(0), old)


# run: --grid 1 --arg x=ones:f32[30,32] --arg out=zeros:f32[32,32]
@triton.jit
def block_pointer_load(x, out):
    p = tl.make_block_ptr(x, (32, 32), (32, 1), (0, 0), (32, 32), (1, 0))
    q = tl.make_block_ptr(out, (32, 32), (32, 1), (0, 0), (32, 32), (1, 0))
    tl.store(q, tl.load(p))  #! bounds: load of element 960 of 'x', which has elements 0 to 959; tile element (30, 0), the first of 64 of 1024


# run: --grid 1 --arg x=ones:f32[48,16] --arg out=zeros:f32[40,16]
@triton.jit
def block_pointer_store(x, out):
    for start in range(0, 48, 16):
        p = tl.make_block_ptr(x, (48, 16), (16, 1), (start, 0), (16, 16), (1, 0))
        q = tl.make_block_ptr(out, (48, 16), (16, 1), (start, 0), (16, 16), (1, 0))
        value = tl.load(p, boundary_check=(0, 1))
        tl.store(q, value, boundary_check=(0, 1))  #! bounds: store of element 640 of 'out', which has elements 0 to 639; tile element (8, 0), the first of 128 of 256


# run: --grid 1 --arg x=ones:f32[16,16] --arg out=zeros:f32[16,16] --arg rows=17
@triton.jit
def descriptor_load(x, out, rows):
    d = tl.make_tensor_descriptor(x, [rows, 16], [16, 1], [16, 16])
    value = d.load([1, 0])  #! bounds: load of element 256 of 'x', which has elements 0 to 255; tile element (15, 0), the first of 16 of 256
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], value)


# run: --grid 1 --arg x=ones:i8[62] --arg out=zeros:i32[16]
@triton.jit
def other_type(x, out):
    at = tl.arange(0, 16)
    value = tl.load(x.to(tl.pointer_type(tl.int32)) + at)  #! bounds: load of element 15 of 'x', which has elements 0 to 14; tile element (15)
    tl.store(out + at, value)


# run: --grid 1 --arg x=ones:f32[0] --arg out=zeros:f32[8]
@triton.jit
def empty_array(x, out):
    at = tl.arange(0, 8)
    tl.store(out + at, tl.load(x + at))  #! bounds: load of element 0 of 'x', which has no elements; tile element (0), the first of 8 of 8


# run: --grid 1 --arg a=ones:f16[32,40] --arg b=ones:f16[40,32] --arg c=zeros:f32[32,32] --arg k=40
@triton.jit
def product_tail(a, b, c, k):
    m, n, step = tl.arange(0, 32), tl.arange(0, 32), tl.arange(0, 16)
    total = tl.zeros([32, 32], tl.float32)
    for start in range(0, k, 16):
        inside = start + step < k
        x = tl.load(a + m[:, None] * k + (start + step)[None, :], mask=inside[None, :], other=0.0)
        y = tl.load(b + (start + step)[:, None] * 32 + n[None, :])  #! bounds: load of element 1280 of 'b', which has elements 0 to 1279; tile element (8, 0), the first of 256 of 512
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * 32 + n[None, :], total)


# run: --grid 1 --arg x=ones:i64[32] --arg out=zeros:i64[64]
@triton.jit
def one_arm(x, out):
    at = tl.arange(0, 64)
    if tl.load(x) == 1:
        value = tl.load(x + at)  #! bounds: load of element 32 of 'x', which has elements 0 to 31; tile element (32), the first of 32 of 64
    else:
        value = tl.zeros([64], tl.int64)
    tl.store(out + at, value)


# run: --grid 1 --arg x=ones:f32[8] --arg y=ones:f32[8] --arg out=zeros:f32[16] --arg which=0
@triton.jit
def one_of_two(x, y, out, which):
    at = tl.arange(0, 16)
    p = x
    if which > 0:
        p = y
    tl.store(out + at, tl.load(p + at, mask=at < 9))  #! bounds: load of element 8 of 'x' or 'y', which has elements 0 to 7; tile element (8)


# nan ---------------------------------------------------------------------------------------------------------------

# run: --grid 1 --arg x=zeros:f32[64] --arg out=zeros:f32[64]
@triton.jit
def zero_by_zero(x, out):
    at = tl.arange(0, 64)
    value = tl.load(x + at)
    tl.store(out + at, value / value)  #! nan: / gives nan from finite operands; tile element (0), the first of 64 of 64; program (0, 0, 0)


# run: --grid 1 --arg x=values:f32[1,2,-3,4] --arg out=zeros:f32[4]
@triton.jit
def log_of_negative(x, out):
    at = tl.arange(0, 4)
    tl.store(out + at, tl.log(tl.load(x + at)))  #! nan: log gives nan from finite operands; tile element (2)


# run: --grid 1 --arg x=values:f32[1,2,3,-4] --arg out=zeros:f32[4]
@triton.jit
def root_of_negative(x, out):
    at = tl.arange(0, 4)
    root = tl.sqrt(tl.load(x + at))  #! nan: sqrt gives nan from finite operands; tile element (3)
    tl.store(out + at, root + 1.0)


# run: --grid 2 --arg x=values:f32[1,2,3,100] --arg out=zeros:f32[4]
@triton.jit
def exp_too_large(x, out):
    at = tl.program_id(0) * 2 + tl.arange(0, 2)
    e = tl.exp(tl.load(x + at))  #! nan: exp gives inf from finite operands; tile element (1); program (1, 0, 0)
    tl.store(out + at, e)


# run: --grid 1 --arg x=full(70000):f32[8] --arg out=zeros:f16[8]
@triton.jit
def too_large_for_half(x, out):
    at = tl.arange(0, 8)
    tl.store(out + at, tl.load(x + at).to(tl.float16))  #! nan: conversion to f16 gives inf from finite operands; tile element (0), the first of 8 of 8


# run: --grid 1 --arg x=full(1000):f16[8] --arg out=zeros:f16[8]
@triton.jit
def half_product(x, out):
    at = tl.arange(0, 8)
    value = tl.load(x + at)
    tl.store(out + at, value * value)  #! nan: * gives inf from finite operands; tile element (0), the first of 8 of 8


# run: --grid 1 --arg a=full(1e30):f32[16,16] --arg out=zeros:f32[16,16]
@triton.jit
def product_too_large(a, out):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(a + at)
    y = tl.dot(x, x, input_precision="ieee")  #! nan: dot gives inf from finite operands; tile element (0, 0), the first of 256 of 256
    tl.store(out + at, y)


# run: --grid 1 --arg x=full(3e38):f32[8] --arg out=zeros:f32[1]
@triton.jit
def sum_too_large(x, out):
    total = tl.sum(tl.load(x + tl.arange(0, 8)), 0)  #! nan: reduce gives inf from finite operands; program (0, 0, 0)
    tl.store(out, total)


# run: --grid 1 --arg out=zeros:f32[8] --arg n=64
@triton.jit
def only_later(out, n):
    at = tl.arange(0, 8)
    value = tl.full([8], 2.0, tl.float32)
    for _ in range(0, n):
        value = value * value  #! nan: * gives inf from finite operands; tile element (0), the first of 8 of 8
    tl.store(out + at, value)


# run: --grid 1 --arg x=values:f32[1,2,0,4] --arg out=zeros:f32[4] --arg n=3
@triton.jit
def kept_lanes(x, out, n):
    at = tl.arange(0, 4)
    value = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, 1.0 / value, mask=at < n)  #! nan: / gives inf from finite operands; tile element (2); program (0, 0, 0)


# overflow ----------------------------------------------------------------------------------------------------------

# run: --grid 1 --arg x=values:i32[1,2147483647,3,4] --arg out=zeros:i32[4]
@triton.jit
def too_large_sum(x, out):
    at = tl.arange(0, 4)
    tl.store(out + at, tl.load(x + at) + 1)  #! overflow: integer overflow of int32 in +: the exact result is 2147483648; tile element (1)


# run: --grid 3 --arg out=zeros:i32[3] --arg n=2000000000
@triton.jit
def too_large_product(out, n):
    tl.store(out + tl.program_id(0), tl.program_id(0) * n)  #! overflow: integer overflow of int32 in *: the exact result is 4000000000; program (2, 0, 0)


# run: --grid 1 --arg x=values:i32[1,-2147483648] --arg out=zeros:i32[2]
@triton.jit
def too_small_difference(x, out):
    at = tl.arange(0, 2)
    tl.store(out + at, tl.load(x + at) - 1)  #! overflow: integer overflow of int32 in -: the exact result is -2147483649; tile element (1)


# run: --grid 1 --arg x=full(100):i8[8] --arg out=zeros:i8[8]
@triton.jit
def small_type(x, out):
    at = tl.arange(0, 8)
    value = tl.load(x + at)
    tl.store(out + at, value + value)  #! overflow: integer overflow of int8 in +: the exact result is 200; tile element (0), the first of 8 of 8


# run: --grid 1 --arg out=zeros:i32[1] --arg n=40
@triton.jit
def loop_sum(out, n):
    total = 1
    for _ in range(0, n):
        total = total + total  #! overflow: integer overflow of int32 in +: the exact result is 2147483648; program (0, 0, 0)
    tl.store(out, total)


# none --------------------------------------------------------------------------------------------------------------

# run: --grid 16 --arg x=randn:f32[1000] --arg y=randn:f32[1000] --arg out=zeros:f32[1000] --arg n=1000
# clean: bounds,nan,overflow
@triton.jit
def masked_sum(x, y, out, n):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


# run: --grid 3 --arg x=uniform:f32[100] --arg out=zeros:f32[100] --arg n=100
# clean: bounds,nan,overflow
@triton.jit
def masked_reciprocal(x, out, n):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    value = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, 1.0 / (value + value), mask=at < n)


# run: --grid 1 --arg x=randn:f32[40] --arg out=zeros:f32[40] --arg n=40
# clean: bounds,nan,overflow
@triton.jit
def masked_softmax(x, out, n):
    at = tl.arange(0, 64)
    value = tl.load(x + at, mask=at < n, other=-float("inf"))
    e = tl.exp(value - tl.max(value, 0))
    tl.store(out + at, e / tl.sum(e, 0), mask=at < n)


# run: --grid 2 --arg x=randn:f32[30,20] --arg out=zeros:f32[30,20]
# clean: bounds
@triton.jit
def checked_blocks(x, out):
    p = tl.make_block_ptr(x, (30, 20), (20, 1), (16 * tl.program_id(0), 0), (16, 32), (1, 0))
    q = tl.make_block_ptr(out, (30, 20), (20, 1), (16 * tl.program_id(0), 0), (16, 32), (1, 0))
    tl.store(q, tl.load(p, boundary_check=(0, 1)), boundary_check=(0, 1))
