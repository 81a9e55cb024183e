"""Bessel functions, the error function's relatives, norms.

Computed in fp64. Near the zeros of Bessel functions the absolute error counts:
1e-9 of the amplitude.
"""
import math

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def _wide(x):
    value = tl.to_tensor(x)
    tl.static_assert(value.dtype == tl.float32 or value.dtype == tl.float64,
                     "function of libdevice needs fp32 or fp64")
    return value.to(tl.float64)


@triton.jit
def _like(result, x):
    return result.to(tl.to_tensor(x).dtype)


# ---- Bessel functions -----------------------------------------------------------


@triton.constexpr_function
def _angles(n, count, sine):
    # sin or cos of n times the middles of `count` parts of [0, pi].
    if sine:
        return [math.sin(n * (k + 0.5) * math.pi / count) for k in range(count)]
    return [math.cos(n * (k + 0.5) * math.pi / count) for k in range(count)]


@triton.jit
def _j_near(x, order: tl.constexpr):
    # The mean of cos(order t - x sin t) over [0, pi]: 32 points are exact to
    # the last digits for arguments up to 25.
    points: tl.constexpr = _angles(1, 32, True)
    total = x * 0.0
    for k in tl.static_range(16):
        # t and pi - t together.
        phase: tl.constexpr = order * (k + 0.5) * math.pi / 32
        if order == 0:
            total += tl.cos(x * points[k])
        else:
            total += math.sin(phase) * tl.sin(x * points[k])
    return total / 16.0


@triton.jit
def _far(x, order: tl.constexpr, second: tl.constexpr):
    # Hankel's expansion; x from 20.
    mu: tl.constexpr = 4 * order * order
    p = x * 0.0 + 1.0
    q = x * 0.0
    term = x * 0.0 + 1.0
    for k in tl.static_range(1, 20):
        term = term * ((mu - (2 * k - 1) * (2 * k - 1)) / (8.0 * k)) / x
        if k % 4 == 0:
            p += term
        elif k % 4 == 1:
            q += term
        elif k % 4 == 2:
            p -= term
        else:
            q -= term
    phase = x - (order * 0.5 + 0.25) * math.pi
    scale = tl.sqrt(2.0 / math.pi / x)
    if second:
        return scale * (p * tl.sin(phase) + q * tl.cos(phase))
    return scale * (p * tl.cos(phase) - q * tl.sin(phase))


@triton.jit
def _j(w, order: tl.constexpr):
    a = tl.abs(w)
    far = a > 22.0
    r = tl.where(far, _far(tl.where(far, a, 22.0), order, False),
                 _j_near(tl.where(far, 0.0, a), order))
    r = tl.where(a == float("inf"), 0.0, r)
    return tl.where(w < 0.0, -r, r) if order == 1 else r


@triton.jit
def j0(x):
    return _like(_j(_wide(x), 0), x)


@triton.jit
def j1(x):
    return _like(_j(_wide(x), 1), x)


@triton.jit
def _y0_near(x):
    # (2 / pi) ((log(x / 2) + gamma) J0 + sum of harmonic numbers times terms)
    square = -0.25 * x * x
    term = x * 0.0 + 1.0
    total = x * 0.0
    harmonic: tl.constexpr = _harmonic(56)
    for k in tl.static_range(1, 56):
        term = term * square / (k * k)
        total -= harmonic[k] * term
    log_term = tl.log(0.5 * x) + 0.5772156649015329
    return (log_term * _j_near(x, 0) + total) * (2.0 / math.pi)


@triton.constexpr_function
def _harmonic(count):
    sums = [0.0]
    for k in range(1, count + 1):
        sums += [sums[k - 1] + 1.0 / k]
    return sums


@triton.jit
def _y1_near(x):
    square = -0.25 * x * x
    term = 0.5 * x
    harmonic: tl.constexpr = _harmonic(57)
    total = term
    for k in tl.static_range(1, 56):
        term = term * square / (k * (k + 1.0))
        total += (harmonic[k] + harmonic[k + 1]) * term
    log_term = 2.0 * (tl.log(0.5 * x) + 0.5772156649015329)
    return (log_term * _j_near(x, 1) - 2.0 / x - total) / math.pi


@triton.jit
def _y(w, order: tl.constexpr):
    far = w > 20.0
    near = tl.where(far | (w <= 0.0), 1.0, w)
    r = tl.where(far, _far(tl.where(far, w, 20.0), order, True),
                 _y0_near(near) if order == 0 else _y1_near(near))
    r = tl.where(w == float("inf"), 0.0, r)
    r = tl.where(w == 0.0, float("-inf"), r)
    return tl.where((w < 0.0) | (w != w), float("nan"), r)


@triton.jit
def y0(x):
    return _like(_y(_wide(x), 0), x)


@triton.jit
def y1(x):
    return _like(_y(_wide(x), 1), x)


@triton.jit
def yn(n, x):
    # Forward recurrence, which is stable for this kind.
    w = _wide(x)
    order = tl.to_tensor(n).to(tl.int32)
    size = tl.abs(order)
    before = _y(w, 0)
    here = _y(w, 1)
    r = tl.where(size == 0, before, here)
    most = tl.max(tl.reshape(size + tl.zeros(w.shape, tl.int32), [w.numel]))
    for k in range(1, most):
        after = 2.0 * k / w * here - before
        before = here
        here = after
        r = tl.where(size == k + 1, here, r)
    r = tl.where(w == 0.0, float("-inf"), r)
    return _like(tl.where((order < 0) & (order % 2 != 0), -r, r), x)


