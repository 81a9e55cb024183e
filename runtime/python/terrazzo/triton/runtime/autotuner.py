"""`triton.runtime.autotuner`."""

from ...autotuner import Autotuner, Config, Heuristics, autotune, heuristics  # noqa: F401
from .errors import AutotunerError, OutOfResources, PTXASError  # noqa: F401
from .jit import JITFunction, KernelInterface  # noqa: F401
