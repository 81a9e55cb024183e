"""`triton.runtime._allocation`: kept for callers; Terrazzo's kernels get their workspace from the runtime."""

import contextvars


class NullAllocator:
    """The allocator where none was set."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("no allocator was set: call triton.set_allocator(fn) with fn(size, alignment, stream)")


_allocator = contextvars.ContextVar("terrazzo_allocator", default=NullAllocator())  # noqa: B039 - it has no state


def set_allocator(allocator):
    """Sets fn(size, alignment, stream). Accepted and kept; device-made descriptors need no such memory here."""
    if not callable(allocator):
        raise TypeError(f"an allocator is a function of size, alignment and stream, not {type(allocator).__name__}")
    _allocator.set(allocator)


def get_allocator():
    return _allocator.get()


def set_profile_allocator(allocator):
    """Sets the allocator of profilers that work inside kernels; there is none here."""
