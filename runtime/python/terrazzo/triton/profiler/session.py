"""Sessions of profiling: trees of scopes and kernels with what was measured, written as hatchet's JSON."""

import functools
import itertools
import json
import threading
import time

from ... import knobs
from .scope import stack

_sessions = {}
_numbers = itertools.count()
_lock = threading.Lock()
_open = threading.local()  # the launch that this thread is in


class _Session:

    def __init__(self, name, hook):
        self.name, self.hook = name, hook
        self.is_active = True
        self.metrics = {}  # path of names -> metric -> sum
        self.pending = []  # (path, event before, event after)

    def add(self, path, metrics):
        into = self.metrics.setdefault(path, {})
        for name, number in metrics.items():
            into[name] = into.get(name, 0) + number

    def settle(self):
        """Reads the device's clocks; waits for the launches that are timed."""
        for path, before, after in self.pending:
            after.synchronize()
            self.add(path, {"time (ns)": round(before.elapsed_time(after) * 1e6)})
        self.pending.clear()

    def tree(self):
        root = {"frame": {"name": "ROOT", "type": "function"}, "metrics": {}, "children": []}
        for path, metrics in self.metrics.items():
            node = root
            for name in path:
                known = [child for child in node["children"] if child["frame"]["name"] == name]
                if not known:
                    known = [{"frame": {"name": name, "type": "function"}, "metrics": {}, "children": []}]
                    node["children"] += known
                node = known[0]
            node["metrics"].update(metrics)
        return root


def add(path, metrics):
    """Sums numbers at a path of names, in each active session."""
    with _lock:
        for session in _sessions.values():
            if session.is_active:
                session.add(path, metrics)


def _events(metadata):
    """A pair of events if the launch is on torch's device, else None."""
    from ..runtime.driver import driver

    interface = driver.active.get_device_interface()
    if interface is None or metadata.data.get("target", "cpu").partition(":")[0] in ("cpu", "interp"):
        return None
    return interface.Event(enable_timing=True), interface.Event(enable_timing=True)


def _enter(metadata):
    events = _events(metadata)
    if events:
        events[0].record()
    _open.launch = events, time.perf_counter_ns()


def _exit(metadata):
    events, began = _open.launch
    taken = {"time (ns)": time.perf_counter_ns() - began}
    if events:
        events[1].record()
    with _lock:
        for session in _sessions.values():
            if not session.is_active:
                continue
            told = metadata.get() if session.hook else metadata.data
            path = (*stack(), told["name"])
            more = {name: value for name, value in told.items()
                    if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in ("function", "stream")}
            session.add(path, {"count": 1, **(more if session.hook else {})})
            if events:
                session.pending.append((path, *events))
            else:
                session.add(path, taken)


def start(name="proton", *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, and gives its number. hook="triton": kernels tell their launch_metadata."""
    for what, value, allowed in (("context", context, ("shadow",)), ("data", data, ("tree",)),
                                 ("mode", mode, (None, "")), ("hook", hook, (None, "triton"))):
        if value not in allowed:
            raise ValueError(f"{what}={value!r} is not supported; there is {', '.join(repr(v) for v in allowed)}")
    if knobs.proton.disable:
        return None
    with _lock:
        number = next(_numbers)
        _sessions[number] = _Session(name, hook)
    knobs.runtime.launch_enter_hook.add(_enter)
    knobs.runtime.launch_exit_hook.add(_exit)
    return number


def _chosen(session):
    if session is None:
        return dict(_sessions)
    if session not in _sessions:
        raise ValueError(f"there is no session {session!r}")
    return {session: _sessions[session]}


def activate(session=None):
    """Launches are counted again, in one session or all."""
    for one in _chosen(session).values():
        one.is_active = True


def deactivate(session=None):
    """Launches are not counted, until activate."""
    for one in _chosen(session).values():
        one.is_active = False


def finalize(session=None, output_format=""):
    """Ends a session, or all, and writes NAME.hatchet."""
    if output_format not in ("", "hatchet"):
        raise ValueError(f"output_format={output_format!r} is not supported; there is 'hatchet'")
    for number, one in _chosen(session).items():
        with _lock:
            one.settle()
            del _sessions[number]
        with open(f"{one.name}.hatchet", "w") as file:
            json.dump([one.tree(), {}], file)
    if not _sessions:
        knobs.runtime.launch_enter_hook.remove(_enter)
        knobs.runtime.launch_exit_hook.remove(_exit)


def profile(func=None, *, name=None, **options):
    """Decorator: a session for each call of the function."""
    if func is None:
        return functools.partial(profile, name=name, **options)

    @functools.wraps(func)
    def run(*args, **kwargs):
        number = start(name or func.__name__, **options)
        try:
            return func(*args, **kwargs)
        finally:
            if number is not None:
                finalize(number)

    return run
