"""Arguments that a launch must look at before it runs; seldom any."""

from . import _frameworks, knobs
from .errors import ArgumentError


def _layout(value):
    """(shape, strides in elements) of an array; () where it does not say."""
    value = getattr(value, "base", None) if hasattr(value, "data_ptr") and not hasattr(value, "is_contiguous") else value
    strides = getattr(value, "stride", None)
    if callable(strides):
        return tuple(value.shape), tuple(strides())
    interfaces = (getattr(value, name, None) for name in ("__array_interface__", *_frameworks.array_interfaces()))
    interface = next((one for one in interfaces if one), {})
    size = int(interface.get("typestr", "<f0")[2:])
    shape = tuple(getattr(value, "shape", interface.get("shape", ())))
    return shape, tuple(stride // size for stride in interface.get("strides") or () if size)


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
        shape, strides = _layout(value)
        raise ArgumentError(
            f"{what} has gaps between its elements (shape {shape}, strides {strides}), but the "
            f"kernel reaches them without any step of {' or '.join(map(str, gaps))}; make it contiguous, or let the "
            "kernel take its strides (TERRAZZO_CHECK_ARRAYS=0 turns this check off)"
        )
