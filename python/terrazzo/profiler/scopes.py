"""Scopes: names under which launches are counted, one stack a thread."""

import functools
import itertools
import threading
import time

from .. import _native
from . import metrics as _metrics
from .flags import flags

_numbers = itertools.count()  # of scopes and launches
_threads = threading.local()


def record_scope():
    """The number of a scope or launch to come."""
    return next(_numbers)


def _open():
    """(number, name) of this thread's scopes, outermost first."""
    if not hasattr(_threads, "scopes"):
        _threads.scopes = []
    return _threads.scopes


def enter_scope(name, *, metrics=None):
    """Opens a scope until exit_scope, and gives its number; `metrics` (name -> value) are summed in it. None: no session is there."""
    if not flags.profiling_on:
        return None
    number = record_scope()
    _native.profile_enter_scope(name)
    _open().append((number, name))
    if metrics:
        _metrics.add(metrics)
    return number


def exit_scope(name=None, *, metrics=None):
    """Closes the innermost scope, and gives its number; `metrics` are added to it before."""
    if not flags.profiling_on:
        return None
    if not _open():
        raise RuntimeError("exit_scope: no scope is open")
    number, innermost = _open()[-1]
    if name is not None and innermost != name:
        raise ValueError(f"exit_scope({name!r}): the innermost scope is {innermost!r}")
    if metrics:
        _metrics.add(metrics)
    _leave()
    return number


def _leave():
    _open().pop()
    _native.profile_exit_scope()


class scope:
    """`with scope("forward", {"tokens": n}):`, or a decorator."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics
        self.id = None

    def _enter(self):
        """How many scopes were open before; None: no session is there."""
        if not flags.profiling_on:
            return None
        before = len(_open())
        self.id = enter_scope(self.name)
        try:
            if self.metrics:
                _metrics.add(self.metrics)
        except BaseException:
            self._exit(before)
            raise
        return before

    def _exit(self, before):
        # An exception may have left scopes open that enter_scope() opened inside.
        while before is not None and len(_open()) > before:
            _leave()

    def __enter__(self):
        # The same object may be entered again, inside and on other threads.
        if not hasattr(_threads, "entered"):
            _threads.entered = []
        _threads.entered.append(self._enter())
        return self

    def __exit__(self, *exception):
        self._exit(_threads.entered.pop())

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)

        return inside


class cpu_timed_scope(scope):
    """A scope whose own time on the host is summed as `cpu_time (ns)`."""

    def __init__(self, name, metrics=None):
        super().__init__(name, metrics)
        if metrics and "cpu_time" in metrics:
            raise ValueError("the metric 'cpu_time' is the scope's own; give yours another name")

    def _enter(self):
        before = super()._enter()
        return None if before is None else (before, time.perf_counter_ns())

    def _exit(self, entered):
        if entered is None:
            return
        before, began = entered if isinstance(entered, tuple) else (entered, None)
        if began is not None:
            spent = time.perf_counter_ns() - began
            while len(_open()) > before + 1:
                _leave()
            if len(_open()) == before + 1:
                _metrics.add({"cpu_time (ns)(exc)": spent})
        super()._exit(before)
