"""Liger-Kernel: its autograd functions, forward and backward. Argument: a checkout.

  race.py record --without-gpu --out records -- python test/bench/race/shapes/liger.py ~/src/Liger-Kernel
"""

import os
import sys

import torch
import triton  # first: the recorder waits for it

sys.path.insert(0, os.path.join(sys.argv[1], "src"))
assert triton

from without_gpu import attempt, forward_backward, of  # noqa: E402


def bf16(*shape):
    return torch.randn(*shape, dtype=torch.bfloat16).requires_grad_()


def fp32(*shape):
    return torch.randn(*shape).requires_grad_()


def run(module, function, make):
    """make: the function's arguments."""
    attempt(function, lambda: forward_backward(of(f"liger_kernel.ops.{module}", function).apply, *make()))


def norms(rows, columns):
    def x():
        return bf16(rows, columns)

    def w():
        return bf16(columns)
    run("layer_norm", "LigerLayerNormFunction", lambda: (x(), w(), w(), 1e-6))
    run("rms_norm", "LigerRMSNormFunction", lambda: (x(), w(), 1e-6, 0.0, "llama", False))
    run("rms_norm", "LigerRMSNormFunction", lambda: (x(), w(), 1e-6, 1.0, "gemma", False))
    run("poly_norm", "LigerPolyNormFunction", lambda: (x(), bf16(3), bf16(1), 1e-6, True))
    run("dyt", "LigerDyTFunction", lambda: (x(), bf16(1), w(), w()))
    run("fused_add_rms_norm", "LigerFusedAddRMSNormFunction", lambda: (x(), x(), w(), 1e-6, 0.0, "llama", False))


def losses(rows, words):
    targets = torch.randint(0, words, (rows,))
    run("kl_div", "LigerKLDivLossFunction", lambda: (fp32(rows, words), torch.rand(rows, words)))
    run("jsd", "LigerJSDFunction", lambda: (fp32(rows, words), torch.randn(rows, words)))
    run("tvd", "LigerTVDLossFunction", lambda: (fp32(rows, words), torch.rand(rows, words)))
    run("cross_entropy", "LigerCrossEntropyFunction", lambda: (bf16(rows, words), targets, None, -100, 0.0, 0.0, "mean", None, False))
    run("cross_entropy", "LigerCrossEntropyFunction", lambda: (bf16(rows, words), targets, None, -100, 1e-4, 0.1, "mean", 30.0, True))


def embeddings(tokens, width, heads, key_heads):
    def turned(count):
        return torch.randn(1, tokens, count, width, dtype=torch.bfloat16).transpose(1, 2).requires_grad_()

    def angles(*more):
        return torch.randn(*more, 1, tokens, width, dtype=torch.bfloat16)
    run("rope", "LigerRopeFunction", lambda: (turned(heads), turned(key_heads), angles(), angles()))
    run("qwen2vl_mrope", "LigerQwen2VLMRopeFunction", lambda: (turned(heads), turned(key_heads), angles(3), angles(3),
                                                               [width // 8, width // 16 * 3, width // 16 * 3]))
    run("llama4_rope", "LigerLlama4RopeFunction", lambda: (bf16(1, tokens, heads, width), bf16(1, tokens, key_heads, width),
                                                           torch.randn(tokens, width // 2, dtype=torch.complex64)))


for size in ((2048, 4096), (8192, 4096), (4096, 2048), (2048, 8192)):
    norms(*size)
for size in ((2048, 11008), (4096, 14336), (8192, 5632)):
    run("swiglu", "LigerSiLUMulFunction", lambda size=size: (bf16(*size), bf16(*size)))
    run("geglu", "LigerGELUMulFunction", lambda size=size: (bf16(*size), bf16(*size)))
for size in ((1024, 32000), (4096, 32000), (1024, 128256)):
    losses(*size)
for size in ((4096, 1024), (4096, 4096), (4096, 16384), (2048, 65536)):
    run("softmax", "LigerSoftmaxFunction", lambda size=size: (bf16(*size),))
    run("sparsemax", "LigerSparsemaxFunction", lambda size=size: (fp32(*size), -1))
for size in ((2048, 128, 32, 8), (8192, 64, 32, 4), (4096, 128, 64, 8)):
    embeddings(*size)
for size in ((4096, 4096), (2048, 14336)):
    run("relu_squared", "LigerReLUSquaredFunction", lambda size=size: (bf16(*size),))
for batch, length in ((1, 1024), (2, 512)):
    run("multi_token_attention", "LigerMultiTokenAttentionFunction",
        lambda batch=batch, length=length: (fp32(batch, 4, length, length), fp32(4, 4, 3, 3), fp32(4), 1, 1, 1, 1, False))
