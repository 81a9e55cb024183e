"""div, div_rn: from a seed of the reciprocal; rem: C's fmod, exact."""
import triton
import triton.language as tl
from floats import INF, NAN, bits, float_of, fma, normalized, power_of_two
from floats import scaled, with_sign


@triton.jit
def _quotient(a, b):
    """a / b of a and b in [1, 2), nearly rounded."""
    wide: tl.constexpr = a.dtype == tl.float64
    r = (1.0 / b.to(tl.float32)).to(a.dtype)
    for _ in tl.static_range(2 if wide else 1):
        r = fma(fma(-b, r, 1.0), r, r)
    q = a * r
    return fma(fma(-b, q, a), r, q)


@triton.jit
def _finished(a, b, size):
    """The quotient's sign, and its value where an operand is 0 or infinite."""
    x = tl.abs(a)
    y = tl.abs(b)
    usual = (x > 0.0) & (x < INF) & (y > 0.0) & (y < INF)
    # As a product with 1/b: infinite, 0, or without influence.
    factor = tl.where(y == 0.0, INF, tl.where(y == INF, 0.0, tl.where(
        y == y, 1.0, y)))
    return with_sign(tl.where(usual, size, x * factor),
                     float_of(bits(a) ^ bits(b)))


@triton.jit
def div_f64(a, b):
    x, n = normalized(a)
    y, k = normalized(b)
    shift = tl.minimum(tl.maximum(n - k, -1100), 1100)
    return _finished(a, b, scaled(_quotient(x, y), shift))


@triton.jit
def _div_rn(a, b):
    wide: tl.constexpr = a.dtype == tl.float64
    unit: tl.constexpr = 2.0 ** (-52 if wide else -23)
    lowest: tl.constexpr = -1022 if wide else -126
    x, n = normalized(a)
    y, k = normalized(b)
    q = _quotient(x, y)
    # x - q y is exact; beyond half a unit the neighbour is nearer. No quotient
    # lies in the middle.
    step = tl.where(q >= 1.0, unit, 0.5 * unit)
    rest = fma(-q, y, x)
    limit = 0.5 * step * y
    q = tl.where(rest > limit, q + step, tl.where(rest < -limit, q - step, q))
    rest = fma(-q, y, x)
    shift = tl.minimum(tl.maximum(n - k, lowest - 80), 80 - lowest)
    result = scaled(q, shift)
    # A denormal is rounded again. If q seemed to be in the middle, the rest says
    # on which side the quotient is.
    lost = q - scaled(result, -shift)
    middle = power_of_two(tl.minimum(
        tl.maximum((-1075 if wide else -150) - shift, lowest), 100))
    up = (lost == middle) & (rest > 0.0)
    down = (lost == -middle) & (rest < 0.0)
    code = bits(result)
    code = tl.where(up, code + 1, tl.where(down, code - 1, code))
    return _finished(a, b, float_of(code))


@triton.jit
def div_rn_f32(a, b):
    return _div_rn(a, b)


@triton.jit
def div_rn_f64(a, b):
    return _div_rn(a, b)


@triton.jit
def _whole(x):
    """m, n with x = m 2**n, m unsigned, of positive finite x."""
    wide: tl.constexpr = x.dtype == tl.float64
    width: tl.constexpr = 52 if wide else 23
    code = bits(x)
    exponent = code >> width
    fraction = code & (2 ** width - 1)
    m = tl.where(exponent == 0, fraction, fraction | 2 ** width)
    n = tl.maximum(exponent, 1) - (1075 if wide else 150)
    return m.to(tl.uint64 if wide else tl.uint32), n


@triton.jit
def _rem_of_whole(a, b):
    """Of finite a >= b > 0, by division of whole numbers."""
    wide: tl.constexpr = a.dtype == tl.float64
    m, n = _whole(a)
    d, k = _whole(b)
    m = m % d
    left = n - k
    while left > 0:
        # As many places as the word has above a remainder.
        step = tl.minimum(left, 11 if wide else 8)
        m = (m << step.to(m.dtype)) % d
        left = left - step
    return scaled(m.to(a.dtype), k)


@triton.jit
def _is_off(r, b):
    """Is 0 <= r < b false? As words: what is negative or NaN is above b."""
    word: tl.constexpr = tl.uint32
    return bits(r).to(word, bitcast=True) >= bits(b).to(word, bitcast=True)


@triton.jit
def _without_estimate(x, y):
    # The sign not by with_sign: it would be computed before the branch.
    a = tl.abs(x)
    b = tl.abs(y)
    r = x
    if (a >= b) & (a < INF) & (b > 0.0):
        r = _rem_of_whole(a, b)
        r = tl.where(x < 0.0, -r, r)
    return tl.where((a < INF) & (b > 0.0), r, NAN)


@triton.jit
def _estimated(a, b, reciprocal, factor: tl.constexpr):
    """a - q b, where q is a / b rounded down, or nearly so."""
    # Around 3 2**22 floats have no places behind the point: the sum is rounded.
    q = (fma(a, reciprocal * factor, -0.5) + 12582912.0) - 12582912.0
    return fma(-q, b, a)


@triton.jit
def _second_estimate(x, y, reciprocal):
    """Of a little less than a multiple, or of extremes."""
    b = tl.abs(y)
    r = _estimated(tl.abs(x), b, reciprocal, 1.0 - 2.0 ** -21)
    result = tl.where(x < 0.0, -r, r)
    if _is_off(r, b):
        result = _without_estimate(x, y)
    return result


@triton.jit
def rem_f32(x, y):
    """The quotient is estimated, and the remainder shows whether it was right.
    Let q be any whole number. If a < b, a - q b is a for q = 0, negative or not
    below b for others. Otherwise it is a multiple of b's last place, so that it
    is exact if it is below b, and it is not rounded to below b if it is not."""
    a = tl.abs(x)
    b = tl.abs(y)
    # The reciprocal of what lies within the limits is normal. Beyond them it is
    # wrong, and the remainder shows it.
    reciprocal = 1.0 / tl.minimum(tl.maximum(b, 2.0 ** -126), 2.0 ** 126)
    # A little too large: the quotient of a multiple must not seem smaller.
    r = _estimated(a, b, reciprocal, 1.0 + 2.0 ** -21)
    result = with_sign(r, x)
    if _is_off(r, b):
        result = _second_estimate(x, y, reciprocal)
    return result


@triton.jit
def rem_f64(x, y):
    return _without_estimate(x, y)
