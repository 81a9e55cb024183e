"""Arithmetic and conversions in a stated direction: rn to the nearest, rz
towards zero, rd down, ru up.

A result is the nearest float and the sign of its exact error: where the error
points away from the direction, the neighbour is taken. fp32 is computed in
fp64, where the error is never lost; in fp64, products and quotients below
2**-969 may be one unit off. Sums are written as fma, so that no compiler fuses
them with a product of the caller.
"""
import triton
import triton.language as tl


@triton.jit
def _neighbour(x, up):
    wide: tl.constexpr = x.dtype == tl.float64
    bits = x.to(tl.int64 if wide else tl.int32, bitcast=True)
    moved = tl.where((x > 0.0) == up, bits + 1, bits - 1)
    moved = moved.to(x.dtype, bitcast=True)
    tiny = ((bits & 0) + 1).to(x.dtype, bitcast=True)
    return tl.where(x == 0.0, tl.where(up, tiny, -tiny), moved)


@triton.jit
def _towards(x, error, mode: tl.constexpr):
    # The float beside x in the direction, if the true value x + error is there.
    if mode == "rn":
        return x
    down = error < 0.0
    up = error > 0.0
    if mode == "rd":
        return tl.where(down, _neighbour(x, x != x), x)
    if mode == "ru":
        return tl.where(up, _neighbour(x, x == x), x)
    move = (down & (x > 0.0)) | (up & (x < 0.0))
    return tl.where(move, _neighbour(x, up), x)


@triton.jit
def _narrowed(high, low, to: tl.constexpr, mode: tl.constexpr):
    # high + low, where low is less than half a unit of high.
    if to == tl.float64:
        return _towards(high, low, mode)
    x = high.to(to)
    error = high - x.to(tl.float64)
    return _towards(x, tl.where(error == 0.0, low, error), mode)


@triton.jit
def _plus(a, b):
    return tl.fma(a, 1.0, b)


@triton.jit
def _two_sum(a, b):
    total = _plus(a, b)
    part = _plus(total, -a)
    return total, _plus(_plus(a, -_plus(total, -part)), _plus(b, -part))


@triton.jit
def _overflow(x, error, a, b):
    # An infinite result of finite operands is too large.
    finite = (tl.abs(a) < float("inf")) & (tl.abs(b) < float("inf"))
    return tl.where((tl.abs(x) == float("inf")) & finite, -x, error)


@triton.jit
def _pair(a, b):
    a = tl.to_tensor(a)
    b = tl.to_tensor(b)
    tl.static_assert(a.dtype == b.dtype and
                     (a.dtype == tl.float32 or a.dtype == tl.float64),
                     "function of libdevice needs operands of fp32 or fp64")
    return a, b


@triton.jit
def add(a, b, mode: tl.constexpr):
    a, b = _pair(a, b)
    if mode == "rn":
        return _plus(a, b)
    wide_a = a.to(tl.float64)
    wide_b = b.to(tl.float64)
    total, error = _two_sum(wide_a, wide_b)
    return _narrowed(total, _overflow(total, error, wide_a, wide_b), a.dtype,
                     mode)


@triton.jit
def sub(a, b, mode: tl.constexpr):
    return add(a, -tl.to_tensor(b), mode)


@triton.jit
def mul(a, b, mode: tl.constexpr):
    a, b = _pair(a, b)
    if mode == "rn":
        return tl.fma(a, b, -0.0)
    wide_a = a.to(tl.float64)
    wide_b = b.to(tl.float64)
    product = tl.fma(wide_a, wide_b, -0.0)
    error = tl.fma(wide_a, wide_b, -product)
    lost = (product == 0.0) & (a != 0.0) & (b != 0.0)
    sign = tl.where((a > 0.0) == (b > 0.0), 1.0, -1.0)
    error = tl.where(lost, sign.to(tl.float64), error)
    error = _overflow(product, error, wide_a, wide_b)
    return _narrowed(product, error, a.dtype, mode)


@triton.jit
def div(a, b, mode: tl.constexpr):
    a, b = _pair(a, b)
    if mode == "rn":
        return tl.div_rn(a, b)
    wide_a = a.to(tl.float64)
    wide_b = b.to(tl.float64)
    quotient = tl.div_rn(wide_a, wide_b)
    rest = tl.fma(-quotient, wide_b, wide_a)
    error = tl.where(wide_b < 0.0, -rest, rest)
    unit = wide_b / wide_b  # NaN for a division by zero, which is exact
    error = _overflow(quotient, error, wide_a * unit, wide_b)
    return _narrowed(quotient, error, a.dtype, mode)


@triton.jit
def rcp(x, mode: tl.constexpr):
    one = tl.to_tensor(x)
    return div(tl.full(one.shape, 1.0, one.dtype), x, mode)


@triton.jit
def sqrt(x, mode: tl.constexpr):
    x, same = _pair(x, x)
    if mode == "rn":
        return tl.sqrt_rn(x)
    wide = x.to(tl.float64)
    root = tl.sqrt_rn(wide)
    return _narrowed(root, tl.fma(-root, root, wide), x.dtype, mode)


@triton.jit
def fma(a, b, c, mode: tl.constexpr):
    a, b = _pair(a, b)
    a, c = _pair(a, c)
    if mode == "rn":
        return tl.fma(a, b, c)
    wide_a = a.to(tl.float64)
    wide_b = b.to(tl.float64)
    wide_c = c.to(tl.float64)
    # a * b and its error, then the three parts summed without loss.
    product = tl.fma(wide_a, wide_b, -0.0)
    product_low = tl.fma(wide_a, wide_b, -product)
    if a.dtype == tl.float32:
        total, error = _two_sum(product, wide_c)
        return _narrowed(total, error, a.dtype, mode)
    result = tl.fma(wide_a, wide_b, wide_c)
    middle, rest = _two_sum(wide_c, product_low)
    top, low = _two_sum(product, middle)
    error = _plus(_plus(_plus(top, -result), low), rest)
    finite_b = tl.where(tl.abs(wide_c) < float("inf"), wide_b, wide_c)
    error = _overflow(result, error, wide_a, finite_b)
    return _towards(result, error, mode)


# ---- conversions -------------------------------------------------------------


@triton.jit
def to_float(x, mode: tl.constexpr):
    wide = tl.to_tensor(x).to(tl.float64)
    return _narrowed(wide, wide * 0.0, tl.float32, mode)


@triton.jit
def to_integer(x, to: tl.constexpr, mode: tl.constexpr):
    value = tl.to_tensor(x)
    tl.static_assert(value.dtype.is_floating(),
                     "conversion of libdevice needs a float")
    if mode == "rn":
        value = tl.math.rint(value)
    elif mode == "rd":
        value = tl.floor(value)
    elif mode == "ru":
        value = tl.ceil(value)
    return value.to(to)


@triton.jit
def from_integer(x, source: tl.constexpr, to: tl.constexpr,
                 mode: tl.constexpr):
    value = tl.to_tensor(x)
    tl.static_assert(value.dtype.is_int(),
                     "conversion of libdevice needs an integer")
    value = value.to(source)
    if mode == "rn":
        return value.to(to)
    if source.primitive_bitwidth == 32:
        wide = value.to(tl.float64)
        return _narrowed(wide, wide * 0.0, to, mode)
    high = (value >> 32).to(tl.float64) * 4294967296.0
    low = (value & 0xFFFFFFFF).to(tl.float64)
    total, error = _two_sum(high, low)
    return _narrowed(total, error, to, mode)
