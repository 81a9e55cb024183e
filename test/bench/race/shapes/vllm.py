"""vLLM: its kernels. Arguments: a folder with the package (of version 0.33.0), and parts of this program (all).

  race.py record --without-gpu --keep 4 --out records -- python test/bench/race/shapes/vllm.py ~/src/vllm

Its modules import cbor2, msgspec, psutil, pillow, cachetools, cloudpickle and transformers. What it does by CUDA C++ is left out.
Those of mixture, recurrent and norms, triton_mrope and _triton_w4a16_gemm_impl also import its servers (openai, uvloop and more).
"""

import sys

import torch
import triton  # first: the recorder waits for it
import triton.language as tl

import as_cuda
from without_gpu import attempt, of, random, stand_in

assert triton
as_cuda.install()
sys.path.insert(0, sys.argv[1])
assert of("vllm")
for name in ("vllm._C_stable_libtorch", "vllm.config", "vllm.sampling_params", "aiohttp", "cpuinfo", "prometheus_client", "uvloop"):
    stand_in(name)
for name in (name for name in dir(of("vllm._custom_ops")) if "support" in name):
    setattr(of("vllm._custom_ops"), name, lambda *_: True)
of("vllm.platforms")._current_platform = of("vllm.platforms.cuda", "CudaPlatform")()
torch.set_grad_enabled(False)

FP8, HALF, SINGLE = torch.float8_e4m3fn, torch.bfloat16, torch.float32


def x(*shape, dtype=HALF, scale=1.0):
    return random(*shape, dtype=dtype, scale=scale)


def fp8(*shape):
    return random(*shape, dtype=FP8)


def int8(*shape):
    return torch.randint(-127, 128, shape, dtype=torch.int8)


def scales(*shape):
    return torch.rand(*shape) * 0.01


def packed(*shape):
    """Eight numbers of 4 bits in each."""
    return torch.randint(-2**31, 2**31 - 1, shape, dtype=torch.int32)


def starts(count, length):
    return torch.arange(count + 1, dtype=torch.int32) * length


def run(module, function, make, **named):
    attempt(function, lambda: of(f"vllm.{module}", function)(*make(), **named))


