"""`tl.profile`: scopes inside of kernels, as triton.profiler.language has them."""

from . import functions as _functions

_functions.fill(globals(), "triton.language.profile")
