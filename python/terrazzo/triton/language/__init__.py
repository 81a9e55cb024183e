"""The kernel language: `import terrazzo.triton.language as tl`."""

from . import core, extra, math, profile, random, standard, target_info
from .core import *
from .core import TRITON_MAX_TENSOR_NUMEL, aggregate, str_to_ty

libdevice = extra.libdevice
_experimental_make_tensor_descriptor = core._experimental_make_tensor_descriptor

__all__ = [name for name in dir() if not name.startswith("_")]
