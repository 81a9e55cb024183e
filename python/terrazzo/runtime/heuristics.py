"""heuristics: arguments of a kernel that are computed from the others of a launch."""

import functools

from .interface import KernelInterface


class Heuristics(KernelInterface):
    """A kernel some of whose keywords are computed from the others. Made by heuristics."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        functools.update_wrapper(self, getattr(fn, "fn", fn), updated=())

    def _computed(self, args, kwargs):
        kwargs = dict(kwargs)
        for name, function in self.values.items():
            kwargs[name] = function({**dict(zip(self.arg_names, args)), **kwargs})
        return kwargs

    def run(self, *args, **kwargs):
        return self.fn.run(*args, **self._computed(args, kwargs))

    def warmup(self, *args, **kwargs):
        return self.fn.warmup(*args, **self._computed(args, kwargs))


def heuristics(values):
    """Decorator of a jit function: each name of `values` is set to its function of the launch's arguments (a dict)."""
    return lambda fn: Heuristics(fn, fn.arg_names, values)
