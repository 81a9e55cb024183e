"""RMS normalisation, forward and backward.

y = x · rstd · w with rstd = 1 / sqrt(mean(x²) + eps), for each row of x
(Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019, equation 4).
With n = x · rstd and g = dy · w the gradients are

    dx = rstd · (g - n · mean(g · n))        dw = sum over the rows of dy · n

x, y, dy, dx are [rows, cols], w and dw are [cols], rstd is [rows]. Backward has
two kernels: dx with one line of partial sums of dw per program, and the sum over
these lines.

    tz run rms_norm.py::rms_norm_fwd --grid 151 --arg x=randn:f16[151,777] --arg y=zeros:f16[151,777] \
        --arg w=randn:f16[777] --arg rstd=zeros:f32[151] --arg stride=i32:777 --arg n_cols=i32:777 \
        --arg eps=f32:1e-6 --constexpr BLOCK=256
"""

import triton
import triton.language as tl


@triton.jit
def rms_norm_fwd(x, y, w, rstd, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        squares += v * v
    inv = tl.rsqrt(tl.sum(squares, axis=0) / n_cols + eps)
    tl.store(rstd + row, inv)

    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        inside = cols < n_cols
        v = tl.load(x + cols, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(w + cols, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + cols, v * inv * scale, mask=inside)


@triton.jit
def rms_norm_bwd(dx, dy, part_dw, x, w, rstd, stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """Rows pid, pid + programs, ...: dx of each, and this program's share of dw."""
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    scale = tl.load(w + cols, mask=inside, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(pid, n_rows, programs):
        at = row * stride + cols
        inv = tl.load(rstd + row)
        normal = tl.load(x + at, mask=inside, other=0.0).to(tl.float32) * inv
        grad = tl.load(dy + at, mask=inside, other=0.0).to(tl.float32)
        scaled = grad * scale
        along = tl.sum(scaled * normal, axis=0) / n_cols
        tl.store(dx + at, (scaled - normal * along) * inv, mask=inside)
        dw += grad * normal
    tl.store(part_dw + pid * n_cols + cols, dw, mask=inside)


@triton.jit
def rms_norm_bwd_dw(part_dw, dw, n_parts, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Sums the lines of partial gradients, BLOCK_N columns per program."""
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_parts, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        inside = (rows[:, None] < n_parts) & (cols[None, :] < n_cols)
        total += tl.load(part_dw + rows[:, None] * n_cols + cols[None, :], mask=inside, other=0.0)
    tl.store(dw + cols, tl.sum(total, axis=0), mask=cols < n_cols)


def rms_norm(x, w, eps=1e-6):
    import torch

    rows, cols = x.shape
    y = torch.empty_like(x)
    rstd = torch.empty(rows, device=x.device, dtype=torch.float32)
    rms_norm_fwd[(rows,)](x, y, w, rstd, x.stride(0), cols, eps, BLOCK=1024)
    return y, rstd


def rms_norm_backward(dy, x, w, rstd, programs=64):
    import torch

    rows, cols = x.shape
    dx, dw = torch.empty_like(x), torch.empty_like(w)
    part_dw = torch.empty(programs, cols, device=x.device, dtype=torch.float32)
    rms_norm_bwd[(programs,)](
        dx, dy, part_dw, x, w, rstd, x.stride(0), rows, cols, BLOCK=triton.next_power_of_2(cols)
    )
    rms_norm_bwd_dw[(triton.cdiv(cols, 64),)](part_dw, dw, programs, cols, BLOCK_M=32, BLOCK_N=64)
    return dx, dw


if __name__ == "__main__":
    import torch

    data = torch.randn(151, 777, device="cuda", requires_grad=True)
    weight = torch.randn(777, device="cuda", requires_grad=True)
    expected = data * torch.rsqrt((data * data).mean(dim=1, keepdim=True) + 1e-6) * weight
    got, inverse = rms_norm(data.detach(), weight.detach())
    print("forward max error", (got - expected).abs().max().item())
    gradient = torch.randn_like(expected)
    expected.backward(gradient)
    data_grad, weight_grad = rms_norm_backward(gradient, data.detach(), weight.detach(), inverse)
    print("dx max error", (data_grad - data.grad).abs().max().item())
    print("dw max error", (weight_grad - weight.grad).abs().max().item())
