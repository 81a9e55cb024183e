"""Rows of a table by number, and the gradient of the table.

Forward: out[i] = table[ids[i]]. Backward: grad_table[r] = the sum of grad_out[i] over
all i with ids[i] == r (the transpose of the selection matrix times grad_out); several
i may have one r, so the additions are atomic, in float32. `padding` is a row that
gets no gradient.

ids is [n] of int32 or int64, table is [rows, cols], out and grad_out are [n, cols].

    tz run embedding.py::embedding_bwd --grid "101,cdiv(cols,BLOCK)" --arg "ids=randint(0,13):i64[101]" \
        --arg grad_out=randn:f16[101,cols] --arg grad_table=zeros:f32[13,cols] \
        --arg cols=i32:77 --arg padding=i32:0 --constexpr BLOCK=64
"""

import triton
import triton.language as tl


@triton.jit
def embedding_fwd(ids, table, out, n, cols, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    items = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rows = tl.load(ids + items, mask=items < n, other=0).to(tl.int64)
    inside = (items[:, None] < n) & (at[None, :] < cols)
    values = tl.load(table + rows[:, None] * cols + at[None, :], mask=inside)
    tl.store(out + items[:, None] * cols + at[None, :], values, mask=inside)


@triton.jit
def embedding_bwd(ids, grad_out, grad_table, cols, padding, BLOCK: tl.constexpr):
    item = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(ids + item).to(tl.int64)
    if row != padding:
        grad = tl.load(grad_out + item * cols + at, mask=at < cols, other=0.0).to(tl.float32)
        tl.atomic_add(grad_table + row * cols + at, grad, mask=at < cols, sem="relaxed")


def embedding(ids, table):
    import torch

    n, cols = ids.numel(), table.shape[1]
    out = torch.empty(n, cols, device=table.device, dtype=table.dtype)
    grid = (triton.cdiv(n, 8), triton.cdiv(cols, 128))
    embedding_fwd[grid](ids, table, out, n, cols, BLOCK_M=8, BLOCK_N=128)
    return out


def embedding_backward(ids, grad_out, rows, padding=-1):
    import torch

    n, cols = grad_out.shape
    grad_table = torch.zeros(rows, cols, device=grad_out.device, dtype=torch.float32)
    embedding_bwd[(n, triton.cdiv(cols, 128))](ids, grad_out, grad_table, cols, padding, BLOCK=128)
    return grad_table


if __name__ == "__main__":
    import torch

    table = torch.randn(1003, 203, device="cuda", requires_grad=True)
    ids = torch.randint(0, 1003, (4099,), device="cuda")
    expected = torch.nn.functional.embedding(ids, table, padding_idx=0)
    gradient = torch.randn_like(expected)
    expected.backward(gradient)
    print("equal", torch.equal(embedding(ids, table.detach()), expected))
    got = embedding_backward(ids, gradient, 1003, padding=0)
    print("gradient max error", (got - table.grad).abs().max().item())
