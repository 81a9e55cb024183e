"""Histogram of integers with atomics: each program counts a block, then adds its counts.

    tz run histogram.py::histogram_kernel --grid "cdiv(n,BLOCK)" --arg x=randint:i32[100003]:0:64 \
        --arg counts=zeros:i32[64] --arg n=i32:100003 --constexpr BINS=64 --constexpr BLOCK=1024
"""

import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    values = tl.load(x + offsets, mask=inside, other=0)
    tl.atomic_add(counts + values, 1, mask=inside & (values >= 0) & (values < BINS))


@triton.jit
def histogram_blocks_kernel(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    """The same with one atomic per bin and program instead of one per element."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    values = tl.load(x + offsets, mask=inside, other=0)
    local = tl.histogram(values, BINS)
    # Lanes beyond the end counted as zeros: take them out of bin 0 again.
    bins = tl.arange(0, BINS)
    outside = BLOCK - tl.sum(inside.to(tl.int32), axis=0)
    local = local - tl.where(bins == 0, outside, 0)
    tl.atomic_add(counts + bins, local, mask=local != 0)


def histogram(x, bins):
    import torch

    counts = torch.zeros(bins, device=x.device, dtype=torch.int32)
    n = x.numel()
    histogram_kernel[(triton.cdiv(n, 1024),)](x, counts, n, BINS=bins, BLOCK=1024)
    return counts


if __name__ == "__main__":
    import torch

    data = torch.randint(0, 64, (100003,), device="cuda", dtype=torch.int32)
    print("equal", torch.equal(histogram(data, 64).long(), torch.bincount(data, minlength=64)))
