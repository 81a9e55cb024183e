"""States: one last name below all scopes of a thread."""

import contextlib

from .. import _native
from .flags import flags

# Viewers leave out what is below this name: launches that only compute what a launch says of itself.
COMPUTE_METADATA_SCOPE_NAME = "__proton_launch_metadata"


def enter_state(name):
    """What this thread launches until exit_state() is counted below `name`, under its scopes."""
    _native.profile_enter_state(name)


def exit_state():
    """Leaves the innermost state."""
    _native.profile_exit_state()


class state(contextlib.ContextDecorator):
    """`with state("warm-up"):`, or a decorator."""

    def __init__(self, name):
        self.name = name

    def _recreate_cm(self):
        return type(self)(self.name)

    def __enter__(self):
        self._is_entered = flags.profiling_on
        if self._is_entered:
            enter_state(self.name)
        return self

    def __exit__(self, *exception):
        if self._is_entered:
            exit_state()


class metadata_state(state):
    """For launches that compute metrics: viewers leave them out."""

    def __init__(self):
        super().__init__(COMPUTE_METADATA_SCOPE_NAME)

    def _recreate_cm(self):
        return type(self)()
