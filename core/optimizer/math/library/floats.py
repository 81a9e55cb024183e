"""Parts and neighbours of floats, for the functions of this folder.

The functions are elaborated on scalars and inlined elementwise. What must not
be fused with an operation beside it is written as fma.
"""
import triton
import triton.language as tl

INF: tl.constexpr = float("inf")
NAN: tl.constexpr = float("nan")


@triton.jit
def _alike(c, x):
    if isinstance(c, tl.tensor):
        return c
    return tl.full(x.shape, c, x.dtype)


@triton.jit
def fma(x, y, z):
    """x * y + z; numbers have x's type, where tl.fma takes them for fp32."""
    return tl.fma(x, _alike(y, x), _alike(z, x))


@triton.jit
def bits(x):
    if x.dtype == tl.float64:
        return x.to(tl.int64, bitcast=True)
    return x.to(tl.int32, bitcast=True)


@triton.jit
def float_of(b):
    if b.dtype.primitive_bitwidth == 64:
        return b.to(tl.float64, bitcast=True)
    return b.to(tl.float32, bitcast=True)


@triton.jit
def power_of_two(n):
    """2**n as a float of n's width, for exponents of normal floats."""
    if n.dtype.primitive_bitwidth == 64:
        return float_of((n + 1023) << 52)
    return float_of((n + 127) << 23)


@triton.jit
def scaled(x, n):
    """x * 2**n, rounded once, for |n| up to twice the largest exponent."""
    half = n >> 1
    return (x * power_of_two(half)) * power_of_two(n - half)


@triton.jit
def within(x, low: tl.constexpr, high: tl.constexpr):
    """x cut to a range; NaN stays."""
    return tl.where(x < low, low, tl.where(x > high, high, x))


@triton.jit
def with_sign(magnitude, x):
    """A magnitude with x's sign, also that of zeros and NaN."""
    if x.dtype == tl.float64:
        return float_of(bits(magnitude) | (bits(x) & (-9223372036854775807 - 1)))
    return float_of(bits(magnitude) | (bits(x) & (-2147483647 - 1)))


@triton.jit
def integer(x):
    """The integer of x's width that a whole float is."""
    return x.to(tl.int64 if x.dtype == tl.float64 else tl.int32)


@triton.jit
def normalized(x):
    """m, n with |x| = m 2**n and m in [1, 2), of finite x other than 0."""
    wide: tl.constexpr = x.dtype == tl.float64
    width: tl.constexpr = 52 if wide else 23
    bias: tl.constexpr = 1023 if wide else 127
    tiny = tl.abs(x) < (2.2250738585072014e-308 if wide else 1.17549435e-38)
    code = bits(tl.abs(tl.where(tiny, x * (2.0 ** width), x)))
    m = float_of((code & (2 ** width - 1)) | (bias << width))
    return m, (code >> width) - bias - tl.where(tiny, width, 0)


@triton.jit
def polynomial(x, c: tl.constexpr):
    """c[0] + c[1] x + c[2] x**2 + ..."""
    result = fma(x, c[len(c) - 1], c[len(c) - 2])
    for i in tl.static_range(3, len(c) + 1):
        result = fma(x, result, c[len(c) - i])
    return result


@triton.jit
def times(x, y):
    """x * y, which is not fused with what it goes into."""
    return fma(x, y, -0.0)


@triton.jit
def product(x, y):
    """x * y and what rounding took from it."""
    high = times(x, y)
    return high, fma(x, y, -high)


@triton.jit
def fast_sum(x, y):
    """x + y and what rounding took from it, for |x| >= |y|; no products."""
    high = x + y
    return high, y - (high - x)
