"""Where a thread is, as sessions see it."""

from .. import _native
from .flags import flags


def depth(session=0):
    """How many scopes are open on this thread. None: no session is there."""
    return _native.profile_depth() if flags.profiling_on else None
