"""`tl.extra`: what only some targets have in Triton. libdevice's functions work on every target here."""

from . import libdevice  # noqa: F401
from . import cpu, cuda, hip, xpu  # noqa: F401
