"""Mathematical functions that are made of the language's own operations.

Most are computed in fp64 and rounded to the argument's type, so that fp32
results are within one ULP; fp64 results are good to about 12 digits. The
inverses of circular functions stay in fp32 where their argument is: a GPU has
few units for fp64. Those results are within two ULP.
"""
import triton
import triton.language as tl

_PI: tl.constexpr = 3.141592653589793
_LN2: tl.constexpr = 0.6931471805599453
_SQRT_PI: tl.constexpr = 1.7724538509055159


@triton.jit
def _wide(x):
    value = tl.to_tensor(x)
    tl.static_assert(value.dtype == tl.float32 or value.dtype == tl.float64,
                     "function of libdevice needs fp32 or fp64")
    return value.to(tl.float64)


@triton.jit
def _like(result, x):
    return result.to(tl.to_tensor(x).dtype)


# ---- bits ------------------------------------------------------------------------


@triton.jit
def signbit(x):
    # 1 where the sign is set, also of -0.0 and NaN.
    value = tl.to_tensor(x)
    if value.dtype == tl.float32:
        bits = value.to(tl.int32, bitcast=True)
    else:
        bits = _wide(x).to(tl.int64, bitcast=True)
    return (bits < 0).to(tl.int32)


@triton.jit
def copysign(x, y):
    magnitude = tl.abs(tl.to_tensor(x))
    return tl.where(signbit(y) != 0, -magnitude, magnitude)


