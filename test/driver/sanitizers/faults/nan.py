"""Planted faults: NaN or infinity made of finite numbers. See run_faults.py for the form."""
import triton
import triton.language as tl


# run: --grid 1 --arg x=zeros:f32[64] --arg out=zeros:f32[64]
@triton.jit
def zero_by_zero(x, out):
    at = tl.arange(0, 64)
    value = tl.load(x + at)
    tl.store(out + at, value / value)  #! nan: / gives nan from finite operands; tile element (0), the first of 64 of 64; program (0, 0, 0)
    #= tl.store(out + at, value / (value + 1.0))


# run: --grid 1 --arg x=values:f32[1,2,-3,4] --arg out=zeros:f32[4]
@triton.jit
def log_of_negative(x, out):
    at = tl.arange(0, 4)
    tl.store(out + at, tl.log(tl.load(x + at)))  #! nan: log gives nan from finite operands; tile element (2)
    #= tl.store(out + at, tl.log(tl.abs(tl.load(x + at))))


# run: --grid 1 --arg x=values:f32[1,2,3,-4] --arg out=zeros:f32[4]
@triton.jit
def root_of_negative(x, out):
    at = tl.arange(0, 4)
    root = tl.sqrt(tl.load(x + at))  #! nan: sqrt gives nan from finite operands; tile element (3)
    #= root = tl.sqrt(tl.maximum(tl.load(x + at), 0.0))
    tl.store(out + at, root + 1.0)


# run: --grid 2 --arg x=values:f32[1,2,3,100] --arg out=zeros:f32[4]
@triton.jit
def exp_too_large(x, out):
    at = tl.program_id(0) * 2 + tl.arange(0, 2)
    e = tl.exp(tl.load(x + at))  #! nan: exp gives inf from finite operands; tile element (1); program (1, 0, 0)
    #= e = tl.exp(tl.minimum(tl.load(x + at), 80.0))
    tl.store(out + at, e)


# run: --grid 1 --arg x=full(70000):f32[8] --arg out=zeros:f16[8]
@triton.jit
def too_large_for_half(x, out):
    at = tl.arange(0, 8)
    tl.store(out + at, tl.load(x + at).to(tl.float16))  #! nan: conversion to f16 gives inf from finite operands; tile element (0), the first of 8 of 8
    #= tl.store(out + at, tl.minimum(tl.load(x + at), 65504.0).to(tl.float16))


# run: --grid 1 --arg x=full(1000):f16[8] --arg out=zeros:f16[8]
@triton.jit
def half_product(x, out):
    at = tl.arange(0, 8)
    value = tl.load(x + at)
    tl.store(out + at, value * value)  #! nan: * gives inf from finite operands; tile element (0), the first of 8 of 8
    #= tl.store(out + at, value * (value / 1024))


# run: --grid 1 --arg a=full(1e30):f32[16,16] --arg out=zeros:f32[16,16]
@triton.jit
def product_too_large(a, out):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(a + at)
    y = tl.dot(x, x, input_precision="ieee")  #! nan: dot gives inf from finite operands; tile element (0, 0), the first of 256 of 256
    #= y = tl.dot(x * 1e-20, x * 1e-20, input_precision="ieee")
    tl.store(out + at, y)


# run: --grid 1 --arg x=full(3e38):f32[8] --arg out=zeros:f32[1]
@triton.jit
def sum_too_large(x, out):
    total = tl.sum(tl.load(x + tl.arange(0, 8)), 0)  #! nan: reduce gives inf from finite operands; program (0, 0, 0)
    #= total = tl.sum(tl.load(x + tl.arange(0, 8)) / 16, 0)
    tl.store(out, total)


# run: --grid 1 --arg out=zeros:f32[8] --arg n=64
@triton.jit
def only_later(out, n):
    at = tl.arange(0, 8)
    value = tl.full([8], 2.0, tl.float32)
    for _ in range(0, n):
        value = value * value  #! nan: * gives inf from finite operands; tile element (0), the first of 8 of 8
        #= value = value * 1.0
    tl.store(out + at, value)


# run: --grid 1 --arg x=values:f32[1,2,0,4] --arg out=zeros:f32[4] --arg n=3
@triton.jit
def kept_lanes(x, out, n):
    at = tl.arange(0, 4)
    value = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, 1.0 / value, mask=at < n)  #! nan: / gives inf from finite operands; tile element (2); program (0, 0, 0)
    #= tl.store(out + at, 1.0 / (value + 1.0), mask=at < n)


