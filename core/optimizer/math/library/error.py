"""erf: a polynomial near 0, and one of the complement's logarithm or tail."""
import triton
import triton.language as tl
from coefficients import ERF_F32, ERF_F64, ERF_TAIL_F32, ERF_TAIL_F64
from floats import fma, polynomial, with_sign, within


@triton.jit
def erf_f32(x):
    a = tl.abs(x)
    near = fma(a, polynomial(a * a, ERF_F32), a)
    far = within(a, 0.0, 4.0)
    complement = tl.exp(-(far * polynomial(far, ERF_TAIL_F32)))
    return with_sign(tl.where(a < 0.95, near, 1.0 - complement), x)


@triton.jit
def erf_f64(x):
    a = tl.abs(x)
    near = fma(a, polynomial(a * a, ERF_F64), a)
    far = within(a, 0.0, 6.1)
    tail = polynomial(2.0 / (far + 1.0), ERF_TAIL_F64)
    complement = tl.exp(-(far * far)) * tail
    return with_sign(tl.where(a < 1.0, near, 1.0 - complement), x)
