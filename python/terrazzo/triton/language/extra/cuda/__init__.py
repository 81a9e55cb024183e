"""`tl.extra.cuda`."""

from ... import functions as _functions
from . import gdc, libdevice

_functions.fill(globals(), "triton.language.extra.cuda")
