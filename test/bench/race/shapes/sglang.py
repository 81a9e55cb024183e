"""SGLang: its kernels of language models. Arguments: a folder with the package (of version 0.5.23), and parts of this program (all).

  race.py record --without-gpu --keep 3 --out records -- python test/bench/race/shapes/sglang.py ~/src/sglang/python

Its modules import orjson, msgspec, pybase64, psutil, requests, urllib3, certifi, pillow, starlette, pyzmq, dill,
transformers and apache-tvm-ffi.
"""

import os
import sys

import torch
import triton  # first: the recorder waits for it
import triton.language as tl

import as_cuda
from without_gpu import attempt, of, random, stand_in, without_init

as_cuda.install()
sys.path.insert(0, sys.argv[1])
without_init("sglang", os.path.join(sys.argv[1], "sglang"))
assert not of("transformers.utils").is_torchvision_available()  # asked before there is a module of that name
for name in ("torchvision.io", "torchvision.transforms.functional", "torchvision.transforms.v2.functional", "IPython.display"):
    stand_in(name)
for name in ("model_executor", "utils"):
    of(f"sglang.srt.{name}")
for name in ("model_executor.forward_batch_info", "utils.hf_transformers_utils"):
    stand_in(f"sglang.srt.{name}")
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


def angles(*shape, dtype=SINGLE):
    return torch.rand(*shape).mul_(6).cos().to(dtype)


def whole(*numbers, dtype=torch.int32):
    return torch.tensor(numbers, dtype=dtype)


def starts(lengths):
    return torch.cat([whole(0), torch.tensor(lengths, dtype=torch.int32).cumsum(0)]).to(torch.int32)


def run(module, function, make, **named):
    module = module if module.startswith("srt.") else f"kernels.ops.{module}"
    attempt(function, lambda: of(f"sglang.{module}", function)(*make(), **named))


def decode(batch, length, heads, key_heads, width, v_width, dtype=HALF):
    """One new token a sequence; keys and values lie in slots of one large buffer."""
    lengths, splits = [length - 37 * i % length for i in range(batch)], 8
    total = sum(lengths)
    for more in ({}, {"logit_cap": 30.0}, {"sinks": torch.rand(heads)}):
        run("attention.decode_attention", "decode_attention_fwd", lambda: (
            x(batch, heads, width, dtype=dtype), x(total, key_heads, width, dtype=dtype), x(total, key_heads, v_width, dtype=dtype),
            x(batch, heads, v_width, dtype=dtype), starts(lengths), torch.randperm(total, dtype=torch.int64),
            torch.empty(batch, heads, splits, v_width), torch.empty(batch, heads, splits), torch.full((batch,), splits, dtype=torch.int32),
            splits, width ** -0.5, 1.0, 1.0), **more)


def extend(batch, prefix, new, heads, key_heads, width):
    """New tokens behind a prefix that lies in slots; and all of a prompt."""
    total, slots = batch * new, batch * prefix

    def queries():
        return x(total, heads, width)

    def keys():
        return x(total, key_heads, width)
    for more in ({}, {"logit_cap": 50.0}, {"sliding_window_size": 512}):
        run("attention.extend_attention", "extend_attention_fwd", lambda: (
            queries(), keys(), keys(), queries(), x(slots, key_heads, width), x(slots, key_heads, width), starts([new] * batch), starts([prefix] * batch),
            torch.randperm(slots, dtype=torch.int64), None, True, None, new, 1.0, 1.0), **more)
    run("attention.extend_attention", "extend_attention_fwd_unified", lambda: (
        queries(), queries(), x(slots + total, key_heads, width), x(slots + total, key_heads, width), 1.0, 1.0, starts([new] * batch),
        starts([prefix + new] * batch), torch.randperm(slots + total, dtype=torch.int64), torch.full((batch,), prefix, dtype=torch.int32), new))
    run("attention.extend_attention", "dense_prefill_attention_fwd", lambda: (
        queries(), keys(), keys(), queries(), starts([new] * batch), starts([new] * batch), new))
    for causal in (True, False):
        run("attention.prefill_attention", "context_attention_fwd", lambda: (
            queries(), keys(), keys(), queries(), starts([new] * batch)[:-1], torch.full((batch,), new, dtype=torch.int32), new), is_causal=causal)
    run("attention.merge_state", "merge_state_triton", lambda: (queries(), torch.rand(total, heads), queries(), torch.rand(total, heads)))


