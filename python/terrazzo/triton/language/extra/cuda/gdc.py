"""`tl.extra.cuda.gdc`: hints for launches that overlap. Launches here never do, so that they do nothing."""

from ... import functions as _functions

_functions.fill(globals(), "triton.language.extra.cuda.gdc")
