"""`triton.backends.driver`."""

from ...runtime.drivers import AcceleratorDriver as GPUDriver  # noqa: F401
from ...runtime.drivers import DriverBase  # noqa: F401
