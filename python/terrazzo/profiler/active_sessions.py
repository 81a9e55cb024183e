"""The sessions that there are, and what scopes and launches tell them."""

import threading
import time

from .records import Trace, Tree

KINDS = {"tree": Tree, "trace": Trace}
sessions = {}  # by number
lock = threading.Lock()


class Session:
    """One that was started: whether kernels tell it their launch_metadata (hook), and what it keeps."""

    def __init__(self, name, data, hook):
        self.name, self.hook = name, hook
        self.records = KINDS[data]()
        self.is_active = True


def active():
    """Those that hear of launches now. Needs the lock."""
    return [session for session in sessions.values() if session.is_active]


def add(path, metrics):
    """Sums numbers at a path of names, in each active session."""
    with lock:
        for session in active():
            session.records.add(path, metrics)


def scope_ended(path, began, metrics):
    """A scope of this thread that began at a time of the host."""
    with lock:
        for session in active():
            session.records.scope_ended(path, began, time.perf_counter_ns(), metrics)
