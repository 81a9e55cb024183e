"""Planted faults: integers that do not fit in their type. See run_faults.py for the form."""
import triton
import triton.language as tl


# run: --grid 1 --arg x=values:i32[1,2147483647,3,4] --arg out=zeros:i32[4]
@triton.jit
def too_large_sum(x, out):
    at = tl.arange(0, 4)
    tl.store(out + at, tl.load(x + at) + 1)  #! overflow: integer overflow of int32 in +: the exact result is 2147483648; tile element (1)
    #= tl.store(out + at, tl.load(x + at).to(tl.int64) + 1)


# run: --grid 3 --arg out=zeros:i32[3] --arg n=2000000000
@triton.jit
def too_large_product(out, n):
    tl.store(out + tl.program_id(0), tl.program_id(0) * n)  #! overflow: integer overflow of int32 in *: the exact result is 4000000000; program (2, 0, 0)
    #= tl.store(out + tl.program_id(0), tl.program_id(0).to(tl.int64) * n)


# run: --grid 1 --arg x=values:i32[1,-2147483648] --arg out=zeros:i32[2]
@triton.jit
def too_small_difference(x, out):
    at = tl.arange(0, 2)
    tl.store(out + at, tl.load(x + at) - 1)  #! overflow: integer overflow of int32 in -: the exact result is -2147483649; tile element (1)
    #= tl.store(out + at, tl.load(x + at).to(tl.int64) - 1)


# run: --grid 1 --arg x=full(100):i8[8] --arg out=zeros:i8[8]
@triton.jit
def small_type(x, out):
    at = tl.arange(0, 8)
    value = tl.load(x + at)
    tl.store(out + at, value + value)  #! overflow: integer overflow of int8 in +: the exact result is 200; tile element (0), the first of 8 of 8
    #= tl.store(out + at, value.to(tl.int32) + value)


# run: --grid 1 --arg out=zeros:i32[1] --arg n=40
@triton.jit
def loop_sum(out, n):
    total = 1
    for _ in range(0, n):
        total = total + total  #! overflow: integer overflow of int32 in +: the exact result is 2147483648; program (0, 0, 0)
        #= total = total + 1
    tl.store(out, total)


# run: --grid 3 --arg x=ones:f32[64] --arg out=zeros:f32[64] --arg stride=1073741824
@triton.jit
def offset_of_a_row(x, out, stride):
    at = tl.arange(0, 64)
    row = tl.program_id(0) * stride  #! overflow: integer overflow of int32 in *: the exact result is 2147483648; program (2, 0, 0)
    #= row = tl.program_id(0).to(tl.int64) * stride
    value = tl.load(x + row + at, mask=(row == 0) & (at < 64), other=0.0)
    tl.store(out + at, value, mask=row == 0)


# run: --grid 1 --arg out=zeros:i32[4,4] --arg stride=1000000000
@triton.jit
def offsets_of_rows(out, stride):
    rows, columns = tl.arange(0, 4)[:, None], tl.arange(0, 4)[None, :]
    at = rows * stride  #! overflow: integer overflow of int32 in *: the exact result is 3000000000; tile element (3, 0)
    #= at = rows.to(tl.int64) * stride
    tl.store(out + rows * 4 + columns, at + columns)


# run: --grid 1 --arg x=full(30000):i16[8] --arg out=zeros:i16[8]
@triton.jit
def short_sum(x, out):
    at = tl.arange(0, 8)
    value = tl.load(x + at)
    tl.store(out + at, value + value)  #! overflow: integer overflow of int16 in +: the exact result is 60000; tile element (0), the first of 8 of 8
    #= tl.store(out + at, value.to(tl.int32) + value)


# run: --grid 1 --arg x=values:i8[2,-12,11,12] --arg out=zeros:i8[4]
@triton.jit
def byte_square(x, out):
    at = tl.arange(0, 4)
    value = tl.load(x + at)
    tl.store(out + at, value * value)  #! overflow: integer overflow of int8 in *: the exact result is 144; tile element (1), the first of 2 of 4
    #= tl.store(out + at, value.to(tl.int16) * value)


# run: --grid 1 --arg x=values:u8[5,3] --arg y=values:u8[4,4] --arg out=zeros:u8[2]
@triton.jit
def unsigned_difference(x, y, out):
    at = tl.arange(0, 2)
    tl.store(out + at, tl.load(x + at) - tl.load(y + at))  #! overflow: integer overflow of uint8 in -: the exact result is -1; tile element (1)
    #= tl.store(out + at, tl.load(x + at).to(tl.int16) - tl.load(y + at))


# run: --grid 1 --arg x=values:u32[1,4294967295] --arg out=zeros:u32[2]
@triton.jit
def unsigned_sum(x, out):
    at = tl.arange(0, 2)
    value = tl.load(x + at)
    tl.store(out + at, value + 1)  #! overflow: integer overflow of uint32 in +: the exact result is 4294967296; tile element (1)
    #= tl.store(out + at, value.to(tl.uint64) + 1)


# run: --grid 1 --arg out=zeros:i32[1] --arg n=2147483640
@triton.jit
def blocks_of_many(out, n):
    tl.store(out, (n + 15) // 16)  #! overflow: integer overflow of int32 in +: the exact result is 2147483655; program (0, 0, 0)
    #= tl.store(out, (n.to(tl.int64) + 15) // 16)


# run: --grid 1 --arg x=full(1000000000):i32[4] --arg out=zeros:i32[1]
@triton.jit
def sum_of_a_tile(x, out):
    total = tl.sum(tl.load(x + tl.arange(0, 4)), 0)  #! overflow: integer overflow of int32 in sum: the exact result is 4000000000; program (0, 0, 0)
    #= total = tl.sum(tl.load(x + tl.arange(0, 4)).to(tl.int64), 0)
    tl.store(out, total)


# run: --grid 1 --arg x=full(100):i8[8] --arg out=zeros:i32[1]
@triton.jit
def carried_bytes(x, out):
    total = tl.zeros([4], tl.int8)
    for i in range(2):
        total += tl.load(x + i * 4 + tl.arange(0, 4))  #! overflow: integer overflow of int8 in +: the exact result is 200; tile element (0), the first of 4 of 4
        #= total += tl.load(x + i * 4 + tl.arange(0, 4)) // 2
    tl.store(out, tl.sum(total, 0))


# run: --grid 1 --arg x=values:i32[3,0,-2147483648] --arg out=zeros:i32[3]
@triton.jit
def shift_by_the_width(x, out):
    at = tl.arange(0, 4)
    by = tl.where(at == 1, 32, at)
    tl.store(out + at, tl.load(x + at, mask=at < 3, other=1) << by, mask=at < 3)  #! overflow: shift of 32 bits by 32; tile element (1)
    #= tl.store(out + at, tl.load(x + at, mask=at < 3, other=1) << tl.minimum(by, 31), mask=at < 3)


# run: --grid 1 --arg x=values:i32[7,8] --arg y=values:i32[2,0] --arg out=zeros:i32[2]
@triton.jit
def divided_by_zero(x, y, out):
    at = tl.arange(0, 2)
    tl.store(out + at, tl.load(x + at) // tl.load(y + at))  #! overflow: division by zero of 8; tile element (1)
    #= tl.store(out + at, tl.load(x + at) // (tl.load(y + at) + 1))
