"""`triton.backends.driver`."""

from ..runtime.driver import AcceleratorDriver as GPUDriver  # noqa: F401
from ..runtime.driver import DriverBase  # noqa: F401
