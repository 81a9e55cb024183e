"""Scopes: names under which launches are counted, one stack a thread."""

import contextlib
import threading
import time

from . import active_sessions

_threads = threading.local()


def stack():
    """The names of this thread's open scopes, outermost first."""
    if not hasattr(_threads, "names"):
        _threads.names, _threads.begun = [], []
    return _threads.names


def enter_scope(name, *, metrics=None):
    """Opens a scope until exit_scope; `metrics` (name -> number) are summed in it."""
    stack().append(name)
    _threads.begun.append((time.perf_counter_ns(), metrics))
    if metrics:
        active_sessions.add(tuple(stack()), metrics)


def exit_scope(name=None):
    """Closes the innermost scope; gives its name."""
    if not stack():
        raise RuntimeError("exit_scope: no scope is open")
    if name is not None and stack()[-1] != name:
        raise RuntimeError(f"exit_scope({name!r}): the innermost scope is {stack()[-1]!r}")
    began, metrics = _threads.begun.pop()
    active_sessions.scope_ended(tuple(stack()), began, metrics)
    return stack().pop()


class scope(contextlib.ContextDecorator):
    """`with scope("forward", {"tokens": n}):`, or a decorator."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics

    def __enter__(self):
        enter_scope(self.name, metrics=self.metrics)
        return self

    def __exit__(self, *exception):
        exit_scope()


class cpu_timed_scope(scope):
    """A scope whose own time on the host is summed as `cpu_time (ns)`."""

    def __enter__(self):
        super().__enter__()
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *exception):
        active_sessions.add(tuple(stack()), {"cpu_time (ns)": time.perf_counter_ns() - self._start})
        super().__exit__(*exception)
