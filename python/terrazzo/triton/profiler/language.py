"""`triton.profiler.language`: scopes inside of kernels, which sessions with backend="instrumentation" time.

    with pl.scope("load"):
        x = tl.load(pointers)
"""

from ..language.profile import enter_scope, exit_scope, scope

_DIALECTS = ("triton", "gluon")


def enable_semantic(semantic_name):
    """Kernels of Triton's language always have scopes; a program that says so is right."""
    if semantic_name not in _DIALECTS:
        raise ValueError(f"{semantic_name!r} is no language of kernels; there is {' and '.join(repr(one) for one in _DIALECTS)}")


disable_semantic = enable_semantic
