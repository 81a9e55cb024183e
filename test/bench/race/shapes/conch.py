"""Conch: its kernels. Argument: a folder with the package (conch-triton-kernels, version 1.3).

  race.py record --without-gpu --keep 4 --out records -- python test/bench/race/shapes/conch.py ~/src/conch
"""

import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from without_gpu import attempt, of, random  # noqa: E402

as_cuda.install()
sys.path.insert(0, sys.argv[1])

FP8, HALF = torch.float8_e4m3fn, torch.bfloat16


def x(*shape, dtype=HALF, scale=1.0):
    return random(*shape, dtype=dtype, scale=scale)


def run(module, function, make, **named):
    attempt(function, lambda: of(f"conch.ops.{module}", function)(*make(), **named))


def rows(tokens, width):
    for dtype in (HALF, torch.float16):
        run("activation.silu_and_mul", "silu_and_mul", lambda: (x(tokens, 2 * width, dtype=dtype),))
        run("normalization.rms_norm", "rms_norm", lambda: (x(tokens, width, dtype=dtype), x(width, dtype=dtype), 1e-6))
        run("normalization.rms_norm", "fused_add_rms_norm", lambda: (x(tokens, width, dtype=dtype), x(tokens, width, dtype=dtype), x(width, dtype=dtype), 1e-6))
        run("normalization.gemma_rms_norm", "gemma_rms_norm", lambda: (x(tokens, width, dtype=dtype), x(width, dtype=dtype), 1e-6))
        run("quantization.fp8", "scaled_fp8_quant", lambda: (x(tokens, width, dtype=dtype), torch.tensor([0.02])))
        run("quantization.int8", "scaled_int8_quant", lambda: (x(tokens, width, dtype=dtype), torch.tensor([0.02])))
    run("activation.gelu_tanh_and_mul", "gelu_tanh_and_mul", lambda: (x(tokens, 2 * width, dtype=torch.float32),))
    for kind in ("fp4", "nf4"):
        for size in (64, 256):
            run("quantization.bitsandbytes.functional", "quantize_4bit", lambda: (x(tokens, width),), blocksize=size, quant_type=kind)
            run("quantization.bitsandbytes.functional", "dequantize_4bit", lambda: (torch.randint(0, 256, (tokens * width // 2, 1), dtype=torch.uint8),),
                absmax=torch.rand(tokens * width // size), out=x(tokens * width), blocksize=size, quant_type=kind)


def products(m, n, k):
    for dtype in (torch.float16, HALF):
        run("quantization.gemm", "mixed_precision_gemm", lambda: (
            x(m, k, dtype=dtype), torch.randint(-2**31, 2**31 - 1, (k // 8, n), dtype=torch.int32), x(k // 128, n, dtype=dtype, scale=0.01), None, 4, 8, 128))
        run("quantization.gemm", "mixed_precision_gemm", lambda: (
            x(m, k, dtype=dtype), torch.randint(-2**31, 2**31 - 1, (k // 4, n), dtype=torch.int32), x(k // 128, n, dtype=dtype, scale=0.01), None, 8, 128, 128))
    run("quantization.gemm", "scaled_gemm", lambda: (x(m, k, dtype=FP8), x(k, n, dtype=FP8), torch.rand(m, 1), torch.rand(n, 1), HALF))
    run("quantization.gemm", "scaled_gemm", lambda: (
        torch.randint(-127, 128, (m, k), dtype=torch.int8), torch.randint(-127, 128, (k, n), dtype=torch.int8), torch.rand(1), torch.rand(1), HALF))


def attention(batch, length, heads, key_heads, width):
    """Keys and values lie in pages of 16."""
    pages = length // 16

    def cache():
        return x(batch * pages, 16, key_heads, width)
    table, lengths = torch.randperm(batch * pages).view(batch, pages).to(torch.int32), torch.full((batch,), length, dtype=torch.int32)
    for cap in (0.0, 30.0):
        run("attention.paged_attention", "paged_attention", lambda: (x(batch, heads, width), cache(), cache(), table, lengths), softcap=cap)
    for new in (1, length // 2):
        run("attention.varlen_attention", "varlen_attention", lambda: (
            x(batch * new, heads, width), cache(), cache(), torch.arange(batch + 1, dtype=torch.int32) * new, new, lengths, length, table), causal=True)
    tokens = batch * length // 2
    run("embedding.rotary_embedding", "rotary_embedding", lambda: (
        torch.randint(0, 8192, (tokens,)), x(tokens, heads * width), x(tokens, key_heads * width), width, x(8192, width)))
    run("vllm.reshape_and_cache", "reshape_and_cache", lambda: (
        x(tokens, key_heads, width), x(tokens, key_heads, width), cache(), cache(), torch.randperm(batch * length)[:tokens]))


def vision():
    boxes = torch.rand(4096, 4) * 500
    boxes[:, 2:] += boxes[:, :2]
    run("vision.nms", "nms", lambda: (boxes, torch.rand(4096), 0.5))
    starts = torch.arange(0, 200000, 20, dtype=torch.int32)
    cells = torch.stack([torch.randint(0, 128, (200000,)), torch.randint(0, 128, (200000,)), torch.zeros(200000, dtype=torch.int64),
                         torch.zeros(200000, dtype=torch.int64)], 1).to(torch.int32)
    run("vision.bev_pool", "bev_pool", lambda: (torch.randn(200000, 80), cells, starts, torch.full_like(starts, 20), 1, 1, 128, 128))
    run("vision.bev_pool", "bev_pool_backward", lambda: (torch.randn(1, 1, 128, 128, 80), cells, starts, torch.full_like(starts, 20)))


for shape in ((4096, 4096), (1024, 14336)):
    rows(*shape)
for shape in ((128, 4096, 4096), (2048, 4096, 4096)):
    products(*shape)
for shape in ((16, 2048, 32, 8, 128), (8, 4096, 16, 16, 64)):
    attention(*shape)
vision()
