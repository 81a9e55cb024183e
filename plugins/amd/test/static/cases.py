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
                {"HEAD_DIM": dim, "BLOCK_M": tile[0], "BLOCK_N": tile[1], "CAUSAL": causal, "GROUP": 8}, {})


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

# Why a row misses the bar.
MISSES = {
    "int4 product": "Both load 40,960 bytes of operands and 1,024 of zeros an iteration, and 256 of scales: Triton 16 times, 16 bytes a lane, and Terrazzo 8 times. "
                    "All that the loop loads is in flight under both.",
}

_PADDED = "Rows have 16 bytes behind them, so that each lane reads 16 bytes at once without conflicts; Triton swizzles."
_MOVED = "registers are copied from one iteration to the next, since loads are two iterations ahead; Triton's are one ahead and need no copy"
_SHARE = "The same products in a longer loop."
# Why a figure is worse by more than a tenth, by case.
WORSE = {
    "matmul fp16 128x128x64": {
        "loop": f"33 {_MOVED}. 10 comparisons and subtractions are masks of K, which follow the iteration that is loaded for.", "lds": _PADDED, "share": _SHARE},
    "matmul fp16 256x128x64, 8 warps": {
        "loop": f"25 {_MOVED}. 6 are masks of K, and scalars compute addresses anew that Triton carries.", "lds": _PADDED, "share": _SHARE},
    "matmul fp16 128x128x64, B transposed": {"loop": f"33 {_MOVED}.", "lds": _PADDED, "share": _SHARE},
    "matmul fp16 128x128x64, A transposed": {
        "loop": f"16 {_MOVED}. 17 turn off elements of A behind the end of M, which may cut a vector: that M is divisible is no part of a specialization where rows of A are strided "
                "by 1. They stand behind the loads of A, which are waited for in their iteration; those of B are not.", "lds": _PADDED, "share": _SHARE},
    "matmul bf16 64x64x64": {
        "loop": f"17 {_MOVED}. 7 more additions are addresses of two slots.",
        "lds": "Two slots, for one barrier an iteration; Triton has one slot and two barriers. " + _PADDED, "share": _SHARE},
    "attention fp16, 64 dimensions": {"lds": "Two slots, for one barrier an iteration; Triton has one slot and two barriers. " + _PADDED},
    "attention fp16, 128 dimensions, causal": {
        "waits": "32 of 36 are for LDS, one for each of its 32 reads; Triton reads as often and waits for some two by two, 24 times.",
        "lds": "V has two slots and K one; under Triton each has one. " + _PADDED},
    "softmax fp32, 1024 columns": {
        "vgpr": "One read of LDS brings what all four waves have, four registers beside ten that are in use; Triton reads one word a lane and exchanges it. Up to 64 leave a SIMD all its waves.",
        "loop": "There is no loop: the whole kernel is counted, which has two forms here, for rows whose columns are all there and for others.",
        "waits": "The same: two forms. 17 of 19 are for LDS and exchanges between lanes.", "lds": "16 bytes for each of two reductions; Triton uses the same ones twice, with a barrier between."},
    "softmax fp32, 4096 columns at most": {
        "waits": "Two forms: see 1024 columns.", "lds": "16 bytes for each of two reductions; Triton uses the same ones twice, with a barrier between."},
    "layer norm fp16": {
        "vgpr": "A loop of sums loads eight iterations at once, 32 numbers a lane. Up to 64 leave a SIMD all its waves.",
        "loop": "Other loops are compared: the one with most loads is that of squares here, eight iterations at once, and Triton's last one, of one iteration. Each iteration has masks of its own.",
        "waits": "The same: eight loads, one wait each.", "lds": "16 bytes for each of two reductions; Triton uses the same ones twice, with a barrier between."},
    "layer norm fp16, odd rows": {
        "vgpr": "As of even rows: 32 numbers a lane. 66 leave a SIMD seven of its eight waves.",
        "loop": "Other loops are compared, as of even rows; elements are loaded one by one, 32 of them at once.", "waits": "The same: 32 loads."},
    "int4 product": {
        "vgpr": "The words of two iterations are held, 32 registers each; Triton holds one's.",
        "lds": "Zeros and scales are exchanged beside the operands. " + _PADDED},
    "fp8 product, AMD's encoding": {"loop": f"32 {_MOVED}.", "lds": _PADDED, "share": _SHARE},
    "fp8 product, OCP's encoding": {"waits": "9 of 25 are for memory, where Triton has 4: the loads of two iterations ahead are copied one by one at the end. For LDS 16, where Triton has 17.", "lds": _PADDED},
}


def why_worse(case, figure):
    """Of a figure of one case; empty: nobody has looked."""
    return WORSE.get(case, {}).get(figure, "")
