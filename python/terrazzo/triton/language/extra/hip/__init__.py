"""`tl.extra.hip`."""

from ... import functions as _functions
from . import libdevice

_functions.fill(globals(), "triton.language.extra.hip")
