"""Arguments that a launch must look at before it runs; seldom any."""

import warnings

from .. import knobs
from ..errors import ArgumentError, ArrayWarning
from . import frameworks

_told = set()  # (kernel, argument) that was warned of


def _layout(value):
    """(shape, strides in elements) of an array; () where it does not say."""
    value = getattr(value, "base", None) if hasattr(value, "data_ptr") and not hasattr(value, "is_contiguous") else value
    strides = getattr(value, "stride", None)
    if callable(strides):
        return tuple(value.shape), tuple(strides())
    interfaces = (getattr(value, name, None) for name in ("__array_interface__", *frameworks.array_interfaces()))
    interface = next((one for one in interfaces if one), {})
    size = int(interface.get("typestr", "<f0")[2:])
    shape = tuple(getattr(value, "shape", interface.get("shape", ())))
    return shape, tuple(stride // size for stride in interface.get("strides") or () if size)


def check(kernel, name, value, has_no_memory, gaps):
    """Refuses an array that the kernel cannot reach or must not write; warns once of one that it may misread.

    gaps: the strides, in elements, that the kernel knows nothing of; () of an array that is refused. A kernel that
    reads padded memory from one end to the other and leaves the padding out by a mask is right, and knows of none.
    """
    what = f"argument '{name}' of kernel '{kernel.__name__}'"
    if has_no_memory:
        device = getattr(value, "device", None)
        raise ArgumentError(
            f"{what} has elements but no memory" + (f" (device {device})" if device is not None else "") + "; "
            "to compile without running, use warmup"
        )
    if not knobs.runtime.check_arrays:
        return
    if not gaps:
        raise ArgumentError(f"{what} is read-only, but the kernel writes to it; pass a copy, or set its flag 'writeable'")
    if (kernel._scope, name) not in _told:
        shape, strides = _layout(value)
        warnings.warn(
            f"{what} has gaps between its elements (shape {shape}, strides {strides}), but the kernel reaches them "
            f"without any step of {' or '.join(map(str, gaps))}: unless a mask leaves the gaps out, it takes them for "
            "elements. Make the array contiguous, or let the kernel take its strides (TERRAZZO_CHECK_ARRAYS=0 turns this "
            "warning off)", ArrayWarning, stacklevel=2)
        _told.add((kernel._scope, name))
