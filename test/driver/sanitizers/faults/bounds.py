"""Planted faults: elements that are not in their array. See run_faults.py for the form."""
import triton
import triton.language as tl


# run: --grid 16 --arg x=ones:f32[1000] --arg out=zeros:f32[1024]
@triton.jit
def load_behind(x, out):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    value = tl.load(x + at)  #! bounds: load of element 1000 of 'x', which has elements 0 to 999; tile element (40), the first of 24 of 64; program (15, 0, 0)
    #= value = tl.load(x + at, mask=at < 1000, other=0.0)
    tl.store(out + at, 2 * value)


# run: --grid 16 --arg x=ones:f32[1024] --arg out=zeros:f32[1000]
@triton.jit
def store_behind(x, out):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at))  #! bounds: store of element 1000 of 'out', which has elements 0 to 999; tile element (40), the first of 24 of 64
    #= tl.store(out + at, tl.load(x + at), mask=at < 1000)


# run: --grid 1 --arg x=ones:f32[64] --arg out=zeros:f32[64]
@triton.jit
def load_before(x, out):
    at = tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at - 1))  #! bounds: load of element -1 of 'x', which has elements 0 to 63; tile element (0); program (0, 0, 0)
    #= tl.store(out + at, tl.load(x + at - 1, mask=at > 0, other=0.0))


# run: --grid 2 --arg x=ones:f16[100] --arg out=zeros:f16[128] --arg n=100
@triton.jit
def mask_too_wide(x, out, n):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    value = tl.load(x + at, mask=at <= n, other=0.0)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (36); program (1, 0, 0)
    #= value = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + at, value)


# run: --grid 1 --arg x=ones:f32[16,24] --arg out=zeros:f32[16,32] --arg stride=32
@triton.jit
def wrong_stride(x, out, stride):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :]
    value = tl.load(x + rows * stride + columns, mask=columns < 24)  #! bounds: load of element 384 of 'x', which has elements 0 to 383; tile element (12, 0), the first of 96 of 512
    #= value = tl.load(x + rows * 24 + columns, mask=columns < 24)
    tl.store(out + rows * 32 + columns, value)


# run: --grid 1 --arg x=ones:i32[8,8] --arg out=zeros:i32[8,7]
@triton.jit
def transposed_store(x, out):
    rows, columns = tl.arange(0, 8)[:, None], tl.arange(0, 8)[None, :]
    value = tl.load(x + rows * 8 + columns)
    tl.store(out + columns * 8 + rows, value)  #! bounds: store of element 56 of 'out', which has elements 0 to 55; tile element (0, 7), the first of 8 of 64
    #= tl.store(out + rows * 7 + columns, value, mask=columns < 7)


# run: --grid 3 --arg x=ones:f32[2] --arg out=zeros:f32[3]
@triton.jit
def scalar_load(x, out):
    tl.store(out + tl.program_id(0), tl.load(x + tl.program_id(0)))  #! bounds: load of element 2 of 'x', which has elements 0 to 1; program (2, 0, 0)
    #= tl.store(out + tl.program_id(0), tl.load(x + tl.program_id(0) % 2))


# run: --grid 2,3 --arg out=zeros:f64[5]
@triton.jit
def scalar_store(out):
    tl.store(out + tl.program_id(1) * 2 + tl.program_id(0), 1.0)  #! bounds: store of element 5 of 'out', which has elements 0 to 4; program (1, 2, 0)
    #= tl.store(out + tl.program_id(1) * 2 + tl.program_id(0), 1.0, mask=tl.program_id(1) + tl.program_id(0) < 3)


