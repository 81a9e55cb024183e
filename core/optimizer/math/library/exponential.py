"""exp2, exp, expm1, tanh.

x = n ln2 + r with |r| <= ln2 / 2, and e**x = 2**n e**r. The polynomial of
e**r - 1 is added to 1 last, so that its own rounding hardly counts.
"""
import triton
import triton.language as tl
from coefficients import EXP2_F32, EXP2_F64, EXP_F32, EXP_F64
from coefficients import TANH_F32, TANH_F64
from floats import fma, integer, polynomial, power_of_two, scaled, with_sign, within


@triton.jit
def _exp2(x, c: tl.constexpr):
    n = tl.math.rint(x)
    r = x - n
    return scaled(fma(r, polynomial(r, c), 1.0), integer(n))


@triton.jit
def exp2_f32(x):
    # Outside, the result is infinity or 0 anyhow.
    return _exp2(within(x, -151.0, 129.0), EXP2_F32)


@triton.jit
def exp2_f64(x):
    return _exp2(within(x, -1076.0, 1025.0), EXP2_F64)


@triton.jit
def exp_f32(x):
    # The rounded product is the error that the tolerance 2 + 1.16 |x| allows.
    return tl.exp2(x * 1.44269504)


@triton.jit
def _reduced_f32(x):
    """x / ln2, rounded, and what is left of x; ln2 in two parts."""
    n = tl.math.rint(x * 1.44269504)
    return n, fma(n, -1.42860677e-06, fma(n, -0.693145752, x))


@triton.jit
def _reduced_f64(x):
    n = tl.math.rint(x * 1.4426950408889634)
    r = fma(n, -0.6931471805598903, x)
    return n, fma(n, -5.497923018708371e-14, r)


@triton.jit
def exp_f64(x):
    n, r = _reduced_f64(within(x, -746.0, 710.0))
    e = fma(r * r, polynomial(r, EXP_F64), r) + 1.0
    return scaled(e, integer(n))


@triton.jit
def _expm1(x, n, q):
    """2**n (1 + q) - 1, computed at half the size so that 2**n is finite."""
    half = power_of_two(integer(n) - 1)
    result = 2.0 * fma(half, q, half - 0.5)
    return tl.where(x == 0.0, x, result)


@triton.jit
def expm1_f32(x):
    n, r = _reduced_f32(within(x, -30.0, 88.8))
    return _expm1(x, n, fma(r * r, polynomial(r, EXP_F32), r))


@triton.jit
def expm1_f64(x):
    n, r = _reduced_f64(within(x, -60.0, 709.9))
    return _expm1(x, n, fma(r * r, polynomial(r, EXP_F64), r))


@triton.jit
def _tanh(x, e, c: tl.constexpr):
    """e: e**(2 |x|), or enough of it that 1 - 2 / (e + 1) is 1."""
    a = tl.abs(x)
    z = a * a
    near = fma(a * z, polynomial(z, c), a)
    far = fma(1.0 / (e + 1.0), -2.0, 1.0)
    return with_sign(tl.where(a < 0.5625, near, far), x)


@triton.jit
def tanh_f32(x):
    # 2 / ln2
    return _tanh(x, tl.exp2(within(tl.abs(x), 0.0, 10.0) * 2.88539008), TANH_F32)


@triton.jit
def tanh_f64(x):
    return _tanh(x, tl.exp(2.0 * within(tl.abs(x), 0.0, 20.0)), TANH_F64)
