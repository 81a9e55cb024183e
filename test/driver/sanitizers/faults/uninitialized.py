"""Planted faults: reads of memory that nothing has written. See run_faults.py for the form."""
import triton
import triton.language as tl


# run: --grid 1 --arg x=empty:f32[64] --arg out=zeros:f32[64]
@triton.jit
def never_written(x, out):
    at = tl.arange(0, 64)
    tl.store(out + at, tl.load(x + at))  #! uninitialized: load of element 0 of 'x', which nothing has written; tile element (0), the first of 64 of 64; program (0, 0, 0)
    #= tl.store(out + at, tl.load(x + at, mask=at < 0, other=0.0))


# run: --grid 1 --arg x=empty:f32[64] --arg out=zeros:f32[64]
@triton.jit
def half_written(x, out):
    at = tl.arange(0, 64)
    tl.store(x + at, 1.0, mask=at < 32)
    tl.store(out + at, tl.load(x + at))  #! uninitialized: load of element 32 of 'x', which nothing has written; tile element (32), the first of 32 of 64
    #= tl.store(out + at, tl.load(x + at, mask=at < 32, other=0.0))


# run: --grid 2 --arg x=empty:f32[64] --arg out=zeros:f32[64]
@triton.jit
def added_to(x, out):
    at = tl.program_id(0) * 32 + tl.arange(0, 32)
    tl.store(x + at, tl.load(x + at) + 1.0)  #! uninitialized: load of element 0 of 'x', which nothing has written; tile element (0), the first of 32 of 32; program (0, 0, 0)
    #= tl.store(x + at, tl.load(out + at) + 1.0)


# run: --grid 1 --arg bins=empty:i32[8]
# mended run: --grid 1 --arg bins=zeros:i32[8]
@triton.jit
def bins_without_zeros(bins):
    tl.atomic_add(bins + tl.arange(0, 8), 1)  #! uninitialized: atomic update of element 0 of 'bins', which nothing has written; tile element (0), the first of 8 of 8


# run: --grid 2 --arg lock=empty:i32[1]
# mended run: --grid 2 --arg lock=zeros:i32[1]
@triton.jit
def lock_without_zero(lock):
    tl.atomic_cas(lock, 0, 1)  #! uninitialized: atomic update of element 0 of 'lock', which nothing has written


# run: --grid 1 --arg x=empty:f32[10] --arg out=zeros:f32[16]
@triton.jit
def scalar_read(x, out):
    for i in range(10):
        tl.store(x + i, 1.0, mask=i != 7)
    for i in range(10):
        tl.store(out + i, tl.load(x + i))  #! uninitialized: load of element 7 of 'x', which nothing has written; program (0, 0, 0)
        #= tl.store(out + i, tl.load(x + i, mask=i != 7, other=0.0))


# run: --grid 1 --arg x=empty:f32[16,16] --arg out=zeros:f32[16,16]
@triton.jit
def block_pointer(x, out):
    at = tl.arange(0, 16)
    tl.store(x + at[:, None] * 16 + at[None, :], 1.0, mask=at[:, None] != 3)
    p = tl.make_block_ptr(x, (16, 16), (16, 1), (0, 0), (16, 16), (1, 0))
    value = tl.load(p)  #! uninitialized: load of element 48 of 'x', which nothing has written; tile element (3, 0), the first of 16 of 256
    #= value = tl.load(x + at[:, None] * 16 + at[None, :], mask=at[:, None] != 3, other=0.0)
    tl.store(out + at[:, None] * 16 + at[None, :], value)


# run: --grid 1 --arg x=empty:f32[16,16] --arg out=zeros:f32[16,16]
@triton.jit
def descriptor(x, out):
    at = tl.arange(0, 16)
    d = tl.make_tensor_descriptor(x, [16, 16], [16, 1], [8, 16])
    d.store([0, 0], tl.full([8, 16], 1.0, tl.float32))
    value = d.load([4, 0])  #! uninitialized: load of element 128 of 'x', which nothing has written; tile element (4, 0), the first of 64 of 128
    #= value = d.load([0, 0])
    tl.store(out + tl.arange(0, 8)[:, None] * 16 + at[None, :], value)


# run: --grid 1 --arg x=empty:i8[16] --arg out=zeros:i32[4]
@triton.jit
def one_byte_of_four(x, out):
    at = tl.arange(0, 16)
    tl.store(x + at, 1, mask=at != 9)
    words = x.to(tl.pointer_type(tl.int32))
    value = tl.load(words + tl.arange(0, 4))  #! uninitialized: load of element 2 of 'x', which nothing has written; tile element (2)
    #= value = tl.load(words + tl.arange(0, 4), mask=tl.arange(0, 4) != 2, other=0)
    tl.store(out + tl.arange(0, 4), value)


# run: --grid 1 --arg x=empty:f32[32] --arg index=values:i32[1,3,20,2] --arg out=zeros:f32[4]
@triton.jit
def gathered(x, index, out):
    at = tl.arange(0, 16)
    tl.store(x + at, 1.0)
    where = tl.load(index + tl.arange(0, 4))
    value = tl.load(x + where)  #! uninitialized: load of element 20 of 'x', which nothing has written; tile element (2)
    #= value = tl.load(x + where % 16)
    tl.store(out + tl.arange(0, 4), value)


# run: --grid 3 --arg x=empty:f16[3,16] --arg out=zeros:f16[3,16]
@triton.jit
def other_row(x, out):
    row, at = tl.program_id(0) * 16, tl.arange(0, 16)
    tl.store(x + row + at, 1.0, mask=at < 12)
    value = tl.load(x + row + at)  #! uninitialized: load of element 12 of 'x', which nothing has written; tile element (12), the first of 4 of 16; program (0, 0, 0)
    #= value = tl.load(x + row + at, mask=at < 12, other=0.0)
    tl.store(out + row + at, value)


# run: --grid 1 --arg x=empty:f32[64] --arg out=zeros:f32[64] --arg n=60
@triton.jit
def mask_of_the_padding(x, out, n):
    at = tl.arange(0, 64)
    tl.store(x + at, 1.0, mask=at < n)
    total = tl.sum(tl.load(x + at, mask=at <= n, other=0.0), 0)  #! uninitialized: load of element 60 of 'x', which nothing has written; tile element (60)
    #= total = tl.sum(tl.load(x + at, mask=at < n, other=0.0), 0)
    tl.store(out, total)
