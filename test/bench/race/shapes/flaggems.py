"""FlagGems: its operators at the sizes of its own benchmarks. Argument: a checkout.

  race.py record --without-gpu --keep 2 --out records -- python test/bench/race/shapes/flaggems.py ~/src/FlagGems
"""

import os
import sys

import torch
import triton  # first: the recorder waits for it

sys.path.insert(0, os.path.join(sys.argv[1], "src"))
os.environ["GEMS_VENDOR"] = "nvidia"
assert triton

import flag_gems.fused as fused  # noqa: E402
import flag_gems.ops as ops  # noqa: E402
from without_gpu import attempt  # noqa: E402

UNARY = """abs angle atan bitwise_not cos erf exp exp2 gelu isfinite isinf isnan log log_sigmoid logical_not neg reciprocal relu rsqrt
           sigmoid silu sin softplus sqrt tanh elu celu nan_to_num glu""".split()
BINARY = "add sub mul eq ne lt le gt ge pow_tensor_tensor logical_and logical_or logical_xor isclose floor_divide remainder true_divide".split()
WITH_NUMBER = "add mul eq lt pow_tensor_scalar floor_divide remainder".split()
WHOLE = "bitwise_and_tensor bitwise_or_tensor bitwise_left_shift bitwise_right_shift floor_divide remainder".split()
GRADIENTS = "gelu_backward silu_backward tanh_backward sigmoid_backward".split()
REDUCTIONS = "sum mean max min prod amax all any argmax argmin std count_nonzero".split()
OF_A_DIMENSION = "max_dim min_dim prod_dim all_dim any_dim argmax argmin log_softmax cumsum cummax cummin".split()
OF_DIMENSIONS = "sum_dim mean_dim amax std var_mean".split()


def x(*shape, dtype=torch.bfloat16):
    """What is large holds nothing; its record says so."""
    made = torch.empty(*shape, dtype=dtype)
    return made.normal_() if made.numel() < 1 << 16 else made


def run(name, make, of=ops, **named):
    attempt(name, lambda: getattr(of, name)(*make(), **named))


def elementwise(size):
    types = {"bitwise_not": torch.int16, "angle": torch.float32}
    for name in UNARY:
        run(name, lambda name=name: (x(*size, dtype=types[name]) if name in types else x(*size),))
    for name in BINARY + GRADIENTS:
        run(name, lambda: (x(*size), x(*size)))
    for name in WITH_NUMBER:
        run(name, lambda: (x(*size), 0.5))
    for name in WHOLE:
        run(name, lambda: (torch.randint(1, 7, size, dtype=torch.int32), torch.randint(1, 7, size, dtype=torch.int32)))
    for name in ("add", "mul", "sub"):
        for other in ((size[1],), (size[0], 1)):
            run(name, lambda other=other: (x(*size), x(*other)))
        run(name, lambda: (x(*size), x(*size[::-1]).t()))
        run(name, lambda: (x(64, 512, 512), x(64, 1, 512)))
    run("where_self", lambda: (x(*size) > 0, x(*size), x(*size)))
    run("masked_fill", lambda: (x(*size), x(*size) > 0, 1.0))
    run("clamp", lambda: (x(*size), -0.5, 0.5))
    run("lerp_scalar", lambda: (x(*size), x(*size), 0.3))
    run("addcmul", lambda: (x(*size), x(*size), x(*size)))
    run("addcdiv", lambda: (x(*size), x(*size), x(*size)))
    run("threshold", lambda: (x(*size), 0.0, 1.0))
    run("flip", lambda: (x(*size), [0]))
    run("tile", lambda: (x(4096, 1024), (2, 2)))
    run("repeat", lambda: (x(1024, 1024), (2, 2)))
    run("cat", lambda: ([x(*size), x(*size)], -1))
    run("stack", lambda: ([x(*size), x(*size)], 0))
    run("contiguous", lambda: (x(*size).transpose(0, 1),))
    run("silu_and_mul", lambda: (x(*size), x(*size)), of=fused)
    run("gelu_and_mul", lambda: (x(*size), x(*size)), of=fused)


