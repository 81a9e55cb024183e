"""Row softmax in one pass: each row is read once and written once.

A program takes one row; BLOCK is a power of two that holds the row.

    tz run softmax.py::softmax_kernel --grid 1823 --arg out=zeros:f32[1823,781] --arg x=randn:f32[1823,781] \
        --arg x_row_stride=i32:781 --arg out_row_stride=i32:781 --arg n_cols=i32:781 --constexpr BLOCK=1024
"""

import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, x, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    values = tl.load(x + row * x_row_stride + cols, mask=inside, other=-float("inf"))
    shifted = values - tl.max(values, axis=0)
    weights = tl.exp(shifted)
    result = weights / tl.sum(weights, axis=0)
    tl.store(out + row * out_row_stride + cols, result, mask=inside)


def softmax(x):
    import torch

    rows, cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(cols)
    softmax_kernel[(rows,)](out, x, x.stride(0), out.stride(0), cols, BLOCK=block)
    return out


if __name__ == "__main__":
    import torch

    data = torch.randn(1823, 781, device="cuda")
    print("max error", (softmax(data) - torch.softmax(data, dim=1)).abs().max().item())
