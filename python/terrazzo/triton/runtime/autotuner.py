"""`triton.runtime.autotuner`."""

from ... import knobs  # noqa: F401
from ...runtime.autotuner import Autotuner, autotune  # noqa: F401
from ...runtime.configurations import Config  # noqa: F401
from ...runtime.heuristics import Heuristics, heuristics  # noqa: F401
from .cache import get_cache_invalidating_env_vars, get_cache_manager, triton_key  # noqa: F401
from .driver import driver  # noqa: F401
from .errors import AutotunerError, OutOfResources, PTXASError  # noqa: F401
from .jit import JITFunction, KernelInterface  # noqa: F401
