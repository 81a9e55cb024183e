"""SGLang: its kernels of image and video models. Argument: a folder with the package (of version 0.5.23).

  race.py record --without-gpu --keep 3 --out records -- python test/bench/race/shapes/sglang_diffusion.py ~/src/sglang/python

Its modules import orjson, msgspec, pybase64, psutil, requests, urllib3, certifi, pillow, starlette, pyzmq, dill,
transformers and apache-tvm-ffi.
"""

import os
import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from without_gpu import attempt, of, random, stand_in, without_init  # noqa: E402

as_cuda.install()
sys.path.insert(0, sys.argv[1])
without_init("sglang", os.path.join(sys.argv[1], "sglang"))
assert not of("transformers.utils").is_torchvision_available()  # asked before there is a module of that name
for name in ("torchvision.io", "torchvision.transforms.functional", "torchvision.transforms.v2.functional", "IPython.display"):
    stand_in(name)
torch.set_grad_enabled(False)

HALF, SINGLE = torch.bfloat16, torch.float32
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}


def x(*shape, dtype=HALF):
    return random(*shape, dtype=dtype)


def image(*shape, dtype=HALF):
    """Channels are next to each other."""
    return random(*shape, dtype=dtype).contiguous(memory_format=FORMATS[len(shape)])


def run(module, function, make, **named):
    attempt(function, lambda: of(f"sglang.kernels.ops.diffusion.{module}", function)(*make(), **named))


def angles(*shape, dtype=SINGLE):
    return torch.rand(*shape).mul_(6).cos().to(dtype)


def turns(*shape):
    return torch.polar(torch.ones(*shape), torch.rand(*shape))