def attention(batch, length, heads, key_heads, width):
    """Keys and values lie in pages of 16."""
    pages, ops = length // 16, "v1.attention.ops."

    def cache(dtype=HALF):
        return random(batch * pages, 16, key_heads, width, dtype=dtype)
    table, lengths = torch.randperm(batch * pages).view(batch, pages).to(torch.int32), torch.full((batch,), length, dtype=torch.int32)
    for new in (1, length // 2):
        for more in ({}, {"sinks": x(heads)}):
            for window, cap in (((-1, -1), 0.0), ((1023, 0), 30.0)):
                run(ops + "triton_unified_attention", "unified_attention", lambda: (
                    x(batch * new, heads, width), cache(), cache(), x(batch * new, heads, width), starts(batch, new), new, lengths, length, width ** -0.5,
                    True, window, table, cap, None, torch.ones(1), torch.ones(1)), **more)
    new, before = length // 2, length // 2
    run(ops + "triton_prefill_attention", "context_attention_fwd", lambda: (
        x(batch * new, heads, width), x(batch * new, key_heads, width), x(batch * new, key_heads, width), x(batch * new, heads, width),
        starts(batch, new)[:-1], torch.full((batch,), new, dtype=torch.int32), new))
    for bound in (None, 512):
        run(ops + "prefix_prefill", "context_attention_fwd", lambda: (
            x(batch * new, heads, width), x(batch * new, key_heads, width), x(batch * new, key_heads, width), x(batch * new, heads, width), "auto",
            x(batch * pages, key_heads, width // 8, 16, 8), x(batch * pages, key_heads, width, 16), table, starts(batch, new), lengths, length, new,
            torch.ones(1), torch.ones(1)), sliding_window=bound)
    assert before + new == length
    run(ops + "chunked_prefill_paged_decode", "chunked_prefill_paged_decode", lambda: (
        x(batch, heads, width), x(batch, key_heads, width), x(batch, key_heads, width), x(batch, heads, width), "auto",
        x(batch * pages, key_heads, width // 8, 16, 8), x(batch * pages, key_heads, width, 16), table, starts(batch, 1), lengths, length, 1,
        torch.ones(1), torch.ones(1)))
    run(ops + "triton_decode_attention", "decode_attention_fwd", lambda: (
        x(batch, heads, width), cache(), cache(), x(batch, heads, width), torch.empty(batch, heads), table, lengths, torch.empty(batch, heads, 8, width + 1),
        8, width ** -0.5, 16), k_scale=torch.ones(1), v_scale=torch.ones(1))
    run(ops + "triton_decode_attention", "decode_attention_fwd", lambda: (
        x(batch, heads, 576), x(batch * pages, 16, 1, 576), x(batch * pages, 16, 1, 512), x(batch, heads, 512), torch.empty(batch, heads), table, lengths,
        torch.empty(batch, heads, 8, 513), 8, 576 ** -0.5, 16), k_scale=torch.ones(1), v_scale=torch.ones(1), is_mla=True)
    tokens = batch * new
    run(ops + "triton_merge_attn_states", "merge_attn_states", lambda: (
        x(tokens, heads, width), x(tokens, heads, width), torch.rand(heads, tokens), x(tokens, heads, width), torch.rand(heads, tokens)))
    slots = torch.randperm(batch * length)[:tokens]
    for kind, dtype in (("auto", HALF), ("fp8", torch.uint8)):
        run(ops + "triton_reshape_and_cache_flash", "triton_reshape_and_cache_flash", lambda: (
            x(tokens, key_heads, width), x(tokens, key_heads, width), torch.zeros(batch * pages, 16, key_heads, width, dtype=dtype),
            torch.zeros(batch * pages, 16, key_heads, width, dtype=dtype), slots, kind, torch.ones(1), torch.ones(1)))
    run(ops + "int4_per_token_head", "reshape_and_cache_int4", lambda: (
        x(tokens, key_heads, width), x(tokens, key_heads, width), torch.zeros(batch * pages, 16, key_heads, width // 2, dtype=torch.uint8),
        torch.zeros(batch * pages, 16, key_heads, width // 2, dtype=torch.uint8), slots),
        k_scale_cache=torch.ones(batch * pages, 16, key_heads), v_scale_cache=torch.ones(batch * pages, 16, key_heads))
    run("model_executor.layers.rotary_embedding.mrope", "triton_mrope", lambda: (
        x(tokens, heads * width), x(tokens, key_heads * width), x(3, tokens, width // 2), x(3, tokens, width // 2), [width // 8, width // 16 * 3, width // 16 * 3],
        width, width, False, True))


def adapters(tokens, width, out, rank):
    """LoRA: four adapters, and tokens sorted by theirs."""
    mine = torch.arange(tokens, dtype=torch.int32) * 4 // tokens
    counts = torch.bincount(mine, minlength=5).to(torch.int32)
    info = (mine, mine.argsort(stable=True).to(torch.int32), counts, torch.cat([torch.zeros(1, dtype=torch.int32), counts.cumsum(0)]).to(torch.int32),
            torch.tensor([0, 1, 2, 3, -1], dtype=torch.int32), torch.tensor([False]), torch.tensor([4], dtype=torch.int32))
    run("lora.ops.triton_ops.lora_shrink_op", "_lora_shrink", lambda: (
        x(tokens, width), [x(4, 1, rank, width) for _ in range(3)], torch.zeros(3, tokens, rank), *info, 0.5))
    run("lora.ops.triton_ops.lora_shrink_op", "_lora_shrink", lambda: (x(tokens, width), [x(4, 1, rank, width)], torch.zeros(1, tokens, rank), *info, 0.5))
    run("lora.ops.triton_ops.lora_expand_op", "_lora_expand", lambda: (
        torch.randn(3, tokens, rank), [x(4, 1, out, rank) for _ in range(3)], x(tokens, 3 * out), *info), add_inputs=True)
    run("lora.ops.triton_ops.lora_expand_op", "_lora_expand", lambda: (torch.randn(1, tokens, rank), [x(4, 1, out, rank)], x(tokens, out), *info))


def quantised(m, n, k):
    utils = "model_executor.layers.quantization.utils."
    run(utils + "fp8_utils", "silu_mul_per_token_group_quant_fp8_colmajor", lambda: (x(max(m, 128), 2 * k),), use_ue8m0=False)
    run(utils + "fp8_utils", "w8a8_triton_block_scaled_mm", lambda: (
        fp8(m, k), fp8(n, k), scales(m, k // 128), scales(n // 128, k // 128), [128, 128]), output_dtype=HALF)
    run(utils + "int8_utils", "per_token_quant_int8", lambda: (x(m, k),))
    scaled = "model_executor.layers.quantization.compressed_tensors.triton_scaled_mm"
    run(scaled, "triton_scaled_mm", lambda: (fp8(m, k), fp8(n, k).t(), scales(m, 1), scales(n, 1), HALF))
    run(scaled, "triton_scaled_mm", lambda: (int8(m, k), int8(n, k).t(), scales(1, 1), scales(n, 1), HALF, x(n)))
    for split in (1, 8):
        run("model_executor.layers.quantization.awq_triton", "awq_gemm_triton", lambda: (
            x(m, k, dtype=torch.float16), packed(k, n // 8), x(k // 128, n, dtype=torch.float16, scale=0.01), packed(k // 128, n // 8), split))
    for zeros in (None, packed(k // 128, n // 8)):
        run("model_executor.kernels.linear.mixed_precision.triton_w4a16", "_triton_w4a16_gemm_impl", lambda: (
            x(m, k), packed(k, n // 8), x(k // 128, n, scale=0.01), zeros, 128))


def mixture(tokens, hidden, inner, count, topk):
    chosen = torch.rand(tokens, count).topk(topk).indices.flatten()
    block, ids, experts = (64 if tokens >= 512 else 16), [], []
    for expert in range(count):
        mine = (chosen == expert).nonzero().flatten()
        room = -(-len(mine) // block) * block
        ids.append(torch.cat([mine, torch.full((room - len(mine),), chosen.numel())]))
        experts += [expert] * (room // block)
    ids, experts = torch.cat(ids).to(torch.int32), torch.tensor(experts, dtype=torch.int32)
    config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "SPLIT_K": 1, "num_warps": 4, "num_stages": 3}
    module, weights = "model_executor.layers.fused_moe.fused_moe", torch.rand(tokens, topk)
    flags = dict.fromkeys(("use_fp8_w8a8", "use_int8_w8a8", "use_int8_w8a16", "use_int4_w4a16", "per_channel_quant"), False)

    def product(rows, width, out, per, multiplied, a, b, a_scale, b_scale, **more):
        def around(tensor):
            return (tensor, weights, ids, experts, torch.tensor([len(ids)], dtype=torch.int32), multiplied, per, dict(config), tl.bfloat16)
        run(module, "invoke_fused_moe_triton_kernel", lambda: (a(rows, width), b(count, out, width), x(tokens, topk, out), a_scale and a_scale(rows, width),
                                                               *around(b_scale and b_scale(out, width))), **{**flags, **more})
    for rows, width, out, per, multiplied in ((tokens, hidden, 2 * inner, topk, False), (tokens * topk, inner, hidden, 1, True)):
        product(rows, width, out, per, multiplied, x, x, None, None)
        product(rows, width, out, per, multiplied, fp8, fp8, lambda m, k: scales(m, k // 128), lambda n, k: scales(count, n // 128, k // 128),
                use_fp8_w8a8=True, block_shape=[128, 128])
        product(rows, width, out, per, multiplied, int8, int8, lambda m, k: scales(m, 1), lambda n, k: scales(count, n, 1),
                use_int8_w8a8=True, per_channel_quant=True)
        run(module, "invoke_fused_moe_wna16_triton_kernel", lambda: (
            x(rows, width), torch.randint(0, 256, (count, out, width // 2), dtype=torch.uint8), x(tokens, topk, out), x(count, out, width // 128, scale=0.01),
            None, weights, ids, experts, torch.tensor([len(ids)], dtype=torch.int32), multiplied, per, dict(config), tl.bfloat16, False, True, [0, 128]))
    room = -(-tokens * topk // count // 64) * 128
    lengths = torch.randint(room // 2, room, (count,), dtype=torch.int32)
    for a, a_scale, b_scale, more in ((x, None, None, {}), (fp8, scales(count, room, hidden // 128), scales(count, 2 * inner // 128, hidden // 128), {
            "use_fp8_w8a8": True, "block_shape": [128, 128]})):
        run("model_executor.layers.fused_moe.experts.fused_batched_moe", "invoke_moe_batched_triton_kernel", lambda: (
            a(count, room, hidden), a(count, 2 * inner, hidden), x(count, room, 2 * inner), lengths, tl.bfloat16, a_scale, b_scale, None), config=config,
            per_act_token_quant=False, **{"use_fp8_w8a8": False, "use_int8_w8a16": False, "use_int4_w4a16": False, **more})


def recurrent(length, heads, width, states):
    chunk, chunks = 256, length // 256
    run("model_executor.layers.mamba.ops.ssd_combined", "mamba_chunk_scan_combined_varlen", lambda: (
        x(length, heads, width), torch.rand(length, heads) * 0.1, -torch.rand(heads), x(length, 1, states), x(length, 1, states), chunk,
        torch.tensor([0, length], dtype=torch.int32), torch.arange(chunks + 1, dtype=torch.int32) * chunk, torch.tensor([chunks - 1]),
        torch.zeros(chunks, dtype=torch.int32), x(length, heads, width)), D=torch.rand(heads), dt_bias=torch.rand(heads), dt_softplus=True)


def words(rows, count):
    def logits():
        return x(rows, count, dtype=SINGLE, scale=3.0)
    ids, sampled = torch.arange(rows, dtype=torch.int32), "v1.worker.gpu.sample."
    run("v1.sample.ops.topk_topp_triton", "apply_top_k_top_p_triton", lambda: (logits(), torch.full((rows,), 50, dtype=torch.int32), torch.full((rows,), 0.9)))
    run("v1.sample.ops.topk_topp_triton", "apply_top_k_top_p_triton", lambda: (logits(), None, torch.full((rows,), 0.9)))
    run(sampled + "gumbel", "apply_temperature", lambda: (logits(), ids, torch.rand(rows) + 0.5))
    run(sampled + "gumbel", "gumbel_sample", lambda: (logits(), ids, torch.rand(rows) + 0.5, torch.arange(rows), torch.arange(rows), True, False))
    run(sampled + "min_p", "apply_min_p", lambda: (logits(), ids, torch.full((rows,), 0.1)))
    run(sampled + "logprob", "compute_token_logprobs", lambda: (logits(), torch.randint(0, count, (rows, 8))))
    run(sampled + "logprob", "compute_topk_scores", lambda: (logits(), 8, torch.randint(0, count, (rows,))))
    run(sampled + "penalties", "apply_penalties", lambda: (
        logits(), ids, torch.randint(0, count, (rows,), dtype=torch.int32), torch.zeros(rows, dtype=torch.int32), torch.full((rows,), 1.1), torch.rand(rows),
        torch.rand(rows), torch.randint(0, 2**31 - 1, (rows, -(-count // 32)), dtype=torch.int32), torch.randint(0, 3, (rows, count), dtype=torch.int32)))


def norms(tokens, width):
    run("models.muse_spark.common.ops.fused_rmsnorm", "fused_rmsnorm_fwd", lambda: (x(tokens, width), x(width), 1e-6))
    run("models.deepseek_v32.common.kernels", "fused_eh_norm", lambda: (
        torch.arange(tokens), x(tokens, width), x(tokens, width), x(width), x(width), 1e-6))
    run("model_executor.layers.activation", "swiglustep_and_mul_triton", lambda: (x(tokens, width), x(tokens, 2 * width)))
    run("v1.attention.ops.int4_per_token_head", "_triton_hadamard_transform", lambda: (x(tokens, 8, 128),))


PARTS = {
    attention: ((16, 2048, 32, 8, 128), (8, 4096, 16, 16, 64)),
    adapters: ((4096, 4096, 4096, 16), (128, 4096, 14336, 64)),
    quantised: ((2048, 4096, 4096), (64, 7168, 2048)),
    mixture: ((1024, 2048, 768, 64, 8), (64, 4096, 1408, 16, 2)),
    recurrent: ((4096, 64, 64, 128), (8192, 24, 64, 128)),
    words: ((256, 128256), (64, 32000)),
    norms: ((4096, 4096), (1024, 6144)),
}
for part, sizes in PARTS.items():
    if part.__name__ in sys.argv[2:] or not sys.argv[2:]:
        for size in sizes:
            part(*size)
