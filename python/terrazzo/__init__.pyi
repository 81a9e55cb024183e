from collections.abc import Callable, Sequence
from typing import Any, overload

from . import errors as errors, knobs as knobs, testing as testing, triton as triton
from .errors import (CompilationError as CompilationError, LaunchError as LaunchError, OutOfResources as OutOfResources,
                     TerrazzoError as TerrazzoError)
from .language.constexpr_functions import constexpr_function as constexpr_function
from .runtime.array_wrappers import reinterpret as reinterpret
from .runtime.autotuner import Autotuner as Autotuner, autotune as autotune
from .runtime.configurations import Config as Config
from .runtime.descriptor import TensorDescriptor as TensorDescriptor
from .runtime.device_logs import synchronize as synchronize
from .runtime.heuristics import heuristics as heuristics
from .runtime.interface import KernelInterface as KernelInterface
from .runtime.jit_function import JITFunction as JITFunction, KernelParam as KernelParam

__version__: str

def install_as_triton() -> None: ...
@overload
def jit(fn: Callable) -> JITFunction: ...
@overload
def jit(*, version: Any = None, repr: Callable | None = None, launch_metadata: Callable | None = None,
        do_not_specialize: Sequence[int | str] | None = None,
        do_not_specialize_on_alignment: Sequence[int | str] | None = None, debug: bool | None = None,
        noinline: bool | None = None) -> Callable[[Callable], JITFunction]: ...
