from typing import Any, Callable, Optional, Sequence, overload

from . import errors as errors, knobs as knobs, testing as testing, triton as triton
from .runtime.heuristics import heuristics as heuristics
from .runtime.autotuner import Autotuner as Autotuner, autotune as autotune
from .runtime.configurations import Config as Config
from .language.constexpr_functions import constexpr_function as constexpr_function
from .runtime.descriptor import TensorDescriptor as TensorDescriptor
from .errors import (CompilationError as CompilationError, LaunchError as LaunchError, OutOfResources as OutOfResources,
                     TerrazzoError as TerrazzoError)
from .runtime.interface import KernelInterface as KernelInterface
from .runtime.jit_function import JITFunction as JITFunction, KernelParam as KernelParam
from .runtime.array_wrappers import reinterpret as reinterpret

__version__: str

def install_as_triton() -> None: ...
@overload
def jit(fn: Callable) -> JITFunction: ...
@overload
def jit(*, version: Any = None, repr: Optional[Callable] = None, launch_metadata: Optional[Callable] = None,
        do_not_specialize: Optional[Sequence[int | str]] = None,
        do_not_specialize_on_alignment: Optional[Sequence[int | str]] = None, debug: Optional[bool] = None,
        noinline: Optional[bool] = None) -> Callable[[Callable], JITFunction]: ...