# run: --grid 1 --arg x=ones:f32[100] --arg out=zeros:f32[32] --arg n=100
@triton.jit
def loop_without_mask(x, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    p = x + at
    for start in range(0, n, 32):
        total += tl.load(p)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (4), the first of 28 of 32
        #= total += tl.load(p, mask=start + at < n, other=0.0)
        p += 32
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[16] --arg index=arange:i32[32] --arg out=zeros:f32[32]
@triton.jit
def loaded_index(x, index, out):
    at = tl.arange(0, 32)
    where = tl.load(index + at)
    tl.store(out + at, tl.load(x + where))  #! bounds: load of element 16 of 'x', which has elements 0 to 15; tile element (16), the first of 16 of 32
    #= tl.store(out + at, tl.load(x + where % 16))


# run: --grid 1 --arg index=values:i64[0,5,2,9,1,3,8,4] --arg out=zeros:f32[8]
@triton.jit
def scattered_store(index, out):
    at = tl.arange(0, 8)
    tl.store(out + tl.load(index + at), 1.0)  #! bounds: store of element 9 of 'out', which has elements 0 to 7; tile element (3), the first of 2 of 8
    #= tl.store(out + tl.load(index + at) % 8, 1.0)


# run: --grid 1 --arg index=values:i32[0,1,2,4] --arg counts=zeros:i32[4]
@triton.jit
def atomic_add(index, counts):
    at = tl.load(index + tl.arange(0, 4))
    tl.atomic_add(counts + at, 1)  #! bounds: atomic update of element 4 of 'counts', which has elements 0 to 3; tile element (3)
    #= tl.atomic_add(counts + at, 1, mask=at < 4)


# run: --grid 5 --arg best=zeros:f32[4]
@triton.jit
def atomic_max(best):
    tl.atomic_max(best + tl.program_id(0), 1.0)  #! bounds: atomic update of element 4 of 'best', which has elements 0 to 3; program (4, 0, 0)
    #= tl.atomic_max(best + tl.program_id(0) % 4, 1.0)


# run: --grid 2 --arg lock=zeros:i32[1] --arg out=zeros:i32[2]
@triton.jit
def atomic_cas(lock, out):
    old = tl.atomic_cas(lock + tl.program_id(0), 0, 1)  #! bounds: atomic update of element 1 of 'lock', which has elements 0 to 0; program (1, 0, 0)
    #= old = tl.atomic_cas(lock, 0, 1)
    tl.store(out + tl.program_id(0), old)


# run: --grid 1 --arg x=ones:f32[30,32] --arg out=zeros:f32[32,32]
# mended run: --grid 1 --arg x=ones:f32[32,32] --arg out=zeros:f32[32,32]
@triton.jit
def block_pointer_load(x, out):
    p = tl.make_block_ptr(x, (32, 32), (32, 1), (0, 0), (32, 32), (1, 0))
    q = tl.make_block_ptr(out, (32, 32), (32, 1), (0, 0), (32, 32), (1, 0))
    tl.store(q, tl.load(p))  #! bounds: load of element 960 of 'x', which has elements 0 to 959; tile element (30, 0), the first of 64 of 1024


# run: --grid 1 --arg x=ones:f32[48,16] --arg out=zeros:f32[40,16]
# mended run: --grid 1 --arg x=ones:f32[48,16] --arg out=zeros:f32[48,16]
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
    #= value = d.load([0, 0])
    tl.store(out + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], value)


# run: --grid 1 --arg x=ones:i8[62] --arg out=zeros:i32[16]
@triton.jit
def other_type(x, out):
    at = tl.arange(0, 16)
    value = tl.load(x.to(tl.pointer_type(tl.int32)) + at)  #! bounds: load of element 15 of 'x', which has elements 0 to 14; tile element (15)
    #= value = tl.load(x.to(tl.pointer_type(tl.int32)) + at, mask=at < 15)
    tl.store(out + at, value)


# run: --grid 1 --arg x=ones:f32[0] --arg out=zeros:f32[8]
# mended run: --grid 1 --arg x=ones:f32[8] --arg out=zeros:f32[8]
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
        #= y = tl.load(b + (start + step)[:, None] * 32 + n[None, :], mask=inside[:, None], other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * 32 + n[None, :], total)


# run: --grid 1 --arg x=ones:i64[32] --arg out=zeros:i64[64]
@triton.jit
def one_arm(x, out):
    at = tl.arange(0, 64)
    if tl.load(x) == 1:
        value = tl.load(x + at)  #! bounds: load of element 32 of 'x', which has elements 0 to 31; tile element (32), the first of 32 of 64
        #= value = tl.load(x + at, mask=at < 32, other=0)
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
    #= tl.store(out + at, tl.load(p + at, mask=at < 8))


# run: --grid 1 --arg x=ones:f32[12,20] --arg out=zeros:f32[16,32]
@triton.jit
def mask_of_one_axis(x, out):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :]
    value = tl.load(x + rows * 20 + columns, mask=columns < 20, other=0.0)  #! bounds: load of element 240 of 'x', which has elements 0 to 239; tile element (12, 0), the first of 80 of 512
    #= value = tl.load(x + rows * 20 + columns, mask=(columns < 20) & (rows < 12), other=0.0)
    tl.store(out + rows * 32 + columns, value)


# run: --grid 1 --arg x=ones:f32[12,20] --arg out=zeros:f32[16,32]
@triton.jit
def either_axis(x, out):
    rows, columns = tl.arange(0, 16)[:, None], tl.arange(0, 32)[None, :]
    value = tl.load(x + rows * 20 + columns, mask=(rows < 12) | (columns < 20), other=0.0)  #! bounds: load of element 240 of 'x', which has elements 0 to 239; tile element (11, 20), the first of 92 of 512
    #= value = tl.load(x + rows * 20 + columns, mask=(rows < 12) & (columns < 20), other=0.0)
    tl.store(out + rows * 32 + columns, value)


# run: --grid 2 --arg x=ones:f32[128] --arg y=ones:f32[64] --arg out=zeros:f32[128]
@triton.jit
def other_array(x, y, out):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))  #! bounds: load of element 64 of 'y', which has elements 0 to 63; tile element (0), the first of 64 of 64; program (1, 0, 0)
    #= tl.store(out + at, tl.load(x + at) + tl.load(y + at % 64))


# run: --grid 1 --arg x=ones:f32[100] --arg out=zeros:f32[128] --arg n=100
@triton.jit
def reversed_order(x, out, n):
    at = tl.arange(0, 128)
    value = tl.load(x + n - at, mask=at < n, other=0.0)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (0)
    #= value = tl.load(x + n - 1 - at, mask=at < n, other=0.0)
    tl.store(out + at, value)


