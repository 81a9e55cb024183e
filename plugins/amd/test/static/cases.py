"""The kernels of the table: an example, the types of its arguments, its constants and options, the same under both compilers.

Stages of pipelines are each compiler's default: 3 under Terrazzo, 2 under Triton's AMD backend."""

from collections import namedtuple

Case = namedtuple("Case", "name file function types constants options")


def _matmul(name, element, tile, layout="nn", **options):
    strides = {"nn": {"stride_ak": 1, "stride_bn": 1}, "nt": {"stride_ak": 1, "stride_bk": 1}, "tn": {"stride_am": 1, "stride_bn": 1}}[layout]
    types = {name: f"*{element}:16" for name in "abc"} | {name: "i32:16" for name in (
        "M", "N", "K", "stride_am", "stride_ak", "stride_bk", "stride_bn", "stride_cm", "stride_cn")}
    constants = strides | {"stride_cn": 1} | dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), tile)) | {"GROUP_M": 8, "ACTIVATION": ""}
    return Case(name, "matmul.py", "matmul_kernel", types, constants, options)


def _attention(name, dim, tile, causal):
    types = {name: "*fp16:16" for name in ("q", "k", "v", "out")} | {"lse": "*fp32:16", "scale": "fp32", "n_q": "i32:16", "n_k": "i32:16"}
    return Case(name, "attention.py", "attention_fwd", types,
                {"HEAD_DIM": dim, "BLOCK_M": tile[0], "BLOCK_N": tile[1], "CAUSAL": causal}, {})


def _softmax(name, divides, block):
    number = "i32:16" if divides else "i32"
    return Case(name, "softmax.py", "softmax_kernel",
                {"out": "*fp32:16", "x": "*fp32:16", "x_row_stride": number, "out_row_stride": number, "n_cols": number}, {"BLOCK": block}, {})


def _layer_norm(name, divides):
    number = "i32:16" if divides else "i32"
    return Case(name, "layer_norm.py", "layer_norm_fwd",
                {"x": "*fp16:16", "y": "*fp16:16", "w": "*fp16:16", "b": "*fp16:16", "mean": "*fp32:16", "rstd": "*fp32:16",
                 "stride": number, "n_cols": number, "eps": "fp32"}, {"BLOCK": 1024}, {})


def _fp8(name, element):
    return Case(name, "fp8_matmul.py", "fp8_matmul_kernel",
                {"a": f"*{element}:16", "b": f"*{element}:16", "c": "*bf16:16", "a_scale": "*fp32:16", "b_scale": "*fp32:16",
                 "M": "i32:16", "N": "i32:16", "K": "i32:16"}, {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 128}, {})


CASES = [
    _matmul("matmul fp16 128x128x64", "fp16", (128, 128, 64)),
    _matmul("matmul fp16 256x128x64, 8 warps", "fp16", (256, 128, 64), num_warps=8),
    _matmul("matmul fp16 128x128x64, B transposed", "fp16", (128, 128, 64), "nt"),
    _matmul("matmul fp16 128x128x64, A transposed", "fp16", (128, 128, 64), "tn"),
    _matmul("matmul bf16 64x64x64", "bf16", (64, 64, 64)),
    _attention("attention fp16, 64 dimensions", 64, (128, 64), False),
    _attention("attention fp16, 128 dimensions, causal", 128, (128, 64), True),
    _softmax("softmax fp32, 1024 columns", True, 1024),
    _softmax("softmax fp32, 4096 columns at most", False, 4096),
    _layer_norm("layer norm fp16", True),
    _layer_norm("layer norm fp16, odd rows", False),
    Case("int4 product", "int4_matmul.py", "int4_matmul_kernel",
         {"a": "*fp16:16", "packed": "*i32:16", "scales": "*fp16:16", "zeros": "*i32:16", "c": "*fp16:16", "M": "i32:16", "N": "i32:16", "K": "i32:16"},
         {"GROUP": 128, "BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, {}),
    _fp8("fp8 product, AMD's encoding", "fp8e4b8"),
    _fp8("fp8 product, OCP's encoding", "fp8e4nv"),
]


def arguments_of(parameters, case):
    """(name, type or None for a constant) in the order of the kernel's parameters."""
    for name in parameters:
        yield name, None if name in case.constants else case.types[name]

# Why a row misses the bar, and why a figure is worse by more than a tenth, by how the figure's text begins.
MISSES = {
    "matmul fp16 128x128x64, A transposed": "That M is divisible is no part of a specialization where rows of A are strided by 1, so the end of M may cut a vector: a branch "
                                            "behind the whole vectors loads its elements. Loops of whole blocks have no such branch.",
    "layer norm fp16, odd rows": "Vectors of weights are loaded whole, and a branch loads elements of the one that the row's end cuts: descriptors end by words of four bytes, not "
                                 "between two elements of 16 bits. Triton loads all elements one by one.",
    "int4 product": "The words are a tile of pointers (rows are divided by 8), which is no view: it has addresses of 64 bits, and is waited for in this iteration.",
}
WORSE = {
    "vgpr": "VGPRs: of products, Terrazzo holds the loads of two iterations where Triton holds those of one. Of the others, not known.",
    "loop": "Loop, of products: of the 225 instructions of the first row 32 clear registers where there is no later iteration, and 32 copy what is held for two iterations. "
            "Of attention, not known. Of kernels without a loop two forms are counted, for full blocks and for others.",
    "waits": "Waits: loads are used one after the other as they come, each behind a wait of its own.",
    "lds": "LDS: rows are padded by 16 bytes. The 64x64 product and attention have two slots, for one barrier an iteration, where Triton has one.",
    "share": "Share: the same products in a longer loop.",
}
