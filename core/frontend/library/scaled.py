"""Matrix products of operands with a scale for each group along K.

Each operand is widened to fp32, multiplied by its scale (powers of two are
exact) and rounded to bf16, or to fp16 where one of the operands is fp16; the
product is summed in fp32. Arguments were checked by the caller.
"""
import triton
import triton.language as tl


@triton.jit
def _four_bits(nibble):
    # e2m1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives.
    code = nibble.to(tl.int32)
    size = code & 7
    bits = (((size >> 1) + 126) << 23) | ((size & 1) << 22)
    value = tl.where(size < 2, 0.5 * size, bits.to(tl.float32, bitcast=True))
    return tl.where(code > 7, -value, value)


@triton.constexpr_function
def _twice_last(shape):
    return shape[:-1] + (2 * shape[-1],)


@triton.jit
def _unpacked(packed):
    # Two values a byte along the last dimension, the low half first.
    byte = packed.to(tl.uint8, bitcast=True)
    pairs = tl.join(_four_bits(byte & 15), _four_bits(byte >> 4))
    return tl.reshape(pairs, _twice_last(packed.shape))


@triton.jit
def _widened(x, format: tl.constexpr):
    if format == "e4m3":
        return x.to(tl.float8e4nv, bitcast=True).to(tl.float32)
    if format == "e5m2":
        return x.to(tl.float8e5, bitcast=True).to(tl.float32)
    return x.to(tl.float32)


@triton.jit
def _scale_value(scale):
    if scale.dtype.is_fp8():
        return scale.to(tl.float32)
    # e8m0: a power of two; 0 is 2**-127, 255 is NaN.
    code = scale.to(tl.uint8, bitcast=True).to(tl.int32)
    bits = tl.where(code == 0, 1 << 22, code << 23)
    return tl.where(code == 255, float("nan"),
                    bits.to(tl.float32, bitcast=True))


@triton.constexpr_function
def _with_group(shape, group):
    return shape + (group,)


@triton.constexpr_function
def _merged(shape):
    return shape[:-2] + (shape[-2] * shape[-1],)


@triton.jit
def _scaled(value, scale):
    # Both with K as their last dimension.
    if scale is None:
        return value
    group: tl.constexpr = value.shape[-1] // scale.shape[-1]
    factor = tl.expand_dims(_scale_value(scale), -1)
    shape: tl.constexpr = _with_group(scale.shape, group)
    return value * tl.reshape(tl.broadcast_to(factor, shape), _merged(shape))


@triton.jit
def dot_scaled(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale,
               rhs_format: tl.constexpr, acc, lhs_k_pack: tl.constexpr,
               rhs_k_pack: tl.constexpr):
    compute: tl.constexpr = (tl.float16 if lhs_format == "fp16" or
                             rhs_format == "fp16" else tl.bfloat16)
    if lhs_format != "e2m1":
        a = _widened(lhs, lhs_format)
    elif lhs_k_pack:
        a = _unpacked(lhs)
    else:
        a = tl.trans(_unpacked(tl.trans(lhs)))
    if rhs_format != "e2m1":
        b = tl.trans(_widened(rhs, rhs_format))
    elif rhs_k_pack:
        b = _unpacked(tl.trans(rhs))
    else:
        b = tl.trans(_unpacked(rhs))
    a = _scaled(a, lhs_scale).to(compute)
    b = tl.trans(_scaled(b, rhs_scale).to(compute))
    return tl.dot(a, b, acc)
