"""`triton.backends`: by Triton's names, what a process can run on."""

from dataclasses import dataclass

from .compiler import BaseBackend, GPUTarget  # noqa: F401


@dataclass(frozen=True)
class Backend:
    """The two classes that Triton's callers ask for. Of all backends' drivers exactly one is active."""

    compiler: type
    driver: type


def _found():
    from ..runtime.driver import AcceleratorDriver, DriverBase, HostDriver  # noqa: F401
    from .nvidia.compiler import CUDABackend
    from .nvidia.driver import CudaDriver
    backends = {"nvidia": Backend(CUDABackend, CudaDriver), "cpu": Backend(BaseBackend, HostDriver)}
    vendor = AcceleratorDriver.vendor_folder()
    if vendor is not None and vendor not in backends:
        backends[vendor] = Backend(BaseBackend, AcceleratorDriver)
    return backends


def __getattr__(name):
    if name == "backends":
        return _found()  # anew: torch, and with it a device, may have come since
    if name == "DriverBase":
        from ..runtime.driver import DriverBase
        return DriverBase
    from .._absent import missing
    raise missing(__name__, name)
