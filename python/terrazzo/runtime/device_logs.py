"""When kernels on a device say what they printed, and which assert failed.

A launch does not wait. What a kernel said is told by a later launch on its
stream, once the kernel has ended; when the program synchronises by torch or
terrazzo.synchronize(); and at exit.
"""

import atexit
import functools
import importlib
import sys

from .. import _native
from ..compiler.targets import vendors


def synchronize():
    """Waits for the kernels that print or assert, and says what they said.

    A failed tl.device_assert is a DeviceAssertionError here. Other work of a
    device is waited for by its framework's function.
    """
    _native._tell_logs()


def _owner(dotted):
    module, _, name = dotted.rpartition(".")
    return importlib.import_module(module), name


def _tells(function):
    """`function`, which waits for all work of a device, and then what kernels said."""

    @functools.wraps(function)
    def synchronize(*args, **kwargs):
        done = function(*args, **kwargs)
        _native._tell_logs()
        return done

    return synchronize


def _stream_tells(function, address):
    """The method of a stream that waits for it; `address`: the attribute that has its number."""

    @functools.wraps(function)
    def synchronize(self):
        done = function(self)
        _native._tell_logs(getattr(self, address))
        return done

    return synchronize


@functools.cache
def begin():
    """From now on there is something to tell. Called by the launcher; does so once."""
    atexit.register(synchronize)
    torch = sys.modules.get("torch")
    for facts in vendors().values():
        entry = facts.get("frameworks", {}).get("torch", {})
        if "synchronize" not in entry or not getattr(getattr(torch, "version", None), entry["build"], None):
            continue
        for place in (entry["synchronize"], "torch._C._accelerator_synchronizeDevice"):
            module, name = _owner(place)
            if hasattr(module, name):
                setattr(module, name, _tells(getattr(module, name)))
        if hasattr(torch, entry["device"]):
            kind = getattr(*_owner(entry["stream_class"]))
            kind.synchronize = _stream_tells(kind.synchronize, entry["stream_address"])
