"""torchao: its kernels of fp8, MX and int8 training and inference. Argument: a checkout.

  race.py record --without-gpu --keep 4 --out records -- python test/bench/race/shapes/torchao.py ~/src/ao

Kernels that hold instructions of Blackwell alone (the rounding of MX scales up, FP4) are left out. Triton 3.6 does not
compile _pergroup_cta_rht_amax_kernel for Hopper: `race.py check --remove` takes it out.
"""

import functools
import os
import sys

import torch
import triton  # first: the recorder waits for it

assert triton

import as_cuda  # noqa: E402
from without_gpu import attempt, of, random  # noqa: E402

as_cuda.install()
os.environ["TORCHAO_FORCE_SKIP_LOADING_SO_FILES"] = "1"
sys.path.insert(0, sys.argv[1])

FP8, HALF = torch.float8_e4m3fn, torch.bfloat16


def run(module, function, make, **named):
    attempt(function, lambda: of(f"torchao.{module}", function)(*make(), **named))


def columns_first(tensor):
    return tensor.transpose(-2, -1).contiguous().transpose(-2, -1)


def fp8(*shape):
    return random(*shape, dtype=FP8)


def scales(*shape):
    return torch.rand(*shape) * 0.01


def int8(*shape):
    return torch.randint(-127, 128, shape, dtype=torch.int8)


