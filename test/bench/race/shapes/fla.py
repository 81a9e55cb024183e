"""flash-linear-attention: its operators and modules, forward and backward. Argument: a checkout.

  race.py record --without-gpu --keep 2 --out records -- python test/bench/race/shapes/fla.py ~/src/flash-linear-attention
"""

import sys

import torch
import torch.nn.functional as F
import triton  # first: the recorder waits for it

sys.path.insert(0, sys.argv[1])
assert triton

from without_gpu import attempt, forward_backward, of  # noqa: E402


def random(*shape, dtype=torch.bfloat16):
    return (torch.randn(*shape) * 0.5).to(dtype).requires_grad_()


def gates(*shape, dtype=torch.bfloat16):
    return F.logsigmoid(torch.randn(*shape)).to(dtype).requires_grad_()


def shares(*shape, dtype=torch.bfloat16):
    return torch.rand(*shape).to(dtype).requires_grad_()


def directions(*shape):
    return F.normalize(torch.randn(*shape), dim=-1).to(torch.bfloat16).requires_grad_()


def operator(module, name, make, **named):
    attempt(name, lambda: forward_backward(of(f"fla.ops.{module}", name), *make(), **named))


def module(name, function, make, **named):
    attempt(function, lambda: forward_backward(of(f"fla.modules.{name}", function), *make(), **named))


def operators(length, heads, width):
    whole, of_heads, flat = (2, length, heads, width), (2, length, heads), (2, length, heads * width)
    single = torch.float32

    def q():
        return random(*whole)

    def k():
        return directions(*whole)
    operator("gla", "chunk_gla", lambda: (q(), q(), q(), gates(*whole)))
    operator("gla", "fused_recurrent_gla", lambda: (q(), q(), q(), gates(*whole)))
    operator("retention", "chunk_retention", lambda: (q(), q(), q()))
    operator("retention", "parallel_retention", lambda: (q(), q(), q()))
    operator("simple_gla", "chunk_simple_gla", lambda: (q(), q(), q(), gates(*of_heads, dtype=single)))
    operator("simple_gla", "parallel_simple_gla", lambda: (q(), q(), q(), gates(*of_heads, dtype=single)))
    operator("linear_attn", "chunk_linear_attn", lambda: (q(), q(), q()), normalize=False)
    operator("gated_delta_rule", "chunk_gated_delta_rule", lambda: (q(), k(), q(), gates(*of_heads, dtype=single), shares(*of_heads)))
    operator("delta_rule", "chunk_delta_rule", lambda: (q(), k(), q(), shares(*of_heads)))
    operator("rwkv6", "chunk_rwkv6", lambda: (q(), q(), q(), gates(*whole), random(heads, width)))
    operator("rwkv7", "chunk_rwkv7", lambda: (q(), gates(*whole), q(), q(), k(), k()))
    operator("kda", "chunk_kda", lambda: (q(), k(), q(), gates(*whole, dtype=single), shares(*of_heads)))
    operator("gsa", "chunk_gsa", lambda: (q(), q(), q(), random(*of_heads, 64), gates(*of_heads, 64)))
    operator("hgrn", "chunk_hgrn", lambda: (random(*flat), gates(*flat)))
    operator("hgrn", "fused_recurrent_hgrn", lambda: (random(*flat), gates(*flat)))
    operator("attn", "parallel_attn", lambda: (q(), q(), q()))
    operator("forgetting_attn", "parallel_forgetting_attn", lambda: (q(), q(), q(), gates(*of_heads, dtype=single)))
    operator("generalized_delta_rule", "chunk_dplr_delta_rule", lambda: (q(), q(), q(), k(), k(), gates(*whole)))
    operator("generalized_delta_rule", "chunk_iplr_delta_rule", lambda: (q(), q(), q(), k(), k()))
    operator("comba", "chunk_comba", lambda: (q(), k(), q(), k(), gates(*of_heads, dtype=single), shares(*of_heads)))
    operator("mesa_net", "chunk_mesa_net", lambda: (q(), k(), q(), gates(*of_heads, dtype=single), shares(*of_heads),
                                                    torch.rand(heads, width).add(0.25).requires_grad_()))
    operator("based", "parallel_based", lambda: (random(*of_heads, 16), random(*of_heads, 16), q()))
    operator("nsa", "parallel_nsa", lambda: (random(2, length, 64, width), random(2, length, 4, width), random(2, length, 4, width)),
             g_cmp=shares(2, length, 64), g_slc=shares(2, length, 64), g_swa=shares(2, length, 64), block_size=64, block_counts=16)
    operator("ttt", "chunk_ttt_linear", lambda: (q(), k(), q(), random(heads, width), random(heads, width), shares(*of_heads, 1)), chunk_size=16)


def modules(rows, columns):
    def x():
        return random(rows, columns)

    def w():
        return random(columns)
    targets = torch.randint(0, 32000, (rows,))
    module("layernorm", "layer_norm", lambda: (x(), w(), w()))
    module("layernorm", "rms_norm", lambda: (x(), w(), None))
    module("layernorm", "rms_norm", lambda: (x(), w(), None), residual=x(), prenorm=True)
    module("fused_norm_gate", "rms_norm_gated", lambda: (x(), x(), w(), None))
    module("fused_norm_gate", "rms_norm_gated", lambda: (random(rows, 16, 128), random(rows, 16, 128), random(128), None))
    module("l2norm", "l2norm", lambda: (random(2, rows // 2, 16, 128),))
    module("convolution", "causal_conv1d", lambda: (random(2, rows // 2, columns),), weight=random(columns, 4), activation="silu")
    module("activations", "swiglu", lambda: (x(), x()))
    module("activations", "swish", lambda: (x(),))
    module("activations", "logsigmoid", lambda: (x(),))
    module("fused_cross_entropy", "cross_entropy_loss", lambda: (random(rows, 32000), targets))
    module("token_shift", "token_shift", lambda: (random(2, rows // 2, columns),))
    operator("utils", "chunk_global_cumsum", lambda: (torch.randn(2, rows, 16),))
    operator("utils", "chunk_global_cumsum", lambda: (torch.randn(2, rows, 16, 64),))
    operator("utils", "chunk_local_cumsum", lambda: (torch.randn(2, rows, 16), 64))
    operator("utils", "chunk_local_cumsum", lambda: (torch.randn(2, rows, 16, 64), 64))
    operator("utils.pooling", "mean_pooling", lambda: (random(2, rows, 16, 64), 64))


for size in ((2048, 16, 64), (4096, 8, 128)):
    operators(*size)
for size in ((4096, 2048), (8192, 4096)):
    modules(*size)
