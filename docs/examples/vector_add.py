"""Vector addition: the smallest useful kernel.

Every program adds one block of BLOCK elements; the last block is cut by a mask.

    tz run vector_add.py::add_kernel --grid "cdiv(n,BLOCK)" --arg x=randn:f32[100003] \
        --arg y=randn:f32[100003] --arg out=zeros:f32[100003] --arg n=i32:100003 --constexpr BLOCK=1024
"""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    a = tl.load(x + offsets, mask=inside)
    b = tl.load(y + offsets, mask=inside)
    tl.store(out + offsets, a + b, mask=inside)


def add(x, y):
    import torch

    out = torch.empty_like(x)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out


if __name__ == "__main__":
    import torch

    a = torch.rand(100003, device="cuda")
    b = torch.rand(100003, device="cuda")
    print("max error", (add(a, b) - (a + b)).abs().max().item())
