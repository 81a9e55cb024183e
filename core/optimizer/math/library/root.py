"""sqrt, sqrt_rn, rsqrt: Newton's steps from the seed of the reciprocal root.

An argument is m 4**h with m in [1, 4), so nothing overflows on the way and
denormals lose nothing.
"""
import triton
import triton.language as tl
from floats import INF, NAN, fma, normalized, power_of_two, product, with_sign


@triton.jit
def _parts(x):
    m, n = normalized(x)
    odd = n & 1
    return tl.where(odd == 1, 2.0 * m, m), (n - odd) >> 1


@triton.jit
def _root(m):
    """sqrt(m), nearly rounded, and half of its reciprocal."""
    if m.dtype == tl.float64:
        y = tl.rsqrt(m.to(tl.float32)).to(tl.float64)
    else:
        y = tl.rsqrt(m)
    g = m * y
    h = 0.5 * y
    for _ in tl.static_range(2 if m.dtype == tl.float64 else 1):
        error = fma(-g, h, 0.5)
        g = fma(g, error, g)
        h = fma(h, error, h)
    return fma(fma(-g, g, m), h, g), h


@triton.jit
def _usual(x, result):
    """The result where x is positive and finite; a root's value elsewhere."""
    other = tl.where((x == 0.0) | (x == INF), x, NAN)
    return tl.where((x > 0.0) & (x < INF), result, other)


@triton.jit
def _sqrt(x):
    m, h = _parts(x)
    g, _ = _root(m)
    return _usual(x, g * power_of_two(h))


@triton.jit
def sqrt_f32(x):
    return _sqrt(x)


@triton.jit
def sqrt_f64(x):
    return _sqrt(x)


@triton.jit
def _sqrt_rn(x):
    m, h = _parts(x)
    g, _ = _root(m)
    unit: tl.constexpr = 2.0 ** (-52 if x.dtype == tl.float64 else -23)
    # m - g * g is exact; beyond g * unit the neighbour is nearer. No root lies
    # in the middle.
    rest = fma(-g, g, m)
    limit = g * unit
    g = tl.where(rest > limit, g + unit, tl.where(rest <= -limit, g - unit, g))
    return _usual(x, g * power_of_two(h))


@triton.jit
def sqrt_rn_f32(x):
    return _sqrt_rn(x)


@triton.jit
def sqrt_rn_f64(x):
    return _sqrt_rn(x)


@triton.jit
def rsqrt_f64(x):
    m, h = _parts(x)
    _, half = _root(m)
    y = 2.0 * half
    square, lost = product(m, y)
    error = fma(-lost, y, fma(-square, y, 1.0))
    y = fma(half, error, y)
    result = y * power_of_two(-h)
    infinite = with_sign(tl.full(x.shape, INF, x.dtype), x)
    other = tl.where(x == 0.0, infinite, tl.where(x == INF, 0.0, NAN))
    return tl.where((x > 0.0) & (x < INF), result, other)