# run: --grid 2 --arg x=ones:f32[100] --arg out=zeros:f32[100] --arg n=100
@triton.jit
def window(x, out, n):
    at = tl.program_id(0) * 64 + tl.arange(0, 64)
    total = tl.zeros([64], tl.float32)
    for i in range(3):
        total += tl.load(x + at + i, mask=at < n, other=0.0)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (35); program (1, 0, 0)
        #= total += tl.load(x + at + i, mask=at + i < n, other=0.0)
    tl.store(out + at, total, mask=at < n)


# run: --grid 4 --arg x=ones:f32[4,16] --arg out=zeros:f32[4,16]
@triton.jit
def row_above(x, out):
    row, columns = tl.program_id(0), tl.arange(0, 16)
    value = tl.load(x + (row - 1) * 16 + columns)  #! bounds: load of element -16 of 'x', which has elements 0 to 63; tile element (0), the first of 16 of 16; program (0, 0, 0)
    #= value = tl.load(x + (row - 1) * 16 + columns, mask=row > 0, other=0.0)
    tl.store(out + row * 16 + columns, value)


# run: --grid 1 --arg x=ones:f32[32] --arg out=zeros:f32[32]
@triton.jit
def in_a_function(x, out):
    at = tl.arange(0, 32)
    tl.store(out + at, read(x, at))


@triton.jit
def read(p, at):
    return tl.load(p + 2 * at)  #! bounds: load of element 32 of 'x', which has elements 0 to 31; tile element (16), the first of 16 of 32
    #= return tl.load(p + at)


# run: --grid 1 --arg x=values:i32[5,4,3,2,1] --arg out=zeros:i32[1]
@triton.jit
def search_without_end(x, out):
    at = 0
    while tl.load(x + at) > 0:  #! bounds: load of element 5 of 'x', which has elements 0 to 4; program (0, 0, 0)
        #= while tl.load(x + at, mask=at < 5, other=0) > 0:
        at += 1
    tl.store(out, at)


# run: --grid 1 --arg x=ones:f32[8] --arg out=zeros:f32[8]
@triton.jit
def far_away(x, out):
    at = tl.arange(0, 8).to(tl.int64)
    tl.store(out + at, tl.load(x + at * 4294967296))  #! bounds: load of element 4294967296 of 'x', which has elements 0 to 7; tile element (1), the first of 7 of 8
    #= tl.store(out + at, tl.load(x + at * 4294967296, mask=at < 1, other=0.0))


# run: --grid 1 --arg index=values:i8[3,2,-56,0] --arg x=ones:f32[256] --arg out=zeros:f32[4]
@triton.jit
def index_of_small_type(index, x, out):
    at = tl.arange(0, 4)
    where = tl.load(index + at)
    value = tl.load(x + where)  #! bounds: load of element -56 of 'x', which has elements 0 to 255; tile element (2)
    #= value = tl.load(x + where.to(tl.uint8, bitcast=True))
    tl.store(out + at, value)


# run: --grid 1 --arg x=values:i32[0,99,100,50] --arg bins=zeros:i32[10]
@triton.jit
def bin_of_the_end(x, bins):
    value = tl.load(x + tl.arange(0, 4))
    tl.atomic_xchg(bins + value // 10, 1)  #! bounds: atomic update of element 10 of 'bins', which has elements 0 to 9; tile element (2)
    #= tl.atomic_xchg(bins + tl.minimum(value // 10, 9), 1)


# run: --grid 3,2 --arg out=zeros:f32[3,2,8]
@triton.jit
def axes_swapped(out):
    x, y = tl.program_id(0), tl.program_id(1)
    tl.store(out + (x * 3 + y) * 8 + tl.arange(0, 8), 1.0)  #! bounds: store of element 48 of 'out', which has elements 0 to 47; tile element (0), the first of 8 of 8; program (2, 0, 0)
    #= tl.store(out + (x * 2 + y) * 8 + tl.arange(0, 8), 1.0)


# run: --grid 1 --arg x=ones:f32[40] --arg out=zeros:f32[16]
# mended run: --grid 1 --arg x=ones:f32[48] --arg out=zeros:f32[16]
@triton.jit
def advanced_once_more(x, out):
    p = tl.make_block_ptr(x, (48,), (1,), (0,), (16,), (0,))
    total = tl.zeros([16], tl.float32)
    for _ in range(3):
        total += tl.load(p)  #! bounds: load of element 40 of 'x', which has elements 0 to 39; tile element (8), the first of 8 of 16
        p = tl.advance(p, (16,))
    tl.store(out + tl.arange(0, 16), total)


# run: --grid 1 --arg out=zeros:f32[16,16]
# mended run: --grid 1 --arg out=zeros:f32[32,16]
@triton.jit
def descriptor_store(out):
    d = tl.make_tensor_descriptor(out, [32, 16], [16, 1], [16, 16])
    d.store([8, 0], tl.full([16, 16], 1.0, tl.float32))  #! bounds: store of element 256 of 'out', which has elements 0 to 255; tile element (8, 0), the first of 128 of 256
