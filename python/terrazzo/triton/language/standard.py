"""`tl.standard`: what is written in the language itself."""

from ...language.constexpr_functions import ConstexprFunction, constexpr_function
from . import core
from . import functions as _functions

for _name in ("argmax", "argmin", "bitonic_merge", "cdiv", "cumprod", "cumsum", "flip", "interleave", "max", "min", "ravel",
              "reduce_or", "sigmoid", "softmax", "sort", "sum", "swizzle2d", "topk", "xor_sum", "zeros", "zeros_like"):
    globals()[_name] = getattr(core, _name)


@ConstexprFunction
def _log2(i):
    return int(i).bit_length() - 1


@ConstexprFunction
def _is_power_of_two(i):
    return i > 0 and i & (i - 1) == 0


_log2.__terrazzo__ = "triton.language.standard._log2"
_is_power_of_two.__terrazzo__ = "triton.language.standard._is_power_of_two"
_functions.fill(globals(), "triton.language.standard")
