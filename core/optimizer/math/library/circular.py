"""sin, cos, tan over the whole range of arguments.

x = q pi/2 + r with |r| <= pi/4. Up to a limit by three fused steps with pi/2 in
three parts: the first is exact, the last corrects what the second lost. Beyond,
x 2/pi modulo 4 in integers (Payne and Hanek), in a branch of its own.
"""
import triton
import triton.language as tl
from coefficients import COS_F32, COS_F64, SIN_F32, SIN_F64, TWO_OVER_PI
from floats import INF, bits, fma, polynomial


@triton.jit
def _fraction_word(position, offset: tl.constexpr, count: tl.constexpr):
    """64 bits of 2/pi from bit `position` + 64 `offset` on: the table is as long
    as arguments are large, so it is a choice and not an access."""
    index = position >> 6
    first = tl.full(index.shape, TWO_OVER_PI[offset], tl.uint64)
    second = tl.full(index.shape, TWO_OVER_PI[offset + 1], tl.uint64)
    for i in tl.static_range(1, count):
        here = index == i
        first = tl.where(here, TWO_OVER_PI[offset + i], first)
        second = tl.where(here, TWO_OVER_PI[offset + i + 1], second)
    shift = (position & 63).to(tl.uint64)
    return (first << shift) | (second >> (64 - shift))


@triton.jit
def _turned(x, high):
    """The top two bits of 64, rounded, are the quadrant; the rest is a signed
    fraction. Returns the quadrant, with x's sign, and the fraction."""
    quadrant = ((high + (1 << 61)) >> 62).to(tl.int32)
    fraction = high.to(tl.int64, bitcast=True) - (quadrant.to(tl.int64) << 62)
    return tl.where(x < 0.0, -quadrant, quadrant), fraction


@triton.jit
def _reduce_large_f32(x):
    code = bits(x)
    m = ((code & 0x7fffff) | 0x800000).to(tl.uint64)
    # x = m 2**s; bits of 2/pi above weight 2**(1 - s) give multiples of 4.
    position = ((code >> 23) & 0xff) - 150 + 62
    high = m * _fraction_word(position, 0, 3)
    high += tl.umulhi(m, _fraction_word(position, 1, 3))
    quadrant, fraction = _turned(x, high)
    r = fraction.to(tl.float32) * 3.40612158e-19  # pi/2 2**-62
    return tl.where(x < 0.0, -r, r), quadrant


@triton.jit
def _reduce_large_f64(x):
    code = bits(x)
    m = ((code & (2 ** 52 - 1)) | 2 ** 52).to(tl.uint64)
    position = (((code >> 52) & 0x7ff) - 1075 + 62).to(tl.int32)
    w0 = _fraction_word(position, 0, 17)
    w1 = _fraction_word(position, 1, 17)
    w2 = _fraction_word(position, 2, 17)
    # The product modulo 2**192.
    third = m * w2
    carried = tl.umulhi(m, w2)
    second = m * w1 + carried
    high = m * w0 + tl.umulhi(m, w1) + (second < carried).to(tl.uint64)
    quadrant, fraction = _turned(x, high)
    # Magnitude first: the words of a negative fraction would cancel.
    negative = fraction < 0
    mask = tl.where(negative, -1, 0).to(tl.int64)
    flip = mask.to(tl.uint64, bitcast=True)
    low = (third ^ flip).to(tl.float64) * (2.0 ** -190)
    low += (second ^ flip).to(tl.float64) * (2.0 ** -126)
    r = (fraction ^ mask).to(tl.float64) * (2.0 ** -62) + low
    r = r * 1.5707963267948966
    return tl.where(negative != (x < 0.0), -r, r), quadrant


@triton.jit
def _reduced_f32(x):
    n = tl.math.rint(x * 0.636619772)
    r = fma(n, -1.57079637, x)
    r = fma(n, 1.71512451e-15, fma(n, 4.37113883e-08, r))
    quadrant = n.to(tl.int32)
    if (tl.abs(x) > 131072.0) & (tl.abs(x) < INF):
        r, quadrant = _reduce_large_f32(x)
    return r, quadrant


@triton.jit
def _reduced_f64(x):
    n = tl.math.rint(x * 0.6366197723675814)
    r = fma(n, -1.5707963267948966, x)
    r = fma(n, 1.4973849048591698e-33, fma(n, -6.123233995736766e-17, r))
    quadrant = n.to(tl.int32)
    if (tl.abs(x) > 1073741824.0) & (tl.abs(x) < INF):
        r, quadrant = _reduce_large_f64(x)
    return r, quadrant


@triton.jit
def _sine(r, c: tl.constexpr):
    z = r * r
    return fma(r * z, polynomial(z, c), r)


@triton.jit
def _cosine(r, c: tl.constexpr):
    z = r * r
    # 1 - z/2 is rounded; what it lost goes into the small terms.
    head = fma(z, -0.5, 1.0)
    lost = fma(z, -0.5, 1.0 - head)
    return head + fma(z * z, polynomial(z, c), lost)


@triton.jit
def _turn(quadrant, sine, cosine):
    value = tl.where((quadrant & 1) != 0, cosine, sine)
    return tl.where((quadrant & 2) != 0, -value, value)


@triton.jit
def sin_f32(x):
    r, quadrant = _reduced_f32(x)
    result = _turn(quadrant, _sine(r, SIN_F32), _cosine(r, COS_F32))
    return tl.where(x == 0.0, x, result)


@triton.jit
def sin_f64(x):
    r, quadrant = _reduced_f64(x)
    result = _turn(quadrant, _sine(r, SIN_F64), _cosine(r, COS_F64))
    return tl.where(x == 0.0, x, result)


@triton.jit
def cos_f32(x):
    r, quadrant = _reduced_f32(x)
    return _turn(quadrant + 1, _sine(r, SIN_F32), _cosine(r, COS_F32))


@triton.jit
def cos_f64(x):
    r, quadrant = _reduced_f64(x)
    return _turn(quadrant + 1, _sine(r, SIN_F64), _cosine(r, COS_F64))


@triton.jit
def _tangent(x, quadrant, sine, cosine):
    odd = (quadrant & 1) != 0
    above = tl.where(odd, -cosine, sine)
    below = tl.where(odd, sine, cosine)
    # A step of Newton's, for a quotient that is rough.
    q = above / below
    q = q + fma(-q, below, above) / below
    return tl.where(x == 0.0, x, q)


@triton.jit
def tan_f32(x):
    r, quadrant = _reduced_f32(x)
    return _tangent(x, quadrant, _sine(r, SIN_F32), _cosine(r, COS_F32))


@triton.jit
def tan_f64(x):
    r, quadrant = _reduced_f64(x)
    return _tangent(x, quadrant, _sine(r, SIN_F64), _cosine(r, COS_F64))
