"""pow: exp2 of y log2 |x|, with the logarithm in two words."""
import triton
import triton.language as tl
from coefficients import EXP2_F64, LOG_F64, POW_LOG_F32
from floats import INF, NAN, bits, fast_sum, fma, integer, polynomial, product
from floats import scaled, times, within
from logarithm import split


@triton.jit
def _ratio(f):
    """s = f / (2 + f) in two words; log(1 + f) = 2 s + 2/3 s**3 + ..."""
    divisor, lost = fast_sum(tl.full(f.shape, 2.0, f.dtype), f)
    r = 1.0 / divisor
    s = times(f, r)
    rest = fma(-s, lost, fma(-s, divisor, f))
    return fast_sum(s, times(rest, r))


@triton.jit
def _pair_product(x, x_low, y, y_low):
    high, low = product(x, y)
    return fast_sum(high, fma(x_low, y, fma(x, y_low, low)))


@triton.jit
def _add_exponent(n, high, low):
    # n is 0 or the larger one.
    total, lost = fast_sum(n, high)
    return fast_sum(total, lost + low)


@triton.jit
def _log2_f32(x):
    n, f = split(x)
    s, s_low = _ratio(f)
    z = s * s
    tail = fma(s * z, polynomial(z, POW_LOG_F32), 2.0 * s_low)
    high, low = fast_sum(2.0 * s, tail)
    high, low = _pair_product(high, low, 1.44269502, 1.92596303e-08)
    return _add_exponent(n.to(tl.float32), high, low)


@triton.jit
def _log2_f64(x):
    n, f = split(x)
    s, s_low = _ratio(f)
    z, z_low = _pair_product(s, s_low, s, s_low)
    cube, cube_low = _pair_product(z, z_low, s, s_low)
    lead, lead_low = _pair_product(cube, cube_low, LOG_F64[0], 0.0)
    tail = (cube * z) * polynomial(z, LOG_F64[1:])
    high, low = fast_sum(2.0 * s, lead)
    high, low = fast_sum(high, fma(2.0, s_low, lead_low) + (low + tail))
    high, low = _pair_product(high, low, 1.4426950408889634,
                              2.0355273740931033e-17)
    return _add_exponent(n.to(tl.float64), high, low)


@triton.jit
def _exponent(x, y, high, low, limit: tl.constexpr):
    """y log2 |x| in two words, of which the second counts only if the first is
    no larger than an exponent."""
    a = tl.abs(x)
    special = (a == 0.0) | (a == INF) | (a != a)
    high = tl.where(special, tl.where(a == 0.0, -INF, a), high)
    p, lost = product(y, high)
    lost = fma(y, low, lost)
    usual = (tl.abs(p) < limit) & (special == 0)
    return p, tl.where(usual, lost, 0.0)


@triton.jit
def _cases(x, y, size):
    """C's special cases, and the sign."""
    a = tl.abs(x)
    result = tl.where((a == 1.0) & (y == y), 1.0, size)
    whole = tl.math.trunc(y) == y
    half = y * 0.5
    odd = whole & (tl.math.trunc(half) != half)
    result = tl.where((bits(x) < 0) & odd, -result, result)
    undefined = (x < 0.0) & (whole == 0) & (a < INF) & (tl.abs(y) < INF)
    result = tl.where(undefined, NAN, result)
    return tl.where((y == 0.0) | (x == 1.0), 1.0, result)


@triton.jit
def pow_f32(x, y):
    high, low = _log2_f32(tl.abs(x))
    p, rest = _exponent(x, y, high, low, 256.0)
    # p may be the first power that is too large where p + rest is not.
    large = p > 100.0
    size = tl.exp2(tl.where(large, p - 1.0, p)) * fma(rest, 0.693147182, 1.0)
    return _cases(x, y, tl.where(large, 2.0 * size, size))


@triton.jit
def pow_f64(x, y):
    high, low = _log2_f64(tl.abs(x))
    p, rest = _exponent(x, y, high, low, 1100.0)
    p = within(p, -1100.0, 1100.0)
    n = tl.math.rint(p)
    r = (p - n) + rest
    return _cases(x, y, scaled(fma(r, polynomial(r, EXP2_F64), 1.0),
                               integer(n)))