def positions(tokens, heads, key_heads, width):
    sections = [width // 8, width // 16 * 3, width // 16 * 3]
    axes = torch.randint(0, 3, (width // 2,), dtype=torch.int32)
    for interleaved in (False, True):
        run("attention.rotary_triton", "triton_mrope_fused", lambda: (
            x(tokens, heads * width), x(tokens, key_heads * width), angles(32768, width), torch.randint(0, 32768, (3, tokens)), sections, width, width,
            interleaved, False, True, axes))
    run("attention.rotary_triton", "triton_ernie45_rope_fused_inplace", lambda: (
        x(tokens, heads * width), x(tokens, key_heads * width), angles(32768, width), torch.randint(0, 32768, (3, tokens)),
        [width // 16 * 3, width // 16 * 3, width // 8], width, width, True))
    run("attention.mrope", "apply_interleaved_rope_triton", lambda: (x(3, tokens, width), sections))
    run("attention.vision_rope", "apply_fused_qk_complex_rope", lambda: (
        x(tokens, heads, width), x(tokens, heads, width), torch.polar(torch.ones(tokens, width // 2), torch.rand(tokens, width // 2))))
    run("attention.fused_qk_rmsnorm_rope_gate", "fused_qk_gemma_rmsnorm_rope_gate", lambda: (
        x(tokens, 2 * heads * width), x(tokens, key_heads * width), x(width), x(width), angles(32768, width // 2), torch.randint(0, 32768, (tokens,)),
        1e-6, heads, key_heads, width, width // 2))
    run("attention.table_qk_norm_rope", "table_qk_norm_rope_", lambda: (
        x(tokens, (heads + 2 * key_heads) * width), torch.randint(0, 32768, (tokens,)), x(width), x(width), angles(32768, width), heads, key_heads, width, 1e-6))
    run("layernorm.gemma4_fused_ops", "gemma_qkv_rmsnorm", lambda: (
        x(tokens, heads * width), x(tokens, key_heads * width), x(tokens, key_heads * width), x(width), x(width), heads, key_heads, width))


def latent(tokens, heads):
    """DeepSeek's attention over compressed keys: 512 numbers and 64 that are turned."""
    run("attention.mla_qk_prep", "concat_and_cast_mha_k_triton", lambda: (x(tokens, heads, 192), x(tokens, heads, 128), x(tokens, 1, 64)))
    run("attention.mla_qk_prep", "concat_and_cast_q_fp8_pad", lambda: (fp8(tokens, heads, 576), x(tokens, heads, 512), x(tokens, heads, 64), heads))
    run("attention.mla_qk_prep", "absorbed_bmm_concat_cast_q_fp8", lambda: (
        fp8(tokens, heads, 576), x(tokens, heads, 128), x(heads, 128, 512, scale=0.1), x(tokens, heads, 64), heads))
    run("attention.mla_kv_pack_quantize_fp8", "mla_kv_pack_quantize_fp8", lambda: (x(tokens, heads, 128), x(tokens, 1, 64), x(tokens, heads, 128)))
    chosen = torch.randint(0, 8192, (tokens, 1, 2048), dtype=torch.int32)
    run("attention.dsa.triton_sparse_mla", "triton_sparse_mla_fwd", lambda: (
        x(min(tokens, 256), heads, 512), x(min(tokens, 256), heads, 64), x(8192, 1, 576), chosen[:256], 0.07))
    run("attention.dsa.triton_sparse_mla_prefill", "sparse_mla_prefill", lambda: (x(tokens, heads, 576), x(8192, 1, 576), chosen, 0.07))
    run("quantization.dsa_quant_k_cache", "quantize_k_cache_separate", lambda: (x(tokens, 512), x(tokens, 64)))
    run("quantization.dsa_quant_k_cache", "_quantize_k_cache_fast_wrapped", lambda: (x(tokens // 64, 64, 1, 576),))
    run("attention.dsa.dequant_k_cache", "_dequantize_k_cache_fast_wrapped", lambda: (fp8(tokens // 64, 64, 1, 656),))
    run("attention.dsa.dequant_k_cache", "dequantize_k_cache_paged_dsa", lambda: (
        fp8(tokens, 1, 656), torch.randint(0, tokens, (tokens,), dtype=torch.int32)))
    slots = torch.randperm(2 * tokens)[:tokens]
    run("kvcache.mla_buffer", "get_mla_kv_buffer_triton", lambda: (x(2 * tokens, 1, 576), slots, x(tokens, 1, 512), x(tokens, 1, 64)))
    run("kvcache.mla_buffer", "set_mla_kv_buffer_triton_fp8_quant", lambda: (fp8(2 * tokens, 1, 576).view(torch.uint8), slots, x(tokens, 1, 512), x(tokens, 1, 64), FP8))


def linear_attention(batch, length, heads, v_heads, width):
    tokens = batch * length

    def gate():
        return x(tokens, v_heads)
    run("attention.linear.fused_gdn_gating", "fused_gdn_gating", lambda: (torch.rand(v_heads), gate(), gate(), torch.rand(v_heads)))
    run("attention.linear.lightning_attn", "lightning_attention", lambda: (
        *(x(batch, heads, length, width, dtype=SINGLE, scale=0.3) for _ in range(3)), torch.rand(heads)))
    run("attention.linear.lightning_attn", "linear_decode_forward_triton", lambda: (
        x(batch, heads, 1, width), x(batch, heads, 1, width), x(batch, heads, 1, width), torch.rand(batch, heads, width, width), torch.rand(heads),
        torch.arange(batch)))
    run("attention.linear.fused_sigmoid_gating_recurrent", "fused_sigmoid_gating_delta_rule_update", lambda: (
        torch.rand(v_heads), x(1, batch, v_heads), torch.rand(v_heads), 1.0, 20.0, x(1, batch, heads, width), x(1, batch, heads, width),
        x(1, batch, v_heads, width), x(1, batch, v_heads), torch.rand(batch, v_heads, width, width), torch.arange(batch, dtype=torch.int32)),
        use_qk_l2norm_in_kernel=True, cu_seqlens=torch.arange(batch + 1, dtype=torch.int32))
    recurrent = "attention.fla.fused_recurrent"
    run(recurrent, "fused_recurrent_gated_delta_rule_packed_decode", lambda: (
        x(batch, (2 * heads + v_heads) * width), x(batch, v_heads), x(batch, v_heads), torch.rand(v_heads), torch.rand(v_heads), width ** -0.5,
        torch.rand(batch, v_heads, width, width), x(batch, 1, v_heads, width), torch.arange(batch, dtype=torch.int32)), use_qk_l2norm_in_kernel=True)
    run(recurrent, "fused_recurrent_gated_delta_rule", lambda: (
        x(batch, 128, heads, width), x(batch, 128, heads, width), x(batch, 128, v_heads, width), -torch.rand(batch, 128, v_heads), torch.rand(batch, 128, v_heads)))
    projections = "attention.triton_gdn_fused_proj"
    run(projections, "fused_qkvzba_split_reshape_cat", lambda: (
        x(tokens, (2 * heads + 2 * v_heads) * width), x(tokens, 2 * v_heads), heads, v_heads, width, width))
    run(projections, "fused_qkvzba_split_reshape_cat_contiguous", lambda: (
        x(tokens, (2 * heads + 2 * v_heads) * width), x(tokens, 2 * v_heads), heads, v_heads, width, width))
    run(projections, "fused_qkv_split_gdn_prefill", lambda: (x(tokens, (2 * heads + v_heads) * width), heads, heads, v_heads, width, width, width))
    channels = (2 * heads + v_heads) * width
    run("mamba.causal_conv1d_triton", "causal_conv1d_fn", lambda: (
        x(tokens, channels).t(), x(channels, 4), x(channels), x(batch, channels, 3), starts([length] * batch), [length] * batch),
        cache_indices=torch.arange(batch, dtype=torch.int32), has_initial_state=torch.zeros(batch, dtype=torch.bool))
    run("mamba.causal_conv1d_triton", "causal_conv1d_update", lambda: (
        x(batch, channels), x(batch, channels, 3), x(channels, 4), x(channels)), activation="silu", conv_state_indices=torch.arange(batch, dtype=torch.int32))
    run("mamba.triton_ops.mamba_ssm", "selective_state_update", lambda: (
        torch.rand(batch, v_heads, width, 128), x(batch, v_heads, width), x(batch, v_heads, width), -torch.rand(v_heads, width, 128), x(batch, 8, 128), x(batch, 8, 128)),
        D=torch.rand(v_heads, width), dt_bias=torch.rand(v_heads, width), dt_softplus=True, out=x(batch, v_heads, width))
    run("attention.fla.layernorm_gated", "layernorm_fn", lambda: (x(tokens, v_heads * width), x(width), None), z=x(tokens, v_heads * width), group_size=width,
        is_rms_norm=True)
    run("attention.fla.l2norm", "l2norm_fwd", lambda: (x(batch, length, heads, width),))


def mixture(tokens, hidden, inner, count, topk):
    """Both products of the experts, in each of its types, and what is around them."""
    chosen = torch.rand(tokens, count).topk(topk).indices.to(torch.int32)
    weights = torch.rand(tokens, topk)
    block = 64 if tokens >= 512 else 16
    flat, padded = chosen.flatten().long(), []
    experts = []
    for expert in range(count):
        mine = (flat == expert).nonzero().flatten()
        room = -(-len(mine) // block) * block
        padded.append(torch.cat([mine, torch.full((room - len(mine),), flat.numel())]))
        experts += [expert] * (room // block)
    ids, experts = torch.cat(padded).to(torch.int32), torch.tensor(experts, dtype=torch.int32)
    config = {"BLOCK_SIZE_M": block, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8, "num_warps": 4, "num_stages": 3}
    kinds = {"plain": ({}, lambda *s: x(*s, scale=0.1), lambda *s: x(*s, scale=0.1), None),
             "fp8": ({"use_fp8_w8a8": True, "block_shape": [128, 128]}, fp8, fp8, (128, 128)),
             "int8": ({"use_int8_w8a8": True, "per_channel_quant": True}, int8, int8, "channel"),
             "int8 weights": ({"use_int8_w8a16": True}, lambda *s: x(*s, scale=0.1), int8, "weight"),
             "int4 weights": ({"use_int4_w4a16": True, "block_shape": [0, 128]}, lambda *s: x(*s, scale=0.1), None, "packed")}

    def product(rows, width, out, kind, per, multiplied):
        flags, make_a, make_b, scaled = kinds[kind]
        launcher = of("sglang.kernels.ops.moe.fused_moe_triton_kernels")
        # The library quantises activations by a kernel of CUDA C++.
        launcher.sglang_per_token_group_quant_fp8 = lambda tensor, size: (fp8(*tensor.shape), scales(tensor.shape[0], tensor.shape[1] // size))
        a, named = make_a(rows, width), {**dict.fromkeys(("use_fp8_w8a8", "use_int8_w8a8", "use_int8_w8a16", "use_int4_w4a16", "per_channel_quant"), False), **flags}
        b = torch.randint(0, 256, (count, out, width // 2), dtype=torch.uint8) if make_b is None else make_b(count, out, width)
        a_scale = b_scale = None
        if scaled == (128, 128):
            a, b_scale = x(rows, width), scales(count, out // 128, width // 128)
        elif scaled == "channel":
            a, b_scale = x(rows, width), scales(count, out, 1)
        elif scaled == "weight":
            b_scale = scales(count, out)
        elif scaled == "packed":
            b_scale = x(count, out, width // 128, scale=0.01)
        launcher.invoke_fused_moe_kernel(
            a, b, None, x(tokens, topk, out), a_scale, b_scale, None, weights, chosen, ids, experts, whole(len(ids)), multiplied, per, dict(config),
            compute_type=tl.bfloat16, **named)
    for kind in kinds:
        attempt(f"experts in {kind}", lambda: product(tokens, hidden, 2 * inner, kind, topk, False))
        attempt(f"experts in {kind}", lambda: product(tokens * topk, inner, hidden, kind, 1, True))
    kernels = "moe.fused_moe_triton_kernels"
    for activation in ("silu", "gelu"):
        run(kernels, "act_and_mul_triton", lambda: (x(tokens * topk, 2 * inner), x(tokens * topk, inner), {"BLOCK_SIZE_M": block}, chosen), activation=activation)
    run(kernels, "moe_sum_reduce_triton", lambda: (x(tokens, topk, hidden), x(tokens, hidden), 1.0))
    run(kernels, "fused_append_shared_experts", lambda: (chosen, weights, 1, 1.0, count))
    gates = "moe.gemma4_routing"
    run(gates, "gemma4_fused_routing", lambda: (x(tokens, count), torch.rand(count), topk))
    run(gates, "gemma_routing_post_topk", lambda: (x(tokens, topk), chosen.long(), torch.rand(count)))
    run("moe.gate_topk", "gate_topk", lambda: (torch.rand(tokens, count), topk))
    for scoring in ("sigmoid", "softmax"):
        run("moe.moe_fused_gate", "moe_fused_gate", lambda: (torch.rand(tokens, count), torch.rand(count), topk), scoring_func=scoring)
    run("moe.router", "fused_moe_router_cudacore", lambda: (x(tokens, hidden), x(min(count, 16), hidden), 2, 30.0))
    run("moe.router", "fused_moe_router_tensorcore", lambda: (x(tokens, hidden), x(min(count, 16), hidden), 2, 30.0, 128, 32, 128))
    run("moe.moe_fused_mul_sum", "moe_fused_mul_sum", lambda: (x(tokens, topk, hidden), weights))
    rows = -(-tokens * topk // count // 128) * 256
    lengths = torch.randint(rows // 2, rows, (count,), dtype=torch.int32)
    ep = "moe.ep_moe_kernels"
    run(ep, "silu_and_mul_masked_post_quant_fwd", lambda: (
        x(count, rows, 2 * inner), fp8(count, rows, inner), scales(count, rows, inner // 128), 128, lengths))
    run(ep, "silu_and_mul_masked_fwd", lambda: (x(count, rows, 2 * inner), x(count, rows, inner), lengths))
    run(ep, "silu_and_mul_masked_post_per_tensor_quant_fwd", lambda: (x(count, rows, 2 * inner), fp8(count, rows, inner), lengths, torch.ones(1)))
    run(ep, "fp8_per_token_to_per_tensor_quant_triton", lambda: (
        fp8(count, rows, hidden), scales(count, rows, hidden // 128), lengths, torch.ones(1), fp8(count, rows, hidden)))
    back = torch.empty(tokens * topk, dtype=torch.int32)
    back[flat.argsort(stable=True)] = torch.arange(tokens * topk, dtype=torch.int32)
    run(ep, "post_reorder_deepgemm", lambda: (x(tokens * topk, hidden), x(tokens, hidden), back.view(tokens, topk), chosen, weights, topk, tokens, hidden, 1.0))
    run(ep, "moe_unpermute", lambda: (x(tokens * topk, hidden), back, chosen, weights))
    run(ep, "_moe_permute_rows", lambda: (x(tokens, hidden), chosen, back))
    run(ep, "ep_gather", lambda: (x(tokens * topk, hidden), chosen, weights, back.view(tokens, topk), x(tokens, hidden)))
    run(ep, "tma_align_input_scale", lambda: (scales(tokens, hidden // 128),))
    run(ep, "zero_experts_compute_triton", lambda: (chosen.clone(), weights.clone(), count - 2, "identity", x(tokens, hidden)))


def quantised(m, n, k):
    """Quantisers, and products of what they make."""
    groups = "quantization.fp8_kernel"
    for more in ({}, {"column_major_scales": True}):
        run(groups, "_per_token_group_quant_8bit_raw", lambda: (x(m, k), 128), **more)
    run(groups, "_per_token_group_quant_8bit_raw", lambda: (x(m, k), 128), dtype=torch.int8)
    run(groups, "static_quant_fp8", lambda: (x(m, k), torch.ones(1)), repeat_scale=True)
    run(groups, "per_tensor_quant_mla_fp8", lambda: (x(m // 16, 16, 512), torch.zeros(1)))
    run(groups, "per_token_group_quant_mla_deep_gemm_masked_fp8", lambda: (x(16, m // 16, 512),))
    run(groups, "dequant_group_fp8_to_bf16", lambda: (fp8(m, k), scales(m, k // 32)))
    run("quantization.int8_kernel", "per_token_quant_int8", lambda: (x(m, k),))
    run("quantization.int8_kernel", "per_token_quant_int8", lambda: (x(m, k),), cal_sum=True)
    run("quantization.int8_kernel", "per_token_group_quant_int8", lambda: (x(m, k), 128))
    run("quantization.act_quant_triton", "act_quant", lambda: (x(m, k),))
    run("quantization.fp8_quantize", "fp8_quantize", lambda: (x(m, 512),), scale_inv=0.5)
    run("quantization.mxfp8_quant", "to_mxfp8", lambda: (x(m, k),))
    run("quantization.bf16x3_split", "split_fp32_to_bf16x3", lambda: (x(n, k, dtype=SINGLE),))
    run("quantization.awq_triton", "awq_dequantize_triton", lambda: (
        torch.randint(-2**31, 2**31 - 1, (k, n // 8), dtype=torch.int32), x(k // 128, n, dtype=torch.float16, scale=0.01),
        torch.randint(-2**31, 2**31 - 1, (k // 128, n // 8), dtype=torch.int32)))
    products = "gemm.fp8_kernel"
    run(products, "w8a8_block_fp8_matmul_triton", lambda: (fp8(m, k), fp8(n, k), scales(m, k // 128), scales(n // 128, k // 128), [128, 128]),
        output_dtype=HALF)
    run(products, "triton_scaled_mm", lambda: (fp8(m, k), fp8(n, k).t(), scales(m, 1), scales(n, 1), HALF))
    run(products, "triton_scaled_mm", lambda: (int8(m, k), int8(n, k).t(), scales(m, 1), scales(1, 1), HALF, x(n)))
    run("gemm.int8_kernel", "w8a8_block_int8_matmul", lambda: (int8(m, k), int8(n, k), scales(m, k // 128), scales(n // 128, k // 128), [128, 128]),
        output_dtype=HALF)
    run("gemm.router_gate_matvec", "router_gate_matvec", lambda: (x(min(m, 32), k), x(256, k)))
    steady = "srt.batch_invariant_ops.batch_invariant_ops"
    run(steady, "_matmul_persistent_triton", lambda: (x(m, k), x(k, n), HALF, x(n)))
    run(steady, "log_softmax", lambda: (x(m, 32000, dtype=SINGLE),))
    run(steady, "mean_dim", lambda: (x(m, k), -1))
    run(steady, "rms_norm", lambda: (x(m, k), x(k)))
    run(steady, "bmm_batch_invariant", lambda: (x(8, m // 4, 512), x(8, 512, n // 4)))


def rows(tokens, hidden):
    def whole_rows(dtype=HALF):
        return x(tokens, hidden, dtype=dtype)

    def w(dtype=HALF):
        return x(hidden, dtype=dtype)
    run("layernorm.fused_rmsnorm", "fused_rmsnorm", lambda: (whole_rows(), w(), 1e-6))
    run("layernorm.fused_rmsnorm", "fused_dual_residual_rmsnorm", lambda: (whole_rows(), whole_rows(), w(), w(), 1e-6))
    run("layernorm.rmsnorm_fp32", "rmsnorm_fp32", lambda: (whole_rows(SINGLE), w(SINGLE), 1e-6))
    run("layernorm.gemma4_fused_ops", "gemma_rmsnorm_residual_scalar", lambda: (whole_rows(), w(), whole_rows(), torch.ones(1)))
    run("layernorm.gemma4_fused_ops", "gemma_dual_rmsnorm_residual_scalar", lambda: (
        whole_rows(), w(), whole_rows(), w(), w(), whole_rows(), torch.ones(1)))
    run("layernorm.minimax_m3_rmsnorm", "gemma_rmsnorm", lambda: (whole_rows(), w(), 1e-6))
    run("layernorm.minimax_m3_rmsnorm", "gemma_fused_add_rmsnorm", lambda: (whole_rows(), whole_rows(), w(), 1e-6))
    run("layernorm.rmsnorm_fp8_e8m0", "rmsnorm_fp8_e8m0_quant", lambda: (whole_rows(), w(), 1e-6))
    run("layernorm.hc_combine_norm", "hc_combine_norm", lambda: (x(tokens, 20480), torch.rand(tokens, 4), x(5120), 1e-6))
    run("layernorm.mhc_head", "fused_hc_head", lambda: (
        x(tokens, 4, hidden), x(4, 4 * hidden, dtype=SINGLE), torch.ones(1), torch.zeros(4), 1e-6, 1e-6))
    run("layernorm.mhc_post_split_h", "mhc_post_split_h", lambda: (
        whole_rows(), x(tokens, 4, hidden), torch.rand(tokens, 4), torch.rand(tokens, 4, 4)))
    run("activation.gelu_and_mul_triton", "gelu_and_mul_triton", lambda: (x(tokens, 2 * hidden),))
    run("activation.gelu_and_mul_triton", "gelu_and_mul_triton", lambda: (x(tokens, 2 * hidden),), quantize=FP8)
    run("activation.minimax_m3_swiglu", "swiglu_oai_split", lambda: (x(tokens, 2 * hidden), 1.702, 1.0, 7.0))
    run("moe.inkling_moe", "silu_and_mul_triton", lambda: (x(tokens, 2 * hidden),))
    run("elementwise.elementwise", "fused_sigmoid_mul", lambda: (whole_rows(), whole_rows()))
    run("elementwise.elementwise", "fused_sigmoid_mul", lambda: (whole_rows(), whole_rows()), quant=True)
    run("elementwise.elementwise", "sigmoid_gate_mul_broadcast", lambda: (whole_rows(), x(tokens, 1)))
    run("elementwise.elementwise", "fused_gate_sigmoid_mul", lambda: (whole_rows(), w(), whole_rows()))
    run("elementwise.elementwise", "fused_gate_sigmoid_mul_add", lambda: (whole_rows(), w(), whole_rows(), whole_rows()))
    run("embeddings.vocab_parallel_embedding", "vocab_parallel_embedding", lambda: (
        torch.randint(0, 64000, (tokens,)), x(32000, hidden), 0, 32000, 0, 64000, 64000))


def words(rows, count):
    def logits(dtype=SINGLE):
        return x(rows, count, dtype=dtype, scale=3.0)
    run("activation.softcap", "softcap_inplace_logits", lambda: (logits(), 30.0))
    run("activation.softcap", "softcap_to_float32_logits", lambda: (logits(HALF), 30.0, torch.empty(rows, count)))
    run("activation.softcap", "gathered_softcap_logits", lambda: (x(4, rows, count // 4), 30.0, torch.empty(rows, count)))
    run("sampling.temperature_softmax", "temperature_softmax", lambda: (logits(), torch.rand(rows, 1) + 0.5))
    run("sampling.renorm_triton", "top_p_renorm_probs_triton", lambda: (logits().softmax(-1), torch.full((rows,), 0.9)))
    run("sampling.renorm_triton", "top_k_renorm_probs_triton", lambda: (logits().softmax(-1), torch.full((rows,), 50, dtype=torch.int32)))
    run("sampling.softcap_row_argmax", "softcap_row_argmax", lambda: (logits(), 30.0, count, 0))
    run("sampling.denoiser_statistics", "denoiser_statistics", lambda: (logits().view(4, rows // 4, count), torch.rand(4) + 0.5))
    run("speculative.row_argmax", "row_argmax", lambda: (logits(),))
    run("speculative.row_argmax", "div_argmax", lambda: (logits(), torch.rand(rows, count) + 0.5))
    run("speculative.topk1", "draft_topk1_postprocess", lambda: (logits(), torch.arange(rows)))
    run("grammar.bitmask_ops", "apply_token_bitmask_inplace_triton", lambda: (logits(), torch.randint(-2**31, 2**31 - 1, (rows, -(-count // 32)), dtype=torch.int32)))
    run("srt.layers.logsumexp", "row_logsumexp", lambda: (logits(HALF),))
    run("srt.layers.logsumexp", "row_logsumexp_topk", lambda: (logits(HALF), 8))
    run("memory.gpu_tensor_hash", "gpu_tensor_hash", lambda: (logits(),))


def adapters(batch, length, hidden, out, rank):
    """LoRA: each sequence has its adapter of four."""
    tokens = batch * length
    info = of("sglang.srt.lora.utils", "LoRABatchInfo")(
        use_cuda_graph=False, bs=batch, num_segments=batch, seg_indptr=starts([length] * batch), weight_indices=torch.arange(batch, dtype=torch.int32) % 4,
        lora_ranks=torch.full((4,), rank, dtype=torch.int32), scalings=torch.rand(4), max_len=length, seg_lens=torch.full((batch,), length, dtype=torch.int32),
        permutation=torch.arange(tokens, dtype=torch.int32), has_active_lora=True)
    dense = "lora.dense."
    run(dense + "sgemm_lora_a", "sgemm_lora_a_fwd", lambda: (x(tokens, hidden), x(4, 3 * rank, hidden), info), stack_num=3)
    run(dense + "sgemm_lora_b", "sgemm_lora_b_fwd", lambda: (x(tokens, rank), x(4, out, rank), info))
    run(dense + "gate_up_lora_b", "gate_up_lora_b_fwd", lambda: (x(tokens, 2 * rank), x(4, 2 * out, rank), info, out))
    run(dense + "qkv_lora_b", "qkv_lora_b_fwd", lambda: (
        x(tokens, 3 * rank), x(4, 2 * out, rank), info, whole(0, out, out + out // 2, 2 * out), out))
    run(dense + "chunked_sgmv_shrink", "chunked_sgmv_lora_shrink_forward", lambda: (x(tokens, hidden), x(4, 3 * rank, hidden), info, 3))
    run(dense + "chunked_sgmv_expand", "chunked_sgmv_lora_expand_forward", lambda: (
        x(tokens, 3 * rank), x(4, 2 * out, rank), info, whole(0, out, out + out // 2, 2 * out), out, None))
    run(dense + "embedding_lora_a", "embedding_lora_a_fwd", lambda: (torch.randint(0, 32000, (tokens,)), x(4, rank, 32000), info, 32000))


def caches(tokens, heads, width):
    slots = torch.randperm(2 * tokens)[:tokens]
    run("kvcache.cache_ops", "launch_reshape_and_cache_flash", lambda: (
        x(tokens, heads, width), x(tokens, heads, width), x(tokens // 8, 16, heads, width), x(tokens // 8, 16, heads, width), slots))
    run("attention.pad", "pad_sequence_with_mask", lambda: (
        x(tokens, 512), starts([tokens // 8] * 8)[:-1], torch.full((8,), tokens // 8, dtype=torch.int32), tokens // 8))
    run("attention.pad", "seqlens_expand_triton", lambda: (
        torch.full((64,), tokens // 64, dtype=torch.int32), torch.full((64,), tokens, dtype=torch.int32), tokens, tokens // 64))
    run("attention.position", "compute_position_triton", lambda: (
        torch.full((64,), 100, dtype=torch.int32), torch.full((64,), tokens // 64, dtype=torch.int32), tokens))
    run("mm.process.lanczos", "lanczos_resize", lambda: (torch.randint(0, 256, (1080, 1920, 3), dtype=torch.uint8), 448, 796))
    run("mm.process.image", "normalize_and_patchify", lambda: (x(4, 3, 896, 896), x(3), x(3), 14, 896, 896))


PARTS = {
    decode: ((32, 4096, 32, 32, 128, 128), (32, 4096, 32, 8, 128, 128), (16, 4096, 16, 1, 576, 512)),
    extend: ((4, 1024, 1024, 32, 8, 128), (8, 512, 512, 16, 16, 64)),
    positions: ((4096, 32, 8, 128), (8192, 16, 4, 128)),
    latent: ((2048, 16), (4096, 128)),
    linear_attention: ((8, 1024, 16, 32, 128), (32, 256, 8, 16, 128)),
    mixture: ((1024, 2048, 768, 64, 8), (64, 4096, 1408, 16, 2)),
    quantised: ((4096, 4096, 4096), (128, 7168, 2048)),
    rows: ((4096, 4096), (1024, 8192)),
    words: ((256, 128256), (64, 32000)),
    adapters: ((16, 256, 4096, 4096, 16), (64, 1, 4096, 14336, 64)),
    caches: ((8192, 8, 128), (4096, 16, 64)),
}
for part, sizes in PARTS.items():
    if part.__name__ in sys.argv[2:] or not sys.argv[2:]:
        for size in sizes:
            part(*size)
