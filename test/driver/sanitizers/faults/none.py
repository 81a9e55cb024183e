"""Kernels without a fault. See run_faults.py for the form."""
import triton
import triton.language as tl


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
