"""`tl.extra.cpu`."""

from ... import functions as _functions
from . import libdevice

_functions.fill(globals(), "triton.language.extra.cpu")
