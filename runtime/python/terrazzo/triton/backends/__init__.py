"""`triton.backends`: by Triton's names, what a process can run on."""

from dataclasses import dataclass

from .compiler import BaseBackend, GPUTarget  # noqa: F401


@dataclass(frozen=True)
class Backend:
    """The two classes that Triton's callers ask for."""

    compiler: type
    driver: type


def _found():
    from ..runtime.driver import AcceleratorDriver, DriverBase, HostDriver  # noqa: F401
    backends = {"cpu": Backend(BaseBackend, HostDriver)}
    if AcceleratorDriver.is_active():
        backends[AcceleratorDriver._vendor()[0]] = Backend(BaseBackend, AcceleratorDriver)
    return backends


def __getattr__(name):
    if name == "backends":
        globals()["backends"] = _found()
        return globals()["backends"]
    if name == "DriverBase":
        from ..runtime.driver import DriverBase
        return DriverBase
    raise AttributeError(name)
