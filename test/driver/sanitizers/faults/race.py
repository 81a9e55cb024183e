"""Planted faults: two programs that touch one element, which nothing orders. See run_faults.py for the form."""
import triton
import triton.language as tl


# run: --grid 2 --arg out=zeros:i32[8]
@triton.jit
def same_block(out):
    tl.store(out + tl.arange(0, 8), tl.program_id(0))  #! race: store of element 0 of 'out'
    #= tl.store(out + tl.program_id(0) * 4 + tl.arange(0, 8), tl.program_id(0), mask=tl.arange(0, 8) < 4)


# run: --grid 2 --arg out=zeros:i32[12]
@triton.jit
def overlapping_blocks(out):
    at = tl.program_id(0) * 4 + tl.arange(0, 8)
    tl.store(out + at, tl.program_id(0))  #! race: store of element 4 of 'out'
    #= tl.store(out + at, tl.program_id(0), mask=tl.arange(0, 8) < 4)


# run: --grid 4 --arg out=zeros:i32[1]
@triton.jit
def one_element(out):
    tl.store(out, tl.program_id(0))  #! race: store of element 0 of 'out'
    #= tl.store(out, tl.program_id(0), mask=tl.program_id(0) == 0)


# run: --grid 2,2 --arg out=zeros:i32[4]
@triton.jit
def forgotten_axis(out):
    tl.store(out + tl.program_id(0), tl.program_id(1))  #! race: store of element 0 of 'out'
    #= tl.store(out + tl.program_id(1) * 2 + tl.program_id(0), tl.program_id(1))


# run: --grid 4 --arg x=zeros:f32[64]
@triton.jit
def neighbour(x):
    at = tl.program_id(0) * 16 + tl.arange(0, 16)
    value = tl.load(x + at + 1, mask=at < 63, other=0.0)  #! race: element 16 of 'x'
    #= value = tl.load(x + at)
    tl.store(x + at, value + 1.0)


# run: --grid 4 --arg x=ones:f32[32] --arg total=zeros:f32[1]
@triton.jit
def sum_without_atomic(x, total):
    value = tl.sum(tl.load(x + tl.program_id(0) * 8 + tl.arange(0, 8)), 0)
    tl.store(total, tl.load(total) + value)  #! race: element 0 of 'total'
    #= tl.atomic_add(total, value)


# run: --grid 4 --arg x=values:i32[1,2,1,3] --arg bins=zeros:i32[4]
@triton.jit
def scattered(x, bins):
    at = tl.load(x + tl.program_id(0))
    tl.store(bins + at, tl.program_id(0))  #! race: store of element 1 of 'bins'
    #= tl.atomic_xchg(bins + at, tl.program_id(0))


# run: --grid 2 --arg count=zeros:i32[1] --arg out=zeros:i32[2]
@triton.jit
def read_of_a_counter(count, out):
    tl.atomic_add(count, 1)
    tl.store(out + tl.program_id(0), tl.load(count))  #! race: element 0 of 'count'
    #= tl.store(out + tl.program_id(0), tl.atomic_add(count, 0))


# run: --grid 2 --arg count=zeros:i32[1]
@triton.jit
def reset_of_a_counter(count):
    tl.store(count, 0)  #! race: store of element 0 of 'count'
    #= tl.atomic_xchg(count, 0)
    tl.atomic_add(count, 1)


# run: --grid 2 --arg x=ones:f32[16] --arg out=zeros:f32[16]
@triton.jit
def tail_without_mask(x, out):
    at = tl.program_id(0) * 8 + tl.arange(0, 16)
    value = tl.load(x + at, mask=at < 16, other=0.0)
    tl.store(out + at, value, mask=at < 16)  #! race: store of element 8 of 'out'
    #= tl.store(out + at, value, mask=tl.arange(0, 16) < 8)


# run: --grid 2 --arg out=zeros:f32[24,16]
# mended run: --grid 1 --arg out=zeros:f32[24,16]
@triton.jit
def block_pointers(out):
    p = tl.make_block_ptr(out, (24, 16), (16, 1), (8 * tl.program_id(0), 0), (16, 16), (1, 0))
    tl.store(p, tl.full([16, 16], 1.0, tl.float32) * tl.program_id(0))  #! race: store of element 128 of 'out'


# run: --grid 2 --arg out=zeros:f32[24,16]
@triton.jit
def descriptors(out):
    d = tl.make_tensor_descriptor(out, [24, 16], [16, 1], [16, 16])
    d.store([8 * tl.program_id(0), 0], tl.full([16, 16], 1.0, tl.float32) * tl.program_id(0))  #! race: store of element 128 of 'out'
    #= d.store([24 * tl.program_id(0), 0], tl.full([16, 16], 1.0, tl.float32) * tl.program_id(0))


# run: --grid 2 --arg out=zeros:i32[8]
@triton.jit
def in_a_loop(out):
    for i in range(4):
        tl.store(out + tl.program_id(0) * 3 + i, i)  #! race: store of element 3 of 'out'
        #= tl.store(out + tl.program_id(0) * 4 + i, i)


# run: --grid 3 --arg x=arange:f32[3,8] --arg out=zeros:f32[8]
@triton.jit
def column_sums(x, out):
    row, columns = tl.program_id(0), tl.arange(0, 8)
    value = tl.load(x + row * 8 + columns)
    tl.store(out + columns, value)  #! race: store of element 0 of 'out'
    #= tl.atomic_add(out + columns, value)


# run: --grid 4,4 --arg x=arange:f32[8,8]
@triton.jit
def transposed_in_place(x):
    rows = tl.program_id(0) * 2 + tl.arange(0, 2)[:, None]
    columns = tl.program_id(1) * 2 + tl.arange(0, 2)[None, :]
    value = tl.load(x + rows * 8 + columns)
    tl.store(x + columns * 8 + rows, value)  #! race: element 2 of 'x'
    #= tl.store(x + rows * 8 + columns, value)


# run: --grid 2 --arg x=zeros:i16[6] --arg out=zeros:i32[2]
@triton.jit
def halves(x, out):
    tl.store(x + 2 * tl.program_id(0) + tl.arange(0, 4), tl.program_id(0).to(tl.int16))  #! race: store of element 2 of 'x'
    #= tl.store(x + 2 * tl.program_id(0) + tl.arange(0, 2), tl.program_id(0).to(tl.int16))
    tl.store(out + tl.program_id(0), 1)
