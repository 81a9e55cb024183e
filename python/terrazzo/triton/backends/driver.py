"""`triton.backends.driver`."""

from ...runtime.drivers import AcceleratorDriver as GPUDriver
from ...runtime.drivers import DriverBase
