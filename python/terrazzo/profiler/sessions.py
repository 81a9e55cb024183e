"""Sessions of profiling: which launches and scopes they hear of, and the files that they write."""

import functools
import itertools
import json
import threading
import time

from .. import knobs
from ..runtime.drivers import driver
from .active_sessions import KINDS, Session, active, lock, sessions
from .records import DeviceTime, Trace
from .scopes import stack

_numbers = itertools.count()
_open = threading.local()  # the launch that this thread is in


def _device(metadata):
    """torch's interface to the device of a launch; None: it is on the host."""
    interface = driver.active.get_device_interface()
    is_host = metadata.data.get("target", "cpu").partition(":")[0] in ("cpu", "interp")
    return None if is_host else interface


def _enter(metadata):
    interface, device = _device(metadata), None
    if interface is not None:
        def event():
            return interface.Event(enable_timing=True)

        device = DeviceTime(event(), event(), interface.current_device(), metadata.data.get("stream") or 0)
        with lock:
            for session in active():
                if isinstance(session.records, Trace):
                    session.records.anchor(device.index, event, time.perf_counter_ns)
        device.before.record()
    _open.launch = device, time.perf_counter_ns()


def _exit(metadata):
    ended = time.perf_counter_ns()
    device, began = _open.launch
    if device is not None:
        device.after.record()
    with lock:
        for session in active():
            told = metadata.get() if session.hook else metadata.data
            more = {name: value for name, value in told.items()
                    if isinstance(value, (int, float)) and not isinstance(value, bool) and name not in ("function", "stream")}
            session.records.launch((*stack(), told["name"]), more if session.hook else {}, began, ended, device)


def start(name="proton", *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, and gives its number. hook="triton": kernels tell their launch_metadata.

    data: "tree", sums by scope and kernel; "trace", each launch and scope with its begin and end.
    """
    for what, value, allowed in (("context", context, ("shadow",)), ("data", data, tuple(KINDS)),
                                 ("mode", mode, (None, "")), ("hook", hook, (None, "triton"))):
        if value not in allowed:
            raise ValueError(f"{what}={value!r} is not supported; there is {', '.join(repr(v) for v in allowed)}")
    if knobs.proton.disable:
        return None
    with lock:
        number = next(_numbers)
        sessions[number] = Session(name, data, hook)
    knobs.runtime.launch_enter_hook.add(_enter)
    knobs.runtime.launch_exit_hook.add(_exit)
    return number


def _chosen(session):
    if session is None:
        return dict(sessions)
    if session not in sessions:
        raise ValueError(f"there is no session {session!r}")
    return {session: sessions[session]}


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
        with lock:
            del sessions[number]
        content = one.records.content()
        with open(f"{one.name}.{one.records.suffix}", "w") as file:
            json.dump(content, file)
    if not sessions:
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
