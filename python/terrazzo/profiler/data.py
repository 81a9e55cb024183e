"""What a session has recorded, while it goes on. Phases are its parts, whose numbers are apart; the first is 0."""

import json

from .sessions import find


def get(session=0, phase=0):
    """A phase as Python objects: of a tree [root, devices], as its file has it. None without a session."""
    return None if session is None else json.loads(find(session).profile.content(phase, ""))


def get_msgpack(session=0, phase=0):
    """The same of a tree as MessagePack."""
    return None if session is None else find(session).profile.content(phase, "hatchet_msgpack")


def advance_phase(session=0):
    """Begins a phase, and gives its number."""
    return None if session is None else find(session).advance()


def is_phase_complete(session=0, phase=0):
    """Whether a later phase has begun, and devices have said all of this one."""
    return session is not None and find(session).profile.is_complete(phase)


def clear(session=0, phase=0, clear_up_to_phase=False):
    """Forgets what a phase holds, or all phases up to it."""
    if session is not None:
        find(session).profile.clear(0 if clear_up_to_phase else phase, phase)
