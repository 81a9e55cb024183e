"""A matrix product whose operands come as tensor descriptors, with a tuple of extras.

c = scale a b + bias with a [M, K], b [K, N] and c [M, N], all described by the host:
base, shape, strides and the block that a program takes at once. Reads outside of a
tensor give zero and writes there are dropped, so there are no masks, and the shapes
come from the descriptors. `extras` is a named tuple; a bias that is None costs nothing.

    tz run descriptor_matmul.py::descriptor_matmul --grid "cdiv(203,BLOCK_M),cdiv(77,BLOCK_N)" \
        --arg a=desc:randn:f16[203,301]:block[BLOCK_M,BLOCK_K] --arg b=desc:randn:f16[301,77]:block[BLOCK_K,BLOCK_N] \
        --arg c=desc:zeros:f16[203,77]:block[BLOCK_M,BLOCK_N] --arg "extras=(scale=0.5, bias=randn:f32[77])" \
        --constexpr BLOCK_M=64 --constexpr BLOCK_N=64 --constexpr BLOCK_K=64
"""

from collections import namedtuple

import triton
import triton.language as tl

Extras = namedtuple("Extras", ["scale", "bias"])


@triton.jit
def descriptor_matmul(a, b, c, extras, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    row = tl.program_id(0) * BLOCK_M
    col = tl.program_id(1) * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, a.shape[1], BLOCK_K):
        acc = tl.dot(a.load([row, k]), b.load([k, col]), acc)
    acc *= extras.scale
    if extras.bias is not None:
        cols = col + tl.arange(0, BLOCK_N)
        acc += tl.load(extras.bias + cols, mask=cols < c.shape[1], other=0.0)[None, :]
    c.store([row, col], acc.to(c.dtype))


def matmul(a, b, scale=1.0, bias=None):
    """c = scale a b + bias for PyTorch tensors whose rows are multiples of 16 bytes."""
    import torch
    from triton.tools.tensor_descriptor import TensorDescriptor

    c = torch.empty((a.shape[0], b.shape[1]), device=a.device, dtype=a.dtype)
    block = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}
    grid = (triton.cdiv(c.shape[0], block["BLOCK_M"]), triton.cdiv(c.shape[1], block["BLOCK_N"]))
    descriptors = [TensorDescriptor.from_tensor(x, [64, 64]) for x in (a, b, c)]
    descriptor_matmul[grid](*descriptors, Extras(scale, bias), **block)
    return c
