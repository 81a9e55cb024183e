"""constexpr_function: a Python function that kernels call with values the compiler knows."""

import functools


def unwrap(value):
    """What a tl.constexpr holds; anything else as it is."""
    return value.value if type(value).__name__ == "constexpr" and hasattr(value, "value") else value


class ConstexprFunction:
    """Calling it on the host runs the function; the compiler runs it when it elaborates a kernel."""

    def __init__(self, fn):
        self.fn = fn
        functools.update_wrapper(self, fn)

    def __call__(self, *args, **kwargs):
        return unwrap(self.fn(*map(unwrap, args), **{name: unwrap(value) for name, value in kwargs.items()}))

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def constexpr_function(fn):
    """Decorator: `fn` may be called in kernels, with constexpr arguments, and on the host."""
    return ConstexprFunction(fn)
