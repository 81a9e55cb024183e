"""The functions of libdevice, by the names that CUDA gives them. They work on every target."""

from .. import functions as _functions

_functions.fill(globals(), "triton.language.extra.libdevice")
