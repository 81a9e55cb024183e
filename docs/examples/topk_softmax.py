"""The K largest of each row with their positions, and a softmax over these alone.

For a row x of logits with the K largest x[i_1] >= x[i_2] >= ...:
weight_j = exp(x[i_j]) / sum over l of exp(x[i_l]); of equal elements the first wins
(the gate of Shazeer et al., "Outrageously Large Neural Networks", 2017, equations 3
to 5, without its noise). One program takes one row, BLOCK is a power of two that
holds it, K is a power of two.

topk_softmax_kernel takes the largest K times. topk_softmax_sort_kernel packs value
and position into one integer that orders as they do, and selects all K at once.

x is [rows, cols] with K columns or more, weights and positions are [rows, K].

    tz run topk_softmax.py::topk_softmax_kernel --grid 37 --arg x=randn:f32[37,101] \
        --arg weights=zeros:f32[37,4] --arg positions=zeros:i32[37,4] --arg stride=i32:101 \
        --arg n_cols=i32:101 --constexpr K=4 --constexpr BLOCK=128
"""

import triton
import triton.language as tl


@triton.jit
def store_softmax(weights, positions, row, values, at, K: tl.constexpr):
    """The softmax of K values, the largest of them first."""
    powers = tl.exp(values - tl.max(values, axis=0))
    lanes = row * K + tl.arange(0, K)
    tl.store(weights + lanes, powers / tl.sum(powers, axis=0))
    tl.store(positions + lanes, at)


@triton.jit
def topk_softmax_kernel(x, weights, positions, stride, n_cols, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    left = tl.load(x + row * stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    values = tl.zeros((K,), dtype=tl.float32)
    at = tl.zeros((K,), dtype=tl.int32)
    for j in tl.static_range(K):
        best, where = tl.max(left, axis=0, return_indices=True)
        values = tl.where(tl.arange(0, K) == j, best, values)
        at = tl.where(tl.arange(0, K) == j, where, at)
        left = tl.where(cols == where, -float("inf"), left)
    store_softmax(weights, positions, row, values, at, K)


@triton.jit
def topk_softmax_sort_kernel(x, weights, positions, stride, n_cols, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    # Negative floats order backwards as integers: flip all but their sign.
    bits = v.to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    # Below the value stands the position, counted down so that the first wins.
    keys = (ordered.to(tl.int64) << 32) | (BLOCK - 1 - cols).to(tl.int64)
    chosen = tl.topk(keys, K)
    ordered = (chosen >> 32).to(tl.int32)
    values = (ordered ^ ((ordered >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    at = BLOCK - 1 - (chosen & 0xFFFFFFFF).to(tl.int32)
    store_softmax(weights, positions, row, values, at, K)


def topk_softmax(x, k, sort=False):
    import torch

    rows, cols = x.shape
    weights = torch.empty(rows, k, device=x.device, dtype=torch.float32)
    positions = torch.empty(rows, k, device=x.device, dtype=torch.int32)
    kernel = topk_softmax_sort_kernel if sort else topk_softmax_kernel
    kernel[(rows,)](x, weights, positions, x.stride(0), cols, K=k, BLOCK=triton.next_power_of_2(cols))
    return weights, positions


if __name__ == "__main__":
    import torch

    data = torch.randn(1023, 101, device="cuda")
    best, where = data.topk(8, dim=1)
    expected = torch.softmax(best, dim=1)
    for sort in (False, True):
        got, positions = topk_softmax(data, 8, sort)
        same = torch.equal(positions.long(), where)
        print("sorted" if sort else "in turn", "max error", (got - expected).abs().max().item(), "positions", same)
