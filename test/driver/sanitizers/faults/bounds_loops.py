"""Planted faults in loops, whose accesses are asked for before they run. See run_faults.py for the form."""
import triton
import triton.language as tl


# run: --grid 1 --arg x=ones:f32[100] --arg out=zeros:f32[32] --arg n=100
@triton.jit
def mask_of_the_last(x, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    p = x + at
    for start in range(0, n, 32):
        total += tl.load(p, mask=at <= n - start, other=0.0)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (4); program (0, 0, 0)
        #= total += tl.load(p, mask=at < n - start, other=0.0)
        p += 32
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[96] --arg out=zeros:f32[16] --arg n=96
@triton.jit
def middle_iteration(x, out, n):
    at = tl.arange(0, 16)
    total = tl.zeros([16], tl.float32)
    for start in range(0, n, 16):
        total += tl.load(x + start * 11 % 101 + at)  #! bounds: load of element 98 of 'x', which has elements 0 to 95; tile element (0), the first of 16 of 16
        #= total += tl.load(x + start * 11 % 80 + at)
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[96] --arg out=zeros:f32[16] --arg n=6
@triton.jit
def saw_teeth(x, out, n):
    at = tl.arange(0, 16)
    total = tl.zeros([16], tl.float32)
    for i in range(n):
        total += tl.load(x + i // 2 * 64 - i * 16 + at)  #! bounds: load of element -16 of 'x', which has elements 0 to 95; tile element (0), the first of 16 of 16
        #= total += tl.load(x + i // 2 * 32 - i % 2 * 16 + 16 + at)
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[192] --arg out=zeros:f32[16] --arg n=8
@triton.jit
def arch(x, out, n):
    at = tl.arange(0, 16)
    total = tl.zeros([16], tl.float32)
    for i in range(n):
        total += tl.load(x + i * (n - 1 - i) * 16 + at)  #! bounds: load of element 192 of 'x', which has elements 0 to 191; tile element (0), the first of 16 of 16
        #= total += tl.load(x + i * (n - 1 - i) * 14 + at)
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[8,16] --arg out=zeros:f32[16,16] --arg n=2
@triton.jit
def mask_of_the_other_side(x, out, n):
    at = tl.arange(0, 16)
    total = tl.zeros([16, 16], tl.float32)
    for i in range(n):
        total += tl.load(x + at[:, None] * 16 + at[None, :], mask=at[None, :] < 8 + i, other=0.0)  #! bounds: load of element 128 of 'x', which has elements 0 to 127; tile element (8, 0), the first of 64 of 256
        #= total += tl.load(x + at[:, None] * 16 + at[None, :], mask=at[:, None] < 7 + i, other=0.0)
    tl.store(out + at[:, None] * 16 + at[None, :], total)


# run: --grid 1 --arg x=ones:f32[100] --arg out=zeros:f32[32] --arg n=4
@triton.jit
def backwards(x, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    p = x + 68 + at
    for i in range(n):
        total += tl.load(p)  #! bounds: load of element -28 of 'x', which has elements 0 to 99; tile element (0), the first of 28 of 32
        #= total += tl.load(p, mask=at >= 32 * i - 68, other=0.0)
        p -= 32
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[100] --arg out=zeros:f32[32] --arg n=4
@triton.jit
def moved_block(x, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    p = tl.make_block_ptr(x, (100,), (1,), (0,), (32,), (0,))
    for i in range(n):
        total += tl.load(p)  #! bounds: load of element 100 of 'x', which has elements 0 to 99; tile element (4), the first of 28 of 32
        #= total += tl.load(p, boundary_check=(0,))
        p = tl.advance(p, (32,))
    tl.store(out + at, total)


# run: --grid 1 --arg x=ones:f32[64] --arg out=zeros:f32[100] --arg n=4
@triton.jit
def one_of_two_in_a_branch(x, out, n):
    at = tl.arange(0, 32)
    for i in range(n):
        value = tl.zeros([32], tl.float32)
        if i < 2:
            value = tl.load(x + i * 32 + at)
        tl.store(out + i * 32 + at, value)  #! bounds: store of element 100 of 'out', which has elements 0 to 99; tile element (4), the first of 28 of 32
        #= tl.store(out + i * 32 + at, value, mask=i * 32 + at < 100)


# run: --grid 1 --arg x=ones:f32[64] --arg index=values:i32[0,32,40,8] --arg out=zeros:f32[32] --arg n=4
@triton.jit
def loaded_start(x, index, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    for i in range(n):
        total += tl.load(x + tl.load(index + i) + at)  #! bounds: load of element 64 of 'x', which has elements 0 to 63; tile element (24), the first of 8 of 32
        #= total += tl.load(x + tl.load(index + i) % 33 + at)
    tl.store(out + at, total)


# run: --grid 3 --arg x=ones:f16[40,70] --arg y=ones:f16[70,24] --arg out=zeros:f32[48,32] --arg K=70
@triton.jit
def product_without_rows(x, y, out, K):
    rows, columns, inner = tl.program_id(0) * 16 + tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 32)
    total = tl.zeros([16, 32], tl.float32)
    for k in range(0, K, 32):
        a = tl.load(x + rows[:, None] * K + k + inner[None, :], mask=inner[None, :] < K - k, other=0.0)  #! bounds: load of element 2800 of 'x', which has elements 0 to 2799; tile element (8, 0), the first of 256 of 512; program (2, 0, 0)
        #= a = tl.load(x + rows[:, None] * K + k + inner[None, :], mask=(rows[:, None] < 40) & (inner[None, :] < K - k), other=0.0)
        b = tl.load(y + (k + inner[:, None]) * 24 + columns[None, :], mask=(columns[None, :] < 24) & (k + inner[:, None] < K), other=0.0)
        total = tl.dot(a, b, total)
    tl.store(out + rows[:, None] * 32 + columns[None, :], total)


# run: --grid 1 --arg x=ones:f32[64] --arg out=zeros:f32[32] --arg n=0
# clean: bounds
@triton.jit
def no_iteration(x, out, n):
    at = tl.arange(0, 32)
    total = tl.zeros([32], tl.float32)
    for i in range(n):
        total += tl.load(x + 1000 + i * 32 + at)
    tl.store(out + at, total)
