"""Layer normalisation, forward and backward.

Forward keeps the mean and the reciprocal deviation of each row. Backward has
two kernels: the gradient of the input with partial sums of the parameters'
gradients (one line of partial sums per program), and the sum over these lines.

    tz run layer_norm.py::layer_norm_fwd --grid 151 --arg x=randn:f32[151,777] --arg y=zeros:f32[151,777] \
        --arg w=randn:f32[777] --arg b=randn:f32[777] --arg mean=zeros:f32[151] --arg rstd=zeros:f32[151] \
        --arg stride=i32:777 --arg n_cols=i32:777 --arg eps=f32:1e-5 --constexpr BLOCK=256
"""

import triton
import triton.language as tl


@triton.jit
def layer_norm_fwd(x, y, w, b, mean, rstd, stride, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride

    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        total += tl.load(x + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    mu = tl.sum(total, axis=0) / n_cols

    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        v = tl.load(x + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        centred = tl.where(cols < n_cols, v - mu, 0.0)
        squares += centred * centred
    inv = 1 / tl.sqrt(tl.sum(squares, axis=0) / n_cols + eps)

    tl.store(mean + row, mu)
    tl.store(rstd + row, inv)
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        inside = cols < n_cols
        scale = tl.load(w + cols, mask=inside)
        shift = tl.load(b + cols, mask=inside)
        v = tl.load(x + cols, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + cols, (v - mu) * inv * scale + shift, mask=inside)


@triton.jit
def layer_norm_bwd_dx(
    dx, dy, part_dw, part_db, x, w, mean, rstd, stride, n_rows, n_cols, BLOCK: tl.constexpr
):
    """Rows pid, pid + programs, ...: dx of each, and this program's share of dw and db."""
    pid = tl.program_id(0)
    programs = tl.num_programs(0)
    cols = tl.arange(0, BLOCK)
    inside = cols < n_cols
    scale = tl.load(w + cols, mask=inside, other=0.0).to(tl.float32)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(pid, n_rows, programs):
        at = row * stride + cols
        v = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
        g = tl.load(dy + at, mask=inside, other=0.0).to(tl.float32)
        mu = tl.load(mean + row)
        inv = tl.load(rstd + row)
        normal = tl.where(inside, (v - mu) * inv, 0.0)
        scaled = tl.where(inside, g * scale, 0.0)
        along = tl.sum(normal * scaled, axis=0) / n_cols
        level = tl.sum(scaled, axis=0) / n_cols
        tl.store(dx + at, (scaled - (normal * along + level)) * inv, mask=inside)
        dw += g * normal
        db += g
    tl.store(part_dw + pid * n_cols + cols, dw, mask=inside)
    tl.store(part_db + pid * n_cols + cols, db, mask=inside)


@triton.jit
def layer_norm_bwd_dwdb(
    part_dw, part_db, dw, db, n_parts, n_cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr
):
    """Sums the lines of partial gradients, BLOCK_N columns per program."""
    cols = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    dw_sum = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    db_sum = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_parts, BLOCK_M):
        rows = start + tl.arange(0, BLOCK_M)
        inside = (rows[:, None] < n_parts) & (cols[None, :] < n_cols)
        at = rows[:, None] * n_cols + cols[None, :]
        dw_sum += tl.load(part_dw + at, mask=inside, other=0.0)
        db_sum += tl.load(part_db + at, mask=inside, other=0.0)
    tl.store(dw + cols, tl.sum(dw_sum, axis=0), mask=cols < n_cols)
    tl.store(db + cols, tl.sum(db_sum, axis=0), mask=cols < n_cols)


def layer_norm(x, w, b, eps=1e-5):
    import torch

    rows, cols = x.shape
    y = torch.empty_like(x)
    mean = torch.empty(rows, device=x.device, dtype=torch.float32)
    rstd = torch.empty_like(mean)
    layer_norm_fwd[(rows,)](x, y, w, b, mean, rstd, x.stride(0), cols, eps, BLOCK=1024)
    return y, mean, rstd


def layer_norm_backward(dy, x, w, mean, rstd, programs=64):
    import torch

    rows, cols = x.shape
    dx = torch.empty_like(x)
    part_dw = torch.empty(programs, cols, device=x.device, dtype=torch.float32)
    part_db = torch.empty_like(part_dw)
    dw, db = torch.empty_like(w), torch.empty_like(w)
    block = triton.next_power_of_2(cols)
    layer_norm_bwd_dx[(programs,)](
        dx, dy, part_dw, part_db, x, w, mean, rstd, x.stride(0), rows, cols, BLOCK=block
    )
    layer_norm_bwd_dwdb[(triton.cdiv(cols, 64),)](
        part_dw, part_db, dw, db, programs, cols, BLOCK_M=32, BLOCK_N=64
    )
    return dx, dw, db


if __name__ == "__main__":
    import torch

    data = torch.randn(151, 777, device="cuda", requires_grad=True)
    weight = torch.randn(777, device="cuda", requires_grad=True)
    bias = torch.randn(777, device="cuda", requires_grad=True)
    expected = torch.nn.functional.layer_norm(data, (777,), weight, bias)
    got, mean, rstd = layer_norm(data.detach(), weight.detach(), bias.detach())
    print("forward max error", (got - expected).abs().max().item())
    grad = torch.randn_like(expected)
    expected.backward(grad)
    dx, dw, db = layer_norm_backward(grad, data.detach(), weight.detach(), mean, rstd)
    print("dx max error", (dx - data.grad).abs().max().item())
    print("dw max error", (dw - weight.grad).abs().max().item())
    print("db max error", (db - bias.grad).abs().max().item())