def ends(total, groups):
    """Where groups end that are multiples of 128 rows, none of one size."""
    sizes = torch.full((groups,), total // groups)
    shift = torch.arange(groups // 2) % (total // groups // 128) * 128
    sizes[:groups // 2] += shift
    sizes[groups // 2:groups // 2 * 2] -= shift
    return sizes.cumsum(0).to(torch.int32)


def blockwise(m, n, k):
    module = "prototype.blockwise_fp8_training.kernels"
    for out in (torch.float32, HALF):
        run(module, "triton_fp8_gemm_1x128_128x128", lambda: (fp8(m, k), columns_first(fp8(k, n)), columns_first(scales(m, k // 128)),
                                                              columns_first(scales(k // 128, n // 128))), out_dtype=out)
        run(module, "triton_fp8_gemm_1x128_128x1", lambda: (fp8(m, k), columns_first(fp8(k, n)), columns_first(scales(m, k // 128)),
                                                            scales(k // 128, n)), out_dtype=out)
    for quantiser in ("act_quant_lhs", "act_quant_rhs", "act_quant_transposed_lhs", "weight_quant_rhs", "weight_quant_transposed_rhs"):
        run(module, f"triton_fp8_blockwise_{quantiser}", lambda: (random(m, k),))
    run("prototype.blockwise_fp8_inference.kernels", "fp8_blockwise_act_quant", lambda: (random(m, k),))
    run("quantization.quantize_.workflows.float8.kernels", "_blockwise_fp8_gemm", lambda: (fp8(m, k), scales(m, k // 128), fp8(n, k),
                                                                                           scales(n // 128, k // 128)))


def experts(count, tokens, k, n):
    def weights():
        return columns_first(random(count, k, n))
    for kind in ("forward", "dgrad"):
        run("prototype.blockwise_fp8_training.grouped_weight_quant", f"triton_fp8_blockwise_weight_quant_grouped_{kind}_rhs", lambda: (weights(),))
    run("prototype.blockwise_fp8_training.deepgemm_quant", "triton_fp8_blockwise_act_quant_k_grouped_deepgemm",
        lambda: (random(tokens, k), ends(tokens, count)))
    jagged, rowwise = "prototype.moe_training.kernels.jagged_float8_scales", "prototype.moe_training.kernels.float8_rowwise"
    for rounded in (False, True):
        run(jagged, "triton_fp8_per_group_rowwise_scales", lambda: (columns_first(random(k, tokens)), ends(tokens, count)), round_scales_to_power_of_2=rounded)
        run(jagged, "triton_fp8_per_group_colwise_scales", lambda: (random(tokens, k), ends(tokens, count)), round_scales_to_power_of_2=rounded)
        run(jagged, "triton_fp8_per_group_colwise_scales_dual", lambda: (random(tokens, k), random(tokens, n), ends(tokens, count)),
            round_scales_to_power_of_2=rounded)
        run(rowwise, "triton_fp8_rowwise_3d_transpose_rhs", lambda: (weights(),), round_scales_to_power_of_2=rounded)
        run(rowwise, "triton_fp8_rowwise_3d_transpose_rhs_fused_reduction", lambda: (weights(),), round_scales_to_power_of_2=rounded)
        run(rowwise, "triton_fp8_colwise_3d_scale_and_cast", lambda: (weights(),), round_scales_to_power_of_2=rounded)
        run(rowwise, "triton_fp8_rowwise_2d_scale_and_cast", lambda: (random(tokens, k),), round_scales_to_power_of_2=rounded)
    ranks = 4
    for_each = torch.full((ranks * count,), tokens // ranks // count, dtype=torch.int32)

    def permuted(backward):
        indices = of("torchao.prototype.moe_training.ep.kernels", "generate_permute_indices")
        indices(for_each, count, ranks, tokens + count * 32, 32)
        if backward:
            of("torchao.prototype.moe_training.ep.permute", "_triton_permute_bwd")(random(tokens, k), torch.randperm(tokens), tokens, k)
    attempt("generate_permute_indices", lambda: permuted(False))
    attempt("_triton_permute_bwd", lambda: permuted(True))


def mx(rows, columns, groups):
    module, grouped = "prototype.mx_formats.kernels", "prototype.moe_training.kernels.mxfp8.quant"

    def exponents(*shape):
        return torch.randint(118, 130, shape, dtype=torch.uint8).view(torch.float8_e8m0fnu)
    for dim in (0, 1):
        run(module, f"triton_to_mxfp8_dim{dim}", lambda: (random(rows, columns),), scaling_mode="floor")
    for out in (HALF, torch.float32):
        run(module, "triton_mxfp8_dequant_dim0", lambda out=out: (fp8(rows, columns), exponents(rows, columns // 32), out))
    run(module, "triton_mx_block_rearrange", lambda: (exponents(rows, columns // 32),))
    run(grouped, "triton_mx_block_rearrange_2d_M_groups", lambda: (exponents(rows, columns // 32), ends(rows, groups)))
    run(grouped, "triton_mx_block_rearrange_2d_K_groups", lambda: (exponents(columns, rows // 32), ends(rows, groups) // 32))
    run(grouped, "triton_mx_block_rearrange_per_group_3d", lambda: (exponents(groups, rows // groups, columns // 32),))


def whole_numbers(m, n, k):
    for column in (n, 1):
        run("prototype.quantized_training.int8_mm", "scaled_int8_mm_cuda",
            lambda column=column: (int8(m, k), int8(n, k).t(), torch.rand(m).to(HALF), torch.rand(column).to(HALF)))
    run("prototype.quantized_training.int8_mm", "scaled_int8_mm_cuda", lambda: (int8(m, k), int8(k, n), torch.rand(m), torch.rand(n)))
    # Packed int4 weights; a whole group of 64 along the inner dimension has one scale.
    for kind, dtype in (("compute_bound", torch.float16), ("max_autotune", HALF)):
        run("prototype.hqq.mixed_mm", "triton_mixed_mm", lambda dtype=dtype: (
            random(m, k, dtype=dtype), torch.randint(0, 256, (k // 2, n), dtype=torch.uint8), random(k // 64, n, dtype=dtype),
            random(k // 64, n, dtype=dtype), 64), kernel_type=kind)
        run("prototype.hqq.mixed_mm", "triton_mixed_mm", lambda dtype=dtype: (
            random(m, n, dtype=dtype), torch.randint(0, 256, (k // 2, n), dtype=torch.uint8), random(k // 64, n, dtype=dtype),
            random(k // 64, n, dtype=dtype), 64), kernel_type=kind, transposed=True)


def tensorwise(rows, columns):
    module = "prototype.float8nocompile.kernels.fp8_dynamic_tensorwise"

    def converted(kind, algorithm, dtype):
        training = of("torchao.float8.float8_training_tensor")
        of(f"torchao.{module}", f"hp_to_fp8_{kind}")(random(rows, columns, dtype=dtype), FP8, training.LinearMMConfig(),
                                                     algo=of(f"torchao.{module}", "KernelAlgorithm")[algorithm])
    for kind in ("row_major", "row_major_t", "col_major", "col_major_t", "row_and_col_major", "row_major_t_and_non_t", "col_major_t_and_non_t"):
        for algorithm, dtype in (("ATOMIC_MAX", HALF), ("REDUCTION", torch.float32)):
            attempt(kind, functools.partial(converted, kind, algorithm, dtype))


def attention(batch, heads, key_heads, length, width):
    def q():
        return random(batch, heads, length, width)

    def kv():
        return random(batch, key_heads, length, width)

    def angles():
        return random(length, width, dtype=torch.float32)
    module = "prototype.attention.quantization.triton_"
    run("prototype.fp8_sdpa_inference.fp8_sdpa_quantization", "fp8_sdpa_quantize_func",
        lambda: (q(), random(batch, heads, length // 2, width), random(batch, heads, length // 2, width)))
    run("prototype.fp8_sdpa_inference.fp8_sdpa_quantization", "fp8_sdpa_quantize_func", lambda: (q(), q(), q()))
    run(module + "qkv_quantization", "triton_fp8_sdpa_quantize", lambda: (q(), kv(), kv()))
    run(module + "hadamard_utils", "inverse_hadamard_transform", lambda: (q(),))

    def turned(count):
        return random(batch, length, count, width)
    for v_only in (False, True):
        run(module + "hadamard_qkv_quantization", "triton_fp8_hadamard_sdpa_quantize", lambda: (q(), kv(), kv()), v_only=v_only)
    for interleaved in (False, True):
        run(module + "rope_qkv_quantization", "triton_fp8_rope_sdpa_quantize", lambda: (turned(heads), turned(heads), turned(heads), angles(), angles()),
            rope_interleaved=interleaved)
        run(module + "hadamard_rope_qkv_quantization", "triton_fp8_hadamard_rope_sdpa_quantize",
            lambda: (turned(heads), turned(heads), turned(heads), angles(), angles()), rope_interleaved=interleaved)


def rotated_maxima(rows, columns, count):
    module = "prototype.moe_training.nvfp4_training."
    signs = [1 if i % 3 else -1 for i in range(16)]
    run(module + "hadamard_amax_triton", "triton_rht_amax", lambda: (random(rows, columns), signs))
    run(module + "group_weight_amax_triton", "triton_group_weight_amax", lambda: (random(count, columns, rows // count), count))
    run(module + "group_hadamard_amax_triton", "triton_group_rht_amax", lambda: (
        random(rows, columns), signs, ends(rows, count), count, rows, columns, 0))


# What MX kernels are defined for; of their two roundings the one that every device has is recorded.
of("torchao.utils").is_sm_at_least_100 = lambda: True
for size in ((4096, 4096, 4096), (8192, 2048, 7168), (128, 7168, 2048)):
    blockwise(*size)
for size in ((8, 8192, 2048, 4096), (16, 16384, 5120, 1536)):
    experts(*size)
for size in ((8192, 4096, 8), (16384, 7168, 16)):
    mx(*size)
for size in ((4096, 4096, 4096), (1024, 14336, 4096)):
    whole_numbers(*size)
for size in ((4096, 4096), (8192, 7168)):
    tensorwise(*size)
for size in ((2, 32, 32, 4096, 128), (1, 32, 8, 8192, 64)):
    attention(*size)
for size in ((8192, 4096, 8), (16384, 2048, 16)):
    rotated_maxima(*size)
