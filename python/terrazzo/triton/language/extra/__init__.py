"""`tl.extra`: what only some targets have in Triton. libdevice's functions work on every target here."""

from . import libdevice
from . import cpu, cuda, hip, xpu
