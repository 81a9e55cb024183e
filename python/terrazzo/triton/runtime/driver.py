"""`triton.runtime.driver`: the drivers of terrazzo.runtime.drivers, with those that Triton has for its vendors."""

from ...compiler.targets import GPUTarget, library_identity
from ...runtime import drivers
from ...runtime.drivers import AcceleratorDriver, DriverBase, DriverConfig, HostDriver, driver
from .. import _absent


def _of_nvidia():
    from ..backends.nvidia.driver import CudaDriver

    return CudaDriver


def _absent_in_driver(self, name):
    owner = "triton.runtime.driver.active"
    raise _absent.missing(owner + ".utils" if _absent.reason(f"{owner}.utils.{name}") else owner, name)


def _absent_in_config(self, name):
    raise _absent.missing("triton.runtime.driver", name)


drivers.register("nvidia", _of_nvidia)
DriverBase.__getattr__ = _absent_in_driver
DriverConfig.__getattr__ = _absent_in_config
