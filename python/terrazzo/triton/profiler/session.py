"""Sessions of profiling: which launches and scopes they hear of, and the files that they write."""

import functools
import itertools
import json
import threading
import time

from ... import knobs
from .records import DeviceTime, Trace, Tree
from .scope import stack

_sessions = {}
_numbers = itertools.count()
_lock = threading.Lock()
_open = threading.local()  # the launch that this thread is in
_data = {"tree": Tree, "trace": Trace}


class _Session:

    def __init__(self, name, data, hook):
        self.name, self.hook = name, hook
        self.records = _data[data]()
        self.is_active = True


def _active():
    """Needs the lock."""
    return [session for session in _sessions.values() if session.is_active]


def add(path, metrics):
    """Sums numbers at a path of names, in each active session."""
    with _lock:
        for session in _active():
            session.records.add(path, metrics)


def scope_ended(path, began, metrics):
    """A scope of this thread that began at a time of the host."""
    with _lock:
        for session in _active():
            session.records.scope_ended(path, began, time.perf_counter_ns(), metrics)


def _device(metadata):
    """torch's interface to the device of a launch; None: it is on the host."""
    from ..runtime.driver import driver

    interface = driver.active.get_device_interface()
    is_host = metadata.data.get("target", "cpu").partition(":")[0] in ("cpu", "interp")
    return None if is_host else interface


def _enter(metadata):
    interface, device = _device(metadata), None
    if interface is not None:
        def event():
            return interface.Event(enable_timing=True)

        device = DeviceTime(event(), event(), interface.current_device(), metadata.data.get("stream") or 0)
        with _lock:
            for session in _active():
                if isinstance(session.records, Trace):
                    session.records.anchor(device.index, event, time.perf_counter_ns)
        device.before.record()
    _open.launch = device, time.perf_counter_ns()


def _exit(metadata):
    ended = time.perf_counter_ns()
    device, began = _open.launch
    if device is not None:
        device.after.record()
    with _lock:
        for session in _active():
            told = metadata.get() if session.hook else metadata.data
            more = {name: value for name, value in told.items()
                    if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in ("function", "stream")}
            session.records.launch((*stack(), told["name"]), more if session.hook else {}, began, ended, device)


def start(name="proton", *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, and gives its number. hook="triton": kernels tell their launch_metadata.

    data: "tree", sums by scope and kernel; "trace", each launch and scope with its begin and end.
    """
    for what, value, allowed in (("context", context, ("shadow",)), ("data", data, tuple(_data)),
                                 ("mode", mode, (None, "")), ("hook", hook, (None, "triton"))):
        if value not in allowed:
            raise ValueError(f"{what}={value!r} is not supported; there is {', '.join(repr(v) for v in allowed)}")
    if knobs.proton.disable:
        return None
    with _lock:
        number = next(_numbers)
        _sessions[number] = _Session(name, data, hook)
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
    """Ends a session, or all, and writes NAME.hatchet, of a trace NAME.chrome_trace."""
    ending = _chosen(session)
    for one in ending.values():
        if output_format not in ("", one.records.output_format):
            raise ValueError(f"output_format={output_format!r} is not supported for {one.name!r}; there is "
                             f"{one.records.output_format!r}")
    for number, one in ending.items():
        with _lock:
            del _sessions[number]
        content = one.records.content()
        with open(f"{one.name}.{one.records.suffix}", "w") as file:
            json.dump(content, file)
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