@triton.jit
def _count_bits(v):
    v = v - ((v >> 1) & 0x55555555)
    v = (v & 0x33333333) + ((v >> 2) & 0x33333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F
    return ((v * 0x01010101) >> 24).to(tl.int32)


@triton.jit
def popc(x):
    tl.static_assert(x.dtype.is_int(), "popc needs integers")
    if x.dtype.primitive_bitwidth == 64:
        low = _count_bits(x.to(tl.uint32))
        return low + _count_bits((x.to(tl.uint64) >> 32).to(tl.uint32))
    return _count_bits(x.to(tl.uint32))


@triton.jit
def ffs(x):
    # The lowest set bit, counted from 1; 0 of zero.
    return tl.where(x == 0, 0, popc(x ^ (x - 1)))


# ---- rounding ---------------------------------------------------------------------


@triton.jit
def round(x):
    # To the nearest, halves away from zero: cut off behind the sum with the
    # number next to 1/2, towards 0. From 1/2 on that sum is rounded up to the
    # next integer, and no number below reaches one. The sum is of the rounded
    # `x`: it must not be fused with a product.
    value = tl.to_tensor(x)
    below_half: tl.constexpr = 0.49999999999999994 if value.dtype == tl.float64 else 0.49999997
    half = copysign(tl.full(value.shape, below_half, value.dtype), value)
    return tl.math.trunc(tl.fma(value, tl.full(value.shape, 1.0, value.dtype), half))


@triton.jit
def llrint(x):
    return tl.math.rint(x).to(tl.int64)


@triton.jit
def llround(x):
    return round(x).to(tl.int64)


@triton.jit
def fmod(x, y):
    return tl.to_tensor(x) % y


@triton.jit
def nextafter(x, y):
    x = tl.to_tensor(x)
    wide: tl.constexpr = x.dtype == tl.float64
    bits = x.to(tl.int64 if wide else tl.int32, bitcast=True)
    tiny = (bits & 0) + 1
    away = tl.where((x < y) == (x > 0), bits + 1, bits - 1)
    away = tl.where(x == 0, tiny, away).to(x.dtype, bitcast=True)
    away = tl.where(x == 0, copysign(away, y), away)
    result = tl.where(x == y, y, away)
    return tl.where((x != x) | (y != y), x + y, result)


@triton.jit
def fdim(x, y):
    return tl.where(x > y, x - y, tl.where((x != x) | (y != y), x + y, 0.0))


@triton.jit
def saturatef(x):
    return tl.clamp(tl.where(x == x, x, 0.0), 0.0, 1.0)


# ---- circular ---------------------------------------------------------------------

# Made by core/optimizer/math/fit.py --libdevice.
# (asin s / s - 1) / s^2 in s^2; weighted error 2^-27.586.
_ASIN_F32: tl.constexpr = (
    0.166667536,
    0.0749524236,
    0.0454770625,
    0.0241477899,
    0.0422182493,
)

# (atan t / t - 1) / t^2 in t^2; weighted error 2^-28.695.
_ATAN_F32: tl.constexpr = (
    -0.333333015,
    0.199986383,
    -0.142652452,
    0.109575741,
    -0.0841945633,
    0.0582345426,
    -0.0314557217,
    0.0110644614,
    -0.00182721927,
)

# pi / 2 in two parts of fp32.
_HALF_PI: tl.constexpr = 1.57079637
_HALF_PI_REST: tl.constexpr = -4.37113883e-08


@triton.jit
def _odd_series(x, square, c: tl.constexpr):
    # x + x square (c[0] + c[1] square + ...)
    r = tl.fma(square, c[len(c) - 1], c[len(c) - 2])
    for i in tl.static_range(3, len(c) + 1):
        r = tl.fma(square, r, c[len(c) - i])
    return tl.fma(x * square, r, x)


@triton.jit
def _asin_single(a):
    # Of |x|: its arc sine up to 1/2; above, that of sqrt((1 - |x|) / 2), which
    # is half of what is left to pi / 2.
    far = a > 0.5
    square = tl.where(far, tl.fma(a, -0.5, 0.5), a * a)
    return far, _odd_series(tl.where(far, tl.sqrt(square), a), square, _ASIN_F32)


@triton.jit
def _atan_single(t):
    # From 0 to 1.
    return _odd_series(t, t * t, _ATAN_F32)


@triton.jit
def _rest_of_half_pi(r):
    return (_HALF_PI - r) + _HALF_PI_REST


@triton.jit
def _atan_wide(x):
    a = tl.abs(x)
    inverted = a > 1.0
    t = tl.where(inverted, 1.0 / a, a)
    # Above tan(pi / 12): shifted by pi / 6.
    shifted = t > 0.2679491924311227
    t = tl.where(shifted,
                 (1.7320508075688772 * t - 1.0) / (1.7320508075688772 + t), t)
    square = t * t
    series = square * 0.0 + 1.0 / 29.0
    for k in tl.static_range(14):
        series = 1.0 / (27 - 2 * k) - square * series
    r = t * series
    r = tl.where(shifted, r + _PI / 6.0, r)
    r = tl.where(inverted, _PI / 2.0 - r, r)
    return copysign(r, x)


@triton.jit
def _atan2_wide(y, x):
    a = tl.abs(y)
    b = tl.abs(x)
    large = tl.maximum(a, b)
    small = tl.minimum(a, b)
    q = tl.where(large == 0.0, 0.0, small / large)
    q = tl.where(small == large, tl.where(large == 0.0, 0.0, 1.0), q)
    r = _atan_wide(q)
    r = tl.where(a > b, _PI / 2.0 - r, r)
    r = tl.where(signbit(x) != 0, _PI - r, r)
    r = copysign(r, y)
    return tl.where((x != x) | (y != y), x + y, r)


@triton.jit
def atan(x):
    value = tl.to_tensor(x)
    if value.dtype == tl.float32:
        a = tl.abs(value)
        inverted = a > 1.0
        r = _atan_single(tl.where(inverted, 1.0 / a, a))
        return copysign(tl.where(inverted, _rest_of_half_pi(r), r), value)
    return _like(_atan_wide(_wide(x)), x)


@triton.jit
def atan2(y, x):
    up = tl.to_tensor(y)
    right = tl.to_tensor(x)
    if up.dtype == tl.float32 and right.dtype == tl.float32:
        a = tl.abs(up)
        b = tl.abs(right)
        large = tl.maximum(a, b)
        small = tl.minimum(a, b)
        same = tl.where(large == 0.0, 0.0, 1.0)  # also of infinities
        r = _atan_single(tl.where(small == large, same, small / large))
        r = tl.where(a > b, _rest_of_half_pi(r), r)
        left = (2.0 * _HALF_PI - r) + 2.0 * _HALF_PI_REST
        r = copysign(tl.where(signbit(right) != 0, left, r), up)
        return tl.where((a != a) | (b != b), a + b, r)
    return _like(_atan2_wide(_wide(y), _wide(x)), y)


@triton.jit
def asin(x):
    value = tl.to_tensor(x)
    if value.dtype == tl.float32:
        far, r = _asin_single(tl.abs(value))
        whole = tl.fma(r, -2.0, _HALF_PI) + _HALF_PI_REST
        return copysign(tl.where(far, whole, r), value)
    w = _wide(x)
    return _like(_atan2_wide(w, tl.sqrt((1.0 - w) * (1.0 + w))), x)


@triton.jit
def acos(x):
    value = tl.to_tensor(x)
    if value.dtype == tl.float32:
        far, r = _asin_single(tl.abs(value))
        left = tl.fma(r, -2.0, 2.0 * _HALF_PI) + 2.0 * _HALF_PI_REST
        near = _HALF_PI - (copysign(r, value) - _HALF_PI_REST)
        return tl.where(far, tl.where(value < 0.0, left, 2.0 * r), near)
    w = _wide(x)
    return _like(_atan2_wide(tl.sqrt((1.0 - w) * (1.0 + w)), w), x)


@triton.jit
def _sinpi_wide(w):
    return tl.sin((w - 2.0 * tl.math.rint(w * 0.5)) * _PI)


@triton.jit
def sinpi(x):
    return _like(_sinpi_wide(_wide(x)), x)


@triton.jit
def cospi(x):
    w = _wide(x)
    return _like(tl.cos((w - 2.0 * tl.math.rint(w * 0.5)) * _PI), x)


# ---- hyperbolic, exponential --------------------------------------------------------


@triton.jit
def sinh(x):
    w = _wide(x)
    e = tl.math.expm1(tl.abs(w))
    r = tl.where(e > 1e300, e, 0.5 * (e + e / (e + 1.0)))
    return _like(copysign(r, w), x)


@triton.jit
def cosh(x):
    w = _wide(x)
    return _like(0.5 * (tl.exp(w) + tl.exp(-w)), x)


@triton.jit
def asinh(x):
    w = _wide(x)
    a = tl.abs(w)
    near = tl.math.log1p(a + a * a / (1.0 + tl.sqrt(a * a + 1.0)))
    r = tl.where(a > 1e8, tl.log(a) + _LN2, near)
    return _like(copysign(r, w), x)


@triton.jit
def acosh(x):
    w = _wide(x)
    near = tl.math.log1p((w - 1.0) + tl.sqrt((w - 1.0) * (w + 1.0)))
    return _like(tl.where(w > 1e8, tl.log(w) + _LN2, near), x)


@triton.jit
def atanh(x):
    w = _wide(x)
    a = tl.abs(w)
    r = 0.5 * tl.math.log1p(2.0 * a / (1.0 - a))
    return _like(copysign(r, w), x)


@triton.jit
def exp10(x):
    return _like(tl.exp2(_wide(x) * 3.321928094887362), x)


@triton.jit
def log10(x):
    return _like(tl.log(_wide(x)) * 0.4342944819032518, x)


@triton.jit
def cbrt(x):
    w = _wide(x)
    a = tl.abs(w)
    plain = (a > 0.0) & (a < float("inf"))
    safe = tl.where(plain, a, 1.0)
    r = tl.exp2(tl.log2(safe) / 3.0)
    r = r - (r * r * r - safe) / (3.0 * r * r)
    return _like(copysign(tl.where(plain, r, a), w), x)


@triton.jit
def hypot(x, y):
    a = tl.abs(_wide(x))
    b = tl.abs(_wide(y))
    large = tl.maximum(a, b)
    small = tl.minimum(a, b)
    ratio = tl.where(small == large, 1.0, small / large)
    r = tl.where(large == 0.0, 0.0, large * tl.sqrt(1.0 + ratio * ratio))
    r = tl.where((a != a) | (b != b), a + b, r)
    return _like(tl.where(large == float("inf"), large, r), x)


# ---- error function, gamma ---------------------------------------------------------


@triton.jit
def erfc(x):
    w = _wide(x)
    # Beyond 3 the difference from 1 is lost: a continued fraction.
    far = tl.maximum(w, 3.0)
    fraction = far
    for k in tl.static_range(32):
        fraction = far + (32 - k) * 0.5 / fraction
    tail = tl.exp(-far * far) / (_SQRT_PI * fraction)
    r = tl.where(w > 3.0, tail, 1.0 - tl.erf(w))
    return _like(tl.where(w == float("inf"), 0.0, r), x)


@triton.jit
def erfinv(x):
    w = _wide(x)
    # A start good to three digits, then two steps of third order.
    log_term = tl.log((1.0 - w) * (1.0 + w))
    half = 4.330746750799873 + 0.5 * log_term
    r = tl.sqrt(tl.sqrt(half * half - log_term / 0.147) - half)
    r = copysign(r, w)
    for _ in tl.static_range(2):
        error = (tl.erf(r) - w) * (0.5 * _SQRT_PI) * tl.exp(r * r)
        r = r - error / (1.0 + r * error)
    r = tl.where(tl.abs(w) == 1.0, w * float("inf"), r)
    return _like(tl.where(w == 0.0, w, r), x)


@triton.jit
def _lgamma_right(w):
    # Lanczos, g = 7, for arguments from 0.5.
    z = w - 1.0
    total = 0.99999999999980993 + z * 0.0
    total += 676.5203681218851 / (z + 1.0)
    total += -1259.1392167224028 / (z + 2.0)
    total += 771.32342877765313 / (z + 3.0)
    total += -176.61502916214059 / (z + 4.0)
    total += 12.507343278686905 / (z + 5.0)
    total += -0.13857109526572012 / (z + 6.0)
    total += 9.9843695780195716e-6 / (z + 7.0)
    total += 1.5056327351493116e-7 / (z + 8.0)
    t = z + 7.5
    return 0.9189385332046727 + (z + 0.5) * tl.log(t) - t + tl.log(total)


@triton.jit
def lgamma(x):
    w = _wide(x)
    left = w < 0.5
    right = _lgamma_right(tl.where(left, 1.0 - w, w))
    mirrored = tl.log(_PI / tl.abs(_sinpi_wide(w))) - right
    r = tl.where(left, mirrored, right)
    pole = (w <= 0.0) & (tl.floor(w) == w)
    r = tl.where(pole | (tl.abs(w) == float("inf")), float("inf"), r)
    return _like(tl.where(w != w, w, r), x)


@triton.jit
def tgamma(x):
    w = _wide(x)
    left = w < 0.5
    right = tl.exp(_lgamma_right(tl.where(left, 1.0 - w, w)))
    return _like(tl.where(left, _PI / (_sinpi_wide(w) * right), right), x)
