"""`tl.math`: functions of numbers."""

from . import core
from . import functions as _functions

_functions.fill(globals(), "triton.language.math")
for _name in ("abs", "ceil", "cos", "div_rn", "erf", "exp", "exp2", "fdiv", "floor", "fma", "log", "log2", "rsqrt", "sin",
              "sqrt", "sqrt_rn", "umulhi"):
    globals().setdefault(_name, getattr(core, _name))
