"""The functions of `tl.extra.libdevice`; the same on every target."""

from ..libdevice import *
