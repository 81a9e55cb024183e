"""`triton.runtime.autotuner`."""

from ... import knobs
from ...runtime.autotuner import Autotuner, autotune
from ...runtime.configurations import Config
from ...runtime.heuristics import Heuristics, heuristics
from .cache import get_cache_invalidating_env_vars, get_cache_manager, triton_key
from .driver import driver
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface
