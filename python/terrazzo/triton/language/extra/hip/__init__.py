"""`tl.extra.hip`."""

from ... import functions as _functions
from . import libdevice  # noqa: F401

_functions.fill(globals(), "triton.language.extra.hip")
