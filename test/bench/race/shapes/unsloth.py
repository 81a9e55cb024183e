"""Unsloth: its kernels, forward and backward. Argument: a checkout.

  race.py record --without-gpu --keep 6 --out records -- python test/bench/race/shapes/unsloth.py ~/src/unsloth
"""

import functools
import itertools
import logging
import os
import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from packaging.version import Version  # noqa: E402
from without_gpu import attempt, forward_backward, of, random, stand_in, without_init  # noqa: E402

without_init("unsloth", os.path.join(sys.argv[1], "unsloth"))
without_init("unsloth.kernels", os.path.join(sys.argv[1], "unsloth", "kernels"))
sys.modules["unsloth"].DEVICE_TYPE = "cuda"
stand_in("unsloth_zoo.utils", Version=Version)
stand_in("unsloth_zoo.log", logger=logging.getLogger())
stand_in("unsloth_zoo.temporary_patches.common", torch_compile=lambda function: function)
stand_in("unsloth_zoo.patching_utils")
stand_in("unsloth_zoo.loss_utils")
stand_in("pandas")
as_cuda.install()

KERNELS = "unsloth.kernels"
FP8 = torch.float8_e4m3fn


def bf16(*shape, scale=1.0):
    return random(*shape, scale=scale).requires_grad_()


def run(module, function, make, **named):
    attempt(function, lambda: forward_backward(of(f"{KERNELS}.{module}", function), *make(), **named))


def apply(module, function, make):
    attempt(function, lambda: forward_backward(of(f"{KERNELS}.{module}", function).apply, *make()))


def norms(rows, columns, dtype):
    def x():
        return random(rows, columns, dtype=dtype).requires_grad_()

    def w():
        return random(columns, dtype=dtype).requires_grad_()
    for gemma in (False, True):
        apply("rms_layernorm", "Fast_RMS_Layernorm", lambda gemma=gemma: (x(), w(), 1e-6, gemma))
    apply("layernorm", "Fast_Layernorm", lambda: (x(), w(), w(), 1e-5))


def rope(batch, tokens, heads, key_heads, width):
    def turned(count):
        return bf16(batch, tokens, count, width).transpose(1, 2)

    def angles():
        return random(tokens, width)
    run("rope_embedding", "fast_rope_embedding", lambda: (turned(heads), turned(key_heads), angles(), angles()))
    run("rope_embedding", "fast_rope_embedding", lambda: (turned(heads), turned(key_heads), angles(), angles(),
                                                          torch.arange(tokens).expand(batch, -1)))
    apply("rope_embedding", "Fast_RoPE_Embedding", lambda: (bf16(batch, tokens, heads, width), angles(), angles()))


def gated(tokens, columns):
    def flat():
        return bf16(tokens, columns).detach()

    def x():
        return flat().unsqueeze(0)
    for kind in ("exact", "approx"):
        run("geglu", f"geglu_{kind}_forward_kernel", lambda: (x(), x()))
        run("geglu", f"geglu_{kind}_backward_kernel", lambda: (flat(), flat(), flat()))
    run("swiglu", "swiglu_fg_kernel", lambda: (x(), x()))
    run("swiglu", "swiglu_DWf_DW_dfg_kernel", lambda: (flat(), flat(), flat()))


def losses(rows, words):
    targets = torch.randint(0, words, (rows,))
    targets[::17] = -100
    for softcap, scale in ((0, 0), (30.0, 0), (0, 0.0625)):
        apply("cross_entropy_loss", "Fast_CrossEntropyLoss", lambda softcap=softcap, scale=scale: (bf16(rows, words), targets, softcap, scale))


def fp8(tokens, rows, columns):
    """rows and columns of a weight."""
    def weight():
        return random(rows, columns, dtype=FP8)

    def scales():
        return torch.rand(triton.cdiv(rows, 128), triton.cdiv(columns, 128)) * 0.01
    run("fp8", "act_quant", lambda: (random(tokens, columns),))
    run("fp8", "weight_dequant_block", lambda: (weight(), scales()))
    run("fp8", "w8a8_block_fp8_matmul_triton", lambda: (random(tokens, columns, dtype=FP8), weight(), torch.rand(tokens, columns // 128), scales(),
                                                        [128, 128]), output_dtype=torch.bfloat16)


def experts(tokens, hidden, inner, count, topk, **tma):
    """Both grouped products of a layer: gate and up, which permute what they read; down, which permutes what it writes."""
    interface, tuning = f"{KERNELS}.moe.grouped_gemm.interface", f"{KERNELS}.moe.grouped_gemm.kernels.tuning"
    chosen = torch.rand(tokens, count).topk(topk).indices.flatten()
    sizes = torch.bincount(chosen, minlength=count).to(torch.int32)
    order = chosen.argsort(stable=True).to(torch.int32)
    blocks = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "num_warps": 8, "num_stages": 3}

    def configurations(first):
        def of_kind(kind, *words):
            return of(tuning, f"KernelConfig{kind}")(**blocks, **{f"use_tma_{word}": True for word in words if tma})
        return {"kernel_config_fwd": of_kind("Forward", "load_w", *([] if first else ["load_x"])),
                "kernel_config_bwd_dX": of_kind("Backward_dX", "load_w", *(["load_dy"] if first else [])),
                "kernel_config_bwd_dW": of_kind("Backward_dW", *(["load_dy"] if first else ["load_x"]), "store")}

    def both():
        grouped = of(interface, "grouped_gemm")
        forward_backward(functools.partial(grouped, permute_x=True, is_first_gemm=True, gather_indices=order, **configurations(True)),
                         bf16(tokens, hidden, scale=0.1), bf16(count, 2 * inner, hidden, scale=0.1), sizes, topk)
        forward_backward(functools.partial(grouped, permute_y=True, is_first_gemm=False, gather_indices=order, **configurations(False)),
                         bf16(tokens * topk, inner, scale=0.1), bf16(count, hidden, inner, scale=0.1), sizes, topk)
        of(interface)._FUSED_MUL_WARN = True  # which the library asks for and does not have
        with torch.no_grad():
            grouped(bf16(tokens * topk, inner, scale=0.1), bf16(count, hidden, inner, scale=0.1), sizes, topk, order, permute_y=True, is_first_gemm=False,
                    topk_weights=torch.rand(tokens * topk, dtype=torch.bfloat16), fuse_mul_post=True, kernel_config_fwd=configurations(False)["kernel_config_fwd"])
    attempt(f"grouped_gemm of {count} experts", both)


for size, dtype in itertools.product(((2048, 4096), (8192, 2048)), (torch.bfloat16, torch.float16)):
    norms(*size, dtype)
for size in ((2, 2048, 32, 8, 128), (4, 1024, 32, 4, 64), (1, 4096, 32, 8, 128)):
    rope(*size)
for size in ((4096, 14336), (8192, 5632), (4096, 12288)):
    gated(*size)
for size in ((4096, 32000), (1024, 128256), (1024, 256000)):
    losses(*size)
for size in ((1024, 4096, 4096), (4096, 7168, 2048)):
    fp8(*size)
# Qwen3-30B-A3B and a layer of few wide experts, as in the library's own benchmark.
for tma in ({}, {"tma": True}):
    experts(1024, 2048, 768, 64, 8, **tma)
    experts(1024, 4096, 2048, 16, 1, **tma)