@triton.jit
def jn(n, x):
    # The mean of cos(n t - x sin t) over [0, pi], with as many points as the
    # largest order or argument needs; arguments up to 100,000.
    w = _wide(x)
    order = tl.to_tensor(n).to(tl.float64) + w * 0.0
    reach = tl.maximum(tl.abs(order), tl.where(w == w, tl.abs(w), 0.0))
    reach = tl.minimum(reach, 100000.0)
    points = 32 + tl.max(tl.reshape(reach, [w.numel])).to(tl.int32)
    total = w * 0.0
    for k in range(points):
        angle = (k.to(tl.float64) + 0.5) * (math.pi / points.to(tl.float64))
        total += tl.cos(order * angle - w * tl.sin(angle))
    return _like(total / points.to(tl.float64), x)


@triton.jit
def _i(w, order: tl.constexpr):
    # The mean of exp(x cos t) cos(order t), or the expansion for large x.
    a = tl.abs(w)
    far = a > 30.0
    near = tl.where(far, 0.0, a)
    cosines: tl.constexpr = _angles(1, 32, False)
    total = w * 0.0
    for k in tl.static_range(16):
        up = tl.exp(near * cosines[k])
        if order == 0:
            total += up + 1.0 / up
        else:
            total += (up - 1.0 / up) * cosines[k]
    total = total / 32.0
    large = tl.where(far, a, 30.0)
    term = w * 0.0 + 1.0
    series = w * 0.0 + 1.0
    for k in tl.static_range(1, 24):
        term = term * (((2 * k - 1) * (2 * k - 1) - 4 * order * order) /
                       (8.0 * k)) / large
        series += term
    # exp in two halves: the result may be finite where exp(x) is not.
    half = tl.exp(0.5 * large)
    beyond = half * (series / tl.sqrt(2.0 * math.pi * large)) * half
    r = tl.where(far, beyond, total)
    r = tl.where(a == float("inf"), a, r)
    return tl.where(w < 0.0, -r, r) if order == 1 else r


@triton.jit
def cyl_bessel_i0(x):
    return _like(_i(_wide(x), 0), x)


@triton.jit
def cyl_bessel_i1(x):
    return _like(_i(_wide(x), 1), x)


# ---- the error function's relatives ------------------------------------------------


@triton.jit
def erfcx(x):
    # exp(x * x) erfc(x); beyond 3 the continued fraction of erfc alone.
    w = _wide(x)
    far = tl.maximum(w, 3.0)
    fraction = far
    for k in tl.static_range(32):
        fraction = far + (32 - k) * 0.5 / fraction
    tail = 0.5641895835477563 / fraction
    near = tl.minimum(w, 3.0)
    r = tl.where(w > 3.0, tail, tl.exp(near * near) * libdevice.erfc(near))
    return _like(r, x)


@triton.jit
def _erfcinv(w):
    # A start from the tail's size, then steps of third order on erfc.
    lower = w <= 1.0
    p = tl.where(lower, w, 2.0 - w)
    safe = tl.where(p > 0.0, p, 1.0)
    t = tl.sqrt(-2.0 * tl.log(0.5 * safe))
    r = 0.70710678 * (t - (2.30753 + 0.27061 * t) /
                      (1.0 + t * (0.99229 + 0.04481 * t)))
    for _ in tl.static_range(3):
        # (erfc(r) - p) / erfc'(r), scaled so that nothing underflows.
        error = (erfcx(r) - p * tl.exp(r * r)) * 0.8862269254527580
        r = r + error / (1.0 + r * error)
    r = tl.where(lower, r, -r)
    r = tl.where(w == 0.0, float("inf"), r)
    r = tl.where(w == 2.0, float("-inf"), r)
    return tl.where((w < 0.0) | (w > 2.0) | (w != w), float("nan"), r)


@triton.jit
def erfcinv(x):
    return _like(_erfcinv(_wide(x)), x)


@triton.jit
def normcdf(x):
    return _like(0.5 * libdevice.erfc(_wide(x) * -0.7071067811865476), x)


@triton.jit
def normcdfinv(x):
    return _like(_erfcinv(2.0 * _wide(x)) * -1.4142135623730951, x)


# ---- norms, roots, powers -----------------------------------------------------------


@triton.jit
def _norm(a, b, c, d):
    largest = tl.maximum(tl.maximum(tl.abs(a), tl.abs(b)),
                         tl.maximum(tl.abs(c), tl.abs(d)))
    scale = tl.where((largest > 0.0) & (largest < float("inf")), largest, 1.0)
    a = a / scale
    b = b / scale
    c = c / scale
    d = d / scale
    r = scale * tl.sqrt(a * a + b * b + c * c + d * d)
    return tl.where(largest == float("inf"), largest, r)


@triton.jit
def norm3d(a, b, c):
    w = _wide(a)
    return _like(_norm(w, _wide(b), _wide(c), w * 0.0), a)


@triton.jit
def norm4d(a, b, c, d):
    return _like(_norm(_wide(a), _wide(b), _wide(c), _wide(d)), a)


@triton.jit
def rnorm3d(a, b, c):
    w = _wide(a)
    return _like(1.0 / _norm(w, _wide(b), _wide(c), w * 0.0), a)


@triton.jit
def rnorm4d(a, b, c, d):
    return _like(1.0 / _norm(_wide(a), _wide(b), _wide(c), _wide(d)), a)


@triton.jit
def rhypot(x, y):
    w = _wide(x)
    return _like(1.0 / _norm(w, _wide(y), w * 0.0, w * 0.0), x)


@triton.jit
def rcbrt(x):
    return _like(1.0 / libdevice.cbrt(_wide(x)), x)


@triton.jit
def rsqrt_rn(x):
    return _like(tl.div_rn(_wide(x) * 0.0 + 1.0, tl.sqrt_rn(_wide(x))), x)
