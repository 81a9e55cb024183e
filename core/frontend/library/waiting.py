"""Waiting for other programs."""
import triton
import triton.language as tl


@triton.jit
def atomic_poll(pointer, expected, sem: tl.constexpr = "acquire",
                scope: tl.constexpr = "gpu", timeout_ns: tl.constexpr = None):
    tl.static_assert(timeout_ns is None,
                     "atomic_poll: no target has a clock for timeout_ns; leave "
                     "it out")
    tl.static_assert(sem == "acquire" or sem == "relaxed",
                     "atomic_poll: sem is 'acquire' or 'relaxed'")
    found = tl.atomic_add(pointer, 0, sem=sem, scope=scope)
    while found != expected:
        found = tl.atomic_add(pointer, 0, sem=sem, scope=scope)
    return found == expected