def modulation(batch, tokens, width):
    """Norms, scales and shifts of one block of a transformer."""
    def whole(dtype=HALF):
        return x(batch, tokens, width, dtype=dtype)

    def one(dtype=HALF):
        return x(batch, 1, width, dtype=dtype)

    def w(dtype=HALF):
        return x(width, dtype=dtype)

    def table(dtype=HALF):
        return x(8, width, dtype=dtype)

    def rows(dtype=HALF):
        return x(tokens, width, dtype=dtype)
    choice = torch.randint(0, 8, (tokens,))
    scaled = "modulate.scale_shift_triton"
    run(scaled, "fuse_scale_shift_kernel", lambda: (whole(), one(), one()))
    run(scaled, "fuse_scale_shift_kernel", lambda: (whole(), x(batch, 16, 1, width), whole()))
    run(scaled, "try_fused_scaled_residual_add_exact", lambda: (whole(SINGLE), whole(), w(SINGLE)))
    run(scaled, "try_fused_scaled_residual_bf16", lambda: (whole(), whole(), x(batch, 16, 1, width, dtype=SINGLE)))
    two = [lambda: x(batch, width) for _ in range(6)]
    run(scaled, "fuse_layernorm_scale_shift_gate_select01_kernel", lambda: (
        whole(), w(), w(), *(make() for make in two), torch.randint(0, 2, (batch, tokens)), 1e-6))
    run(scaled, "fuse_residual_layernorm_scale_shift_gate_select01_kernel", lambda: (
        whole(), whole(), whole(), w(), w(), *(make() for make in two), torch.randint(0, 2, (batch, tokens)), 1e-6))
    indexed = "modulate.indexed_modulation_triton"
    for name, dtype in (("bf16", HALF), ("fp32", SINGLE)):
        run(indexed, f"indexed_scale_shift_{name}_", lambda: (rows(), table(dtype), table(dtype), choice))
        run(indexed, f"indexed_gate_{name}", lambda: (rows(), table(dtype), rows(), choice))
    run("modulate.residual_gate_fp32", "residual_gate_fp32", lambda: (whole(), whole(), one(SINGLE)))
    run("modulate.head_gate_triton", "head_gate_mul", lambda: (whole(), x(batch, tokens, width // 128)))
    run("modulate.ltx2_ada_values_triton", "ltx2_ada_values9", lambda: (x(9, width, dtype=SINGLE), x(batch, tokens // 4, 9 * width)))
    run("modulate.wan_temb_table_slices_triton", "fused_temb_table_slices", lambda: (x(1, 6, width, dtype=SINGLE), x(batch, tokens // 4, 6, width)))
    run("norm.h3_vae_fused_norm", "h3_vae_rmsnorm", lambda: (whole(), w(SINGLE), 1e-6))
    run("norm.h3_vae_fused_norm", "h3_vae_scale_add_rmsnorm", lambda: (whole(SINGLE), whole(), w(SINGLE), w(SINGLE), 1e-6))
    run("norm.native_bf16_rmsnorm_triton", "rmsnorm_scale", lambda: (whole(), w(), one(), 1e-6))
    run("norm.native_bf16_rmsnorm_triton", "rmsnorm_tanh_residual", lambda: (whole(), one(), whole(), w(), 1e-6))
    run("norm.norm_triton", "norm_infer", lambda: (rows(), w(), w(), 1e-6))
    run("norm.norm_triton", "norm_infer", lambda: (rows(), w(), None, 1e-6), is_rms_norm=True)
    run("norm.norm_triton", "rms_norm_fn", lambda: (rows(), w(), None), residual=rows(), prenorm=True)
    run("norm.rmsnorm_cast_before_weight_bitexact", "rmsnorm_cast_before_weight_modulate_bitexact", lambda: (whole(), w(), x(batch, width), x(batch, width)))
    run("norm.rmsnorm_cast_before_weight_bitexact", "rmsnorm_cast_before_weight_bitexact", lambda: (whole(), w()))
    run("norm.rmsnorm_scale_shift_bitexact", "fused_rmsnorm_scale_shift_bitexact", lambda: (whole(), w(), one(), one(), 1e-6))
    run("norm.rmsnorm_scale_shift_bitexact", "fused_scale_residual_rmsnorm_scale_shift_bitexact", lambda: (whole(), whole(), one(), w(), one(), one(), 1e-6))
    run("norm.rmsnorm_scale_shift_triton", "rmsnorm_scale_shift_per_token", lambda: (whole(), w(), whole(), whole(), 1e-6))
    run("norm.rmsnorm_scale_shift_triton", "rmsnorm_indexed_scale_shift", lambda: (rows(), w(), table(), table(), choice, 1e-6))
    run("norm.scale_residual_norm_scale_shift_triton", "fused_scale_residual_norm_scale_shift_triton", lambda: (), residual=x(1, tokens, width),
        x=x(1, tokens, width), gate=x(1, 1, width), shift=x(1, 1, width), scale=x(1, 1, width), weight=None, bias=None, eps=1e-6)
    run("norm.rmsnorm_onepass_triton", "triton_one_pass_rms_norm", lambda: (x(batch, tokens, 24, 128), x(128)))
    run("norm.rmsnorm_preserve_reduction", "rmsnorm_preserve_reduction", lambda: (whole(), w(), 1e-6))
    run("quantization.fp8_rowwise_triton", "fp8_rowwise", lambda: (rows(),))
    run("quantization.swiglu_fp8_rowwise_triton", "fused_packed_swiglu_fp8_rowwise", lambda: (x(batch, tokens, 2 * width),))
    run("activation.silu_mul_bitexact", "fused_silu_mul_bitexact", lambda: (whole(), whole()))
    run("activation.silu_mul_bitexact", "fused_packed_silu_mul_bitexact", lambda: (x(batch, tokens, 2 * width),))
    run("activation.situ_softcap_mul_bitexact", "fused_situ_softcap_mul_bitexact", lambda: (whole(), whole()))


def heads(batch, tokens, count, width):
    """What is done to queries and keys before attention."""
    def q(length=tokens, dtype=HALF):
        return x(batch, length, count, width, dtype=dtype)
    run("norm.zimage_qk_rmsnorm_triton", "zimage_qk_rmsnorm_native", lambda: (q(), x(width), 1e-6))
    run("norm.rmsnorm_cast_before_weight_bitexact", "rmsnorm_cast_before_weight_rope_bitexact", lambda: (
        q(), x(width), angles(batch * tokens, width, dtype=HALF), angles(batch * tokens, width, dtype=HALF)))
    run("rope.complex_rope_triton", "fused_complex_rope", lambda: (q(), turns(tokens, width // 2)))
    run("rope.qknorm_complex_rope_triton", "qknorm_complex_rope", lambda: (q(), x(width), turns(tokens, width // 2), 1e-6))
    run("rope.flux2_qknorm_rope_triton", "flux2_strided_qknorm_rope", lambda: (
        *x(batch, tokens, 3, count, width).unbind(2)[:2], x(width), x(width), angles(tokens, width), 1e-6))
    run("rope.flux3_video_qknorm_rope_triton", "flux3_video_qknorm_rope", lambda: (
        x(1, 4, 32, tokens // 128, 3, count, 64), angles(1, 4, 32, tokens // 128, 1, 64, dtype=HALF), angles(1, 4, 32, tokens // 128, 1, 64, dtype=HALF)))
    run("rope.hunyuan_qkv_pack_triton", "hunyuan_qkv_rope_pack", lambda: (
        q(), q(), q(), q(256), q(256), q(256), angles(tokens, width // 2), angles(tokens, width // 2)))
    run("rope.ltx2_rotary_triton", "apply_ltx2_split_rotary_emb", lambda: (
        x(batch, tokens, count * width), angles(batch, count, tokens, width // 2, dtype=HALF), angles(batch, count, tokens, width // 2, dtype=HALF)))
    run("rope.matrix_rope", "apply_matrix_rope", lambda: (q(), angles(1, tokens, 1, width // 2, 2, 2)))
    run("rope.rope_rotate_half_bitexact", "fused_rope_rotate_half_bitexact", lambda: (
        q(), angles(batch, tokens, 1, width, dtype=HALF), angles(batch, tokens, 1, width, dtype=HALF)))
    run("rope.rope_rotate_half_fp32", "fused_rope_rotate_half_fp32", lambda: (q(), q(), angles(tokens, width), angles(tokens, width)))
    for interleaved in (False, True):
        run("rope.rotary_triton", "apply_rotary_embedding", lambda: (q(), angles(tokens, width // 2), angles(tokens, width // 2)), interleaved=interleaved)
    run("layout.joint_qkv_cat_triton", "joint_qkv_cat", lambda: (q(), q(), q(), q(256), q(256), q(256)))
    run("layout.head_group_copy_triton", "copy_head_groups", lambda: (
        x(4, batch, tokens, count // 4 * width), x(batch, tokens, 4, count // 4 * width).permute(2, 0, 1, 3)))
    run("layout.ulysses_qkv_triton", "pack_qkv_destination_major", lambda: (*(x(tokens, count, width) for _ in range(3)), 4))
    kept = torch.arange(batch * tokens)[torch.rand(batch * tokens) < 0.8]
    back = torch.full((batch * tokens,), -1)
    back[kept] = torch.arange(len(kept))
    run("layout.varlen_pack_pad_triton", "fused_pack_qkv", lambda: (q(), q(), q(), kept))
    run("layout.varlen_pack_pad_triton", "fused_scatter_to_padded", lambda: (x(len(kept), count, width), back, batch, tokens))
    run("layout.varlen_pack_pad_triton", "build_inv_indices", lambda: (kept, batch * tokens))


def linear_attention(frames, per_frame, count, width):
    tokens = frames * per_frame
    module = "attention.vdn_linear_branch_triton"

    def rows(dtype=HALF):
        return x(tokens, count, width, dtype=dtype)
    for normalised in (False, True):
        run(module, "vdn_temporal_conv_act", lambda: (x(frames, per_frame, count * width), x(count * width, 5), count, width, normalised))
        run(module, "vdn_silu_l2norm", lambda: (rows(), normalised, per_frame))
    run(module, "vdn_frame_stats_prep", lambda: (rows(), rows(), x(tokens, count), frames, per_frame))
    run(module, "vdn_linear_epilogue", lambda: (x(frames, count, per_frame, width), x(width), rows(), 1e-6))
    qkv = (1, tokens, 3, count, width)
    run("attention.sana_wm_gdn_triton", "fused_qk_inv_rms", lambda: (x(*qkv),))
    run("attention.sana_wm_gdn_chunkwise_triton", "fused_bigdn_bidi_chunkwise", lambda: (
        x(*qkv), torch.rand(1, tokens) + 0.5, torch.rand(1, tokens) + 0.5, x(count * width), x(count * width), angles(tokens, width), angles(tokens, width),
        torch.rand(1, count, frames, per_frame), torch.rand(1, count, frames), frames, per_frame))
    camera = (1, count, width, tokens)
    run("attention.sana_wm_gdn_chunkwise_triton", "cam_scan_bidi_chunkwise", lambda: (
        *(x(*camera, dtype=SINGLE) for _ in range(3)), torch.rand(1, count, frames, per_frame), torch.rand(1, count, frames)))
    run("attention.sparse_linear_attn_triton", "mean_pool", lambda: (x(1, count, tokens, width), 64))


def decoder(channels, side, frames):
    """Of a VAE: pictures whose channels are next to each other."""
    def picture(dtype=HALF):
        return image(1, channels, side, side, dtype=dtype)

    def film():
        return image(1, channels, frames, side // 4, side // 4)
    run("activation.sana_conv_post_triton", "fused_bias_silu", lambda: (picture(), x(channels)))
    run("activation.sana_conv_post_triton", "fused_bias_glu", lambda: (picture(), x(channels)))
    run("modulate.conv_bias_epilogue_triton", "conv_bias_epilogue", lambda: (picture(), x(channels), picture()))
    run("norm.group_norm_silu_twopass_triton", "group_norm_silu_4d", lambda: (picture(), x(channels), x(channels), 32, 1e-6))
    run("norm.group_norm_silu_triton", "triton_group_norm_silu", lambda: (x(1, channels, side, side), x(channels), x(channels), 32))
    run("norm.channel_rmsnorm_preserve_reduction", "channel_rmsnorm_preserve_reduction", lambda: (film().contiguous(), x(channels, 1, 1, 1), channels ** 0.5))
    run("norm.wan_rmsnorm_silu_triton", "wan_rmsnorm_silu", lambda: (film(), x(channels, 1, 1, 1)))
    run("layout.causal_conv3d_cat_pad_triton", "fused_causal_conv3d_cat_pad", lambda: (film().contiguous(), film()[:, :, :2].contiguous(), [1, 1, 1, 1, 2, 0]))
    run("layout.wan_causal_cache_triton", "cat_pad_channels_last_3d", lambda: (film(), film()[:, :, :2], [1, 1, 1, 1, 2, 0]), keep_cache_t=2)
    run("layout.wan_causal_cache_triton", "dup_up3d_add", lambda: (
        image(1, channels // 2, 2 * frames, side // 2, side // 2), film(), 2, 2, 4, False))
    run("layout.nearest_upsample_nhwc_triton", "nearest_upsample_nhwc", lambda: (picture(), 2))


for size in ((1, 4096, 3072), (2, 4096, 4096)):
    modulation(*size)
for size in ((1, 4096, 24, 128), (2, 4096, 40, 128)):
    heads(*size)
for size in ((8, 1024, 16, 128), (16, 512, 32, 64)):
    linear_attention(*size)
for size in ((256, 256, 8), (512, 128, 16)):
    decoder(*size)
