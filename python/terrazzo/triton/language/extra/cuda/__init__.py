"""`tl.extra.cuda`."""

from ... import functions as _functions
from . import libdevice  # noqa: F401

_functions.fill(globals(), "triton.language.extra.cuda")
