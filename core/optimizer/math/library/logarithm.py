"""log2, log, log1p: the exponent and a polynomial of the fraction.

The fraction is taken around 1, so that the exponent is 0 where the result is
small and its relative error must be.
"""
import triton
import triton.language as tl
from coefficients import LOG2_F32, LOG_F32, LOG_F64
from floats import INF, NAN, bits, float_of, fma, polynomial, power_of_two


@triton.jit
def split(x):
    """n, f with x = 2**n (1 + f) for positive finite x, f in about +-1/3."""
    wide: tl.constexpr = x.dtype == tl.float64
    width: tl.constexpr = 52 if wide else 23
    # The bits of the lower end of 1 + f: sqrt(1/2), or 2/3.
    low: tl.constexpr = 0x3fe6a09e667f3bcd if wide else 0x3f2aaaab
    tiny = x < (2.2250738585072014e-308 if wide else 1.17549435e-38)
    normal = tl.where(tiny, x * (2.0 ** width), x)
    offset = bits(normal) - low
    n = (offset >> width) - tl.where(tiny, width, 0)
    f = float_of((offset & (2 ** width - 1)) + low) - 1.0
    return n, f


@triton.jit
def _special(x, result):
    result = tl.where(x == INF, x, result)
    result = tl.where(x >= 0.0, result, NAN)
    return tl.where(x == 0.0, -INF, result)


@triton.jit
def _correction(f, low):
    """f - log(1 + f) - low in fp64, by s = f / (2 + f)."""
    s = f / (f + 2.0)
    z = s * s
    square = (f * f) * 0.5
    tail = fma(z, polynomial(z, LOG_F64), square)
    return square - fma(s, tail, low)


@triton.jit
def log2_f32(x):
    n, f = split(x)
    fraction = fma(f, polynomial(f, LOG2_F32), f)
    return _special(x, n.to(tl.float32) + fraction)


@triton.jit
def log2_f64(x):
    n, f = split(x)
    natural = f - _correction(f, 0.0)
    fraction = fma(natural, 1.4426950408889634,
                      natural * 2.0355273740931033e-17)
    return _special(x, n.to(tl.float64) + fraction)


@triton.jit
def log_f32(x):
    return tl.log2(x) * 0.693147182


@triton.jit
def _log_of_parts_f32(n, f):
    square = f * f
    rest = fma(square * f, polynomial(f, LOG_F32), square * -0.5)
    rest = fma(n, 1.42860677e-06, rest)
    # The product with the high part of ln2 is exact.
    return fma(n, 0.693145752, f) + rest


@triton.jit
def _log_of_parts_f64(n, f):
    rest = f - _correction(f, n * 5.497923018708371e-14)
    return fma(n, 0.6931471805598903, rest)


@triton.jit
def log_f64(x):
    n, f = split(x)
    return _special(x, _log_of_parts_f64(n.to(tl.float64), f))


@triton.jit
def _one_plus(x):
    """split(1 + x) with what rounding took from the sum added to f."""
    u = 1.0 + x
    lost = tl.where(x < 1.0, x - (u - 1.0), 1.0 - (u - x))
    n, f = split(u)
    # Beyond 2**60 nothing that was lost counts.
    return u, n, f + lost * power_of_two(-tl.minimum(n, 60))


@triton.jit
def log1p_f32(x):
    u, n, f = _one_plus(x)
    result = _special(u, _log_of_parts_f32(n.to(tl.float32), f))
    return tl.where(x == 0.0, x, result)


@triton.jit
def log1p_f64(x):
    u, n, f = _one_plus(x)
    result = _special(u, _log_of_parts_f64(n.to(tl.float64), f))
    return tl.where(x == 0.0, x, result)
