"""Mamba and flash-attention: their Triton kernels, forward and backward. Arguments: a checkout of each.

  race.py record --without-gpu --keep 2 --out records -- python test/bench/race/shapes/mamba.py ~/src/mamba ~/src/flash-attention
"""

import os
import sys

import torch
import triton  # first: the recorder waits for it

assert triton

from without_gpu import attempt, forward_backward, of, without_init  # noqa: E402

without_init("mamba_ssm", os.path.join(sys.argv[1], "mamba_ssm"))
without_init("flash_attn", os.path.join(sys.argv[2], "flash_attn"))


def bf16(*shape):
    return (torch.randn(*shape) * 0.5).to(torch.bfloat16).requires_grad_()


def fp32(*shape):
    return torch.randn(*shape).requires_grad_()


def run(module, function, make, **named):
    attempt(function, lambda: forward_backward(of(module, function), *make(), **named))


def mamba(length, heads, width, states):
    wide = heads * width
    run("mamba_ssm.ops.triton.ssd_combined", "mamba_chunk_scan_combined", lambda: (
        bf16(2, length, heads, width), (torch.rand(2, length, heads) * 0.1).requires_grad_(), (-torch.rand(heads)).requires_grad_(),
        bf16(2, length, 1, states), bf16(2, length, 1, states), 256), D=fp32(heads))
    run("mamba_ssm.ops.triton.layer_norm", "layer_norm_fn", lambda: (bf16(length, wide), fp32(wide), fp32(wide)))
    run("mamba_ssm.ops.triton.layer_norm", "rms_norm_fn", lambda: (bf16(length, wide), fp32(wide), None), residual=bf16(length, wide))
    run("mamba_ssm.ops.triton.layernorm_gated", "rmsnorm_fn", lambda: (bf16(length, wide), bf16(wide), None),
        z=bf16(length, wide), group_size=wide // 8, norm_before_gate=False)
    run("mamba_ssm.ops.triton.selective_state_update", "selective_state_update", lambda: (
        torch.randn(64, heads, width, states), bf16(64, heads, width), bf16(64, heads, width), -torch.rand(heads, width, states),
        bf16(64, 1, states), bf16(64, 1, states)), D=fp32(heads, width), dt_bias=fp32(heads, width), dt_softplus=True)
    run("mamba_ssm.ops.triton.k_activations", "swiglu", lambda: (bf16(length, 8192),))


def flash_attention(rows, columns):
    run("flash_attn.ops.triton.layer_norm", "layer_norm_fn", lambda: (bf16(rows, columns), bf16(columns), bf16(columns)),
        residual=bf16(rows, columns), dropout_p=0.1, prenorm=True)
    for interleaved in (False, True):
        run("flash_attn.ops.triton.rotary", "apply_rotary", lambda: (
            bf16(2, rows // 2, 16, 128).detach(), bf16(rows, 64).detach(), bf16(rows, 64).detach()), interleaved=interleaved)


for size in ((2048, 24, 64, 128), (4096, 64, 64, 64)):
    mamba(*size)
for size in ((4096, 2048), (8192, 4096)):
    flash_attention(*size)
