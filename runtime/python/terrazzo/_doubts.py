"""Arguments that a launch must look at before it runs; seldom any."""

from . import knobs
from .errors import ArgumentError


def _strides(value):
    """In elements."""
    strides = getattr(value, "stride", None)
    if callable(strides):
        return tuple(strides())
    strides = getattr(value, "strides", None)
    size = getattr(value, "itemsize", 0)
    return tuple(s // size for s in strides) if strides and size else ()


def check(kernel, name, value, has_no_memory, must_not_be_written, gaps):
    """Raises ArgumentError for an array that the kernel would misread or must not write.

    gaps: the strides, in elements, that the kernel knows nothing of.
    """
    what = f"argument '{name}' of kernel '{kernel}'"
    if has_no_memory:
        device = getattr(value, "device", None)
        raise ArgumentError(
            f"{what} has elements but no memory" + (f" (device {device})" if device is not None else "") + "; "
            "to compile without running, use warmup"
        )
    if not knobs.runtime.check_arrays:
        return
    if must_not_be_written:
        raise ArgumentError(f"{what} is read-only, but the kernel writes to it; pass a copy, or set its flag 'writeable'")
    if gaps:
        raise ArgumentError(
            f"{what} has gaps between its elements (shape {tuple(value.shape)}, strides {_strides(value)}), but the "
            f"kernel reaches them without any step of {' or '.join(map(str, gaps))}; make it contiguous, or let the "
            "kernel take its strides (TERRAZZO_CHECK_ARRAYS=0 turns this check off)"
        )
