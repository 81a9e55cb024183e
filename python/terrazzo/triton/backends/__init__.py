"""`triton.backends`: by Triton's names, what a process can run on."""

from collections import namedtuple

from ...runtime.drivers import AcceleratorDriver, DriverBase, HostDriver
from .._absent import missing
from .compiler import BaseBackend, GPUTarget


class Backend(namedtuple("Backend", "compiler driver")):
    """The two classes that Triton's callers ask for. Of all backends' drivers exactly one is active."""

    __slots__ = ()


def _found():
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
    raise missing(__name__, name)
