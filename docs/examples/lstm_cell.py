"""One step of a long short-term memory: both products, the gates and the new state at once.

With [i f g o] = x W_xᵀ + h W_hᵀ + bias, four gates of HIDDEN columns each,

    c' = sigmoid(f) ∘ c + sigmoid(i) ∘ tanh(g)        h' = sigmoid(o) ∘ tanh(c')

(Hochreiter and Schmidhuber, 1997, with the forget gate of Gers et al., 2000; the
gates are in PyTorch's order). x is [batch, inputs], h and c are [batch, hidden],
W_x is [4 · hidden, inputs], W_h is [4 · hidden, hidden], bias is [4 · hidden]. A
program makes BLOCK_M x BLOCK_N of the new state, and so the four gates of these.

    tz run lstm_cell.py::lstm_cell_kernel --grid "cdiv(batch,BLOCK_M),cdiv(hidden,BLOCK_N)" \
        --arg x=randn:f16[batch,inputs] --arg h=randn:f16[batch,hidden] --arg c=randn:f32[batch,hidden] \
        --arg w_x=randn:f16[4*hidden,inputs] --arg w_h=randn:f16[4*hidden,hidden] \
        --arg bias=randn:f32[4*hidden] --arg new_h=zeros:f16[batch,hidden] \
        --arg new_c=zeros:f32[batch,hidden] --arg batch=i32:19 --arg inputs=i32:45 --arg hidden=i32:77 \
        --constexpr BLOCK_M=16 --constexpr BLOCK_N=32 --constexpr BLOCK_K=32
"""

import triton
import triton.language as tl


@triton.jit
def tanh(x):
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def load_gate(w, gate, cols, at, hidden, K):
    """Columns of one gate's weights, transposed: [at, cols]."""
    rows = gate * hidden + cols
    return tl.load(w + rows[None, :] * K + at[:, None], mask=(cols[None, :] < hidden) & (at[:, None] < K), other=0.0)


@triton.jit
def add_product(gates, v, w, rows, cols, batch, hidden, K, BLOCK_K: tl.constexpr):
    """The four gates plus v wᵀ; v is [batch, K], w is [4 * hidden, K]."""
    i, f, g, o = gates
    for start in range(0, K, BLOCK_K):
        at = start + tl.arange(0, BLOCK_K)
        inside = (rows[:, None] < batch) & (at[None, :] < K)
        v_tile = tl.load(v + rows[:, None] * K + at[None, :], mask=inside, other=0.0)
        i = tl.dot(v_tile, load_gate(w, 0, cols, at, hidden, K), i)
        f = tl.dot(v_tile, load_gate(w, 1, cols, at, hidden, K), f)
        g = tl.dot(v_tile, load_gate(w, 2, cols, at, hidden, K), g)
        o = tl.dot(v_tile, load_gate(w, 3, cols, at, hidden, K), o)
    return i, f, g, o


@triton.jit
def lstm_cell_kernel(
    x, h, c, w_x, w_h, bias, new_h, new_c, batch, inputs, hidden,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    col_ok = cols < hidden
    zero = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    i = zero + tl.load(bias + cols, mask=col_ok, other=0.0)[None, :]
    f = zero + tl.load(bias + hidden + cols, mask=col_ok, other=0.0)[None, :]
    g = zero + tl.load(bias + 2 * hidden + cols, mask=col_ok, other=0.0)[None, :]
    o = zero + tl.load(bias + 3 * hidden + cols, mask=col_ok, other=0.0)[None, :]
    gates = add_product((i, f, g, o), x, w_x, rows, cols, batch, hidden, inputs, BLOCK_K)
    i, f, g, o = add_product(gates, h, w_h, rows, cols, batch, hidden, hidden, BLOCK_K)

    at = rows[:, None] * hidden + cols[None, :]
    inside = (rows[:, None] < batch) & col_ok[None, :]
    old = tl.load(c + at, mask=inside, other=0.0).to(tl.float32)
    state = tl.sigmoid(f) * old + tl.sigmoid(i) * tanh(g)
    tl.store(new_c + at, state.to(new_c.dtype.element_ty), mask=inside)
    tl.store(new_h + at, (tl.sigmoid(o) * tanh(state)).to(new_h.dtype.element_ty), mask=inside)


def lstm_cell(x, h, c, w_x, w_h, bias):
    import torch

    (batch, inputs), hidden = x.shape, h.shape[1]
    new_h, new_c = torch.empty_like(h), torch.empty_like(c)
    lstm_cell_kernel[(triton.cdiv(batch, 16), triton.cdiv(hidden, 32))](
        x, h, c, w_x, w_h, bias, new_h, new_c, batch, inputs, hidden, BLOCK_M=16, BLOCK_N=32, BLOCK_K=32
    )
    return new_h, new_c


if __name__ == "__main__":
    import torch

    cell = torch.nn.LSTMCell(133, 203, device="cuda")
    data, state, memory = (torch.randn(37, n, device="cuda") for n in (133, 203, 203))
    with torch.no_grad():
        expected = cell(data, (state, memory))
        weights = cell.weight_ih.half(), cell.weight_hh.half(), cell.bias_ih + cell.bias_hh
        got = lstm_cell(data.half(), state.half(), memory, *weights)
    for name, mine, theirs in zip(("h", "c"), got, expected):
        print(name, "max error", (mine - theirs).abs().max().item())