def reductions(size):
    in_fp32 = ("prod", "prod_dim", "count_nonzero")

    def of_type(name):
        return x(*size, dtype=torch.float32 if name in in_fp32 else torch.bfloat16)
    for name in REDUCTIONS:
        run(name, lambda name=name: (of_type(name),))
    for dim in (-1, 1 if len(size) > 2 else 0):
        for name in OF_A_DIMENSION:
            run(name, lambda name=name, dim=dim: (of_type(name), dim))
        for name in OF_DIMENSIONS:
            run(name, lambda name=name, dim=dim: (of_type(name), [dim]))
        run("softmax", lambda dim=dim: (x(*size), dim, False))
        run("vector_norm", lambda dim=dim: (x(*size), 2, [dim]))
    for name in ("softmax_backward", "log_softmax_backward"):
        run(name, lambda: (x(*size), x(*size), -1, torch.bfloat16))


def rows(m, n):
    def indices(high, *shape):
        return torch.randint(0, high, shape)
    run("layer_norm", lambda: (x(m, n), [n], x(n), x(n)))
    run("layer_norm_backward", lambda: (x(m, n), x(m, n), [n], torch.rand(m, 1), torch.rand(m, 1), x(n), x(n), [True] * 3))
    run("rms_norm", lambda: (x(m, n), [n], x(n)))
    run("skip_layer_norm", lambda: (x(m, n), x(m, n), [n], x(n), x(n)), of=fused)
    run("fused_add_rms_norm", lambda: (x(m, n), x(m, n), [n], x(n)), of=fused)
    run("weight_norm_interface", lambda: (x(m, n), x(m, 1), 0))
    run("topk", lambda: (x(m, n), 8))
    run("sort", lambda: (x(256, n),))
    run("gather", lambda: (x(m, n), 1, indices(n, m, n)))
    run("scatter", lambda: (x(m, n), 1, indices(n, m, n), x(m, n)))
    run("index_select", lambda: (x(m, n), 0, indices(m, m // 2)))
    run("index_add", lambda: (x(m, n), 0, torch.randperm(m)[:m // 2], x(m // 2, n)))
    run("embedding", lambda: (x(m, n), indices(m, m)))
    run("triu", lambda: (x(m, n), 1))
    run("diag", lambda: (x(m, n),))
    run("mv", lambda: (x(m, n), x(n)))
    run("addmv", lambda: (x(m), x(m, n), x(n)))
    run("addr", lambda: (x(m, n), x(m), x(n)))
    run("dropout", lambda: (x(m, n), 0.5, True))
    run("nll_loss_forward", lambda: (x(m, n), indices(n, m), None, 1, -100))
    run("cross_entropy_loss", lambda: (x(m, n), indices(n, m)), of=fused)
    run("mse_loss", lambda: (x(m, n), x(m, n)))
    run("masked_select", lambda: (x(m, n), x(m, n) > 0))
    run("mm", lambda: (x(m, 1024), x(1024, n)))
    run("addmm", lambda: (x(n), x(m, 1024), x(1024, n)))
    run("bmm", lambda: (x(4, m // 2, 512), x(4, 512, n // 2)))
    run("instance_norm", lambda: (x(16, 64, n), x(64), x(64)), of=fused)
    run("group_norm", lambda: (x(16, 64, n), x(64), x(64), 16, 64, n, 8, 1e-5))
    run("batch_norm", lambda: (x(16, 64, n), x(64), x(64), x(64), x(64).abs(), True, 0.1, 1e-5))
    run("conv2d", lambda: (x(8, 64, 64, 64), x(64, 64, 3, 3)), padding=1)
    run("conv1d", lambda: (x(8, 64, 1024), x(64, 64, 3)), padding=1)
    run("max_pool2d_with_indices", lambda: (x(8, 64, 128, 128), 3, 2, 1))


elementwise((4096, 4096))
for shape in ((4096, 4096), (1024, 65536), (64, 512, 512), (8, 1024, 512)):
    reductions(shape)
for shape in ((4096, 4096), (8192, 1024), (1024, 16384)):
    rows(*shape)