# run: --grid 1 --arg x=values:f32[1,2,3,4] --arg y=values:f32[3,0,2,1] --arg out=zeros:f32[4]
@triton.jit
def remainder_by_zero(x, y, out):
    at = tl.arange(0, 4)
    tl.store(out + at, tl.load(x + at) % tl.load(y + at))  #! nan: % gives nan from finite operands; tile element (1)
    #= tl.store(out + at, tl.load(x + at) % (tl.load(y + at) + 1.0))


# run: --grid 1 --arg x=values:f32[1,127,128,3] --arg out=zeros:f32[4]
@triton.jit
def power_of_two(x, out):
    at = tl.arange(0, 4)
    value = tl.exp2(tl.load(x + at))  #! nan: exp2 gives inf from finite operands; tile element (2)
    #= value = tl.exp2(tl.minimum(tl.load(x + at), 127.0))
    tl.store(out + at, value)


# run: --grid 1 --arg x=values:f32[1,2,0,4] --arg out=zeros:f32[4]
@triton.jit
def log_of_zero(x, out):
    at = tl.arange(0, 4)
    value = tl.log2(tl.load(x + at))  #! nan: log2 gives -inf from finite operands; tile element (2)
    #= value = tl.log2(tl.load(x + at) + 1.0)
    tl.store(out + at, value)


# run: --grid 1 --arg x=zeros:f32[32] --arg out=zeros:f32[32]
@triton.jit
def norm_without_epsilon(x, out):
    at = tl.arange(0, 32)
    value = tl.load(x + at)
    scale = tl.rsqrt(tl.sum(value * value, 0) / 32)  #! nan: rsqrt gives inf from finite operands; program (0, 0, 0)
    #= scale = tl.rsqrt(tl.sum(value * value, 0) / 32 + 1e-5)
    tl.store(out + at, value + scale)


# run: --grid 2 --arg x=ones:f32[64] --arg counts=values:i32[4,0] --arg out=zeros:f32[2]
@triton.jit
def mean_of_nothing(x, counts, out):
    row, at = tl.program_id(0), tl.arange(0, 32)
    count = tl.load(counts + row)
    total = tl.sum(tl.load(x + row * 32 + at, mask=at < count, other=0.0), 0)
    tl.store(out + row, total / count)  #! nan: / gives nan from finite operands; program (1, 0, 0)
    #= tl.store(out + row, total / tl.maximum(count, 1))


# run: --grid 1 --arg x=values:f32[1,2,3,4] --arg out=zeros:f32[4]
@triton.jit
def deviation(x, out):
    at = tl.arange(0, 4)
    value = tl.load(x + at)
    tl.store(out + at, tl.sqrt(4.0 - value * value))  #! nan: sqrt gives nan from finite operands; tile element (2), the first of 2 of 4
    #= tl.store(out + at, tl.sqrt(16.0 - value * value))


# run: --grid 1 --arg x=full(1e38):f32[8] --arg out=zeros:f32[8]
@triton.jit
def running_sum(x, out):
    at = tl.arange(0, 8)
    value = tl.cumsum(tl.load(x + at), 0)  #! nan: scan gives inf from finite operands; tile element (3), the first of 5 of 8
    #= value = tl.cumsum(tl.load(x + at) / 8, 0)
    tl.store(out + at, value)


# run: --grid 1 --arg x=full(1e300):f64[4] --arg out=zeros:f32[4]
@triton.jit
def too_large_for_single(x, out):
    at = tl.arange(0, 4)
    value = tl.load(x + at).to(tl.float32)  #! nan: conversion to f32 gives inf from finite operands; tile element (0), the first of 4 of 4
    #= value = (tl.load(x + at) * 1e-280).to(tl.float32)
    tl.store(out + at, value)


# run: --grid 1 --arg x=full(100):f32[16] --arg out=zeros:f32[16]
@triton.jit
def softmax_without_maximum(x, out):
    at = tl.arange(0, 16)
    value = tl.load(x + at)
    e = tl.exp(value)  #! nan: exp gives inf from finite operands; tile element (0), the first of 16 of 16
    #= e = tl.exp(value - tl.max(value, 0))
    tl.store(out + at, e / tl.sum(e, 0))


# run: --grid 1 --arg x=values:i32[7,70000] --arg out=zeros:f16[2]
@triton.jit
def integer_to_half(x, out):
    at = tl.arange(0, 2)
    tl.store(out + at, tl.load(x + at).to(tl.float16))  #! nan: conversion to f16 gives inf from finite operands; tile element (1)
    #= tl.store(out + at, (tl.load(x + at) % 1024).to(tl.float16))
