"""Dropout whose mask is never stored: it is drawn again from the seed (Philox).

    tz run dropout.py::dropout_kernel --grid "cdiv(n,BLOCK)" --arg x=randn:f32[100003] \
        --arg out=zeros:f32[100003] --arg n=i32:100003 --arg p=f32:0.3 --arg seed=i32:123 --constexpr BLOCK=1024
"""

import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    values = tl.load(x + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    tl.store(out + offsets, tl.where(keep, values / (1 - p), 0.0), mask=inside)


def dropout(x, p, seed):
    import torch

    out = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 1024),)](x, out, n, p, seed, BLOCK=1024)
    return out


if __name__ == "__main__":
    import torch

    data = torch.ones(100003, device="cuda")
    first, second = dropout(data, 0.3, 123), dropout(data, 0.3, 123)
    print("same mask", torch.equal(first, second), "kept", (first != 0).float().mean().item())
