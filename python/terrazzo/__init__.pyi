from typing import Any, Callable, Optional, Sequence, overload

from . import errors as errors, knobs as knobs, testing as testing, triton as triton
from ._heuristics import heuristics as heuristics
from .autotuner import Autotuner as Autotuner, Config as Config, autotune as autotune
from .constexprs import constexpr_function as constexpr_function
from .descriptor import TensorDescriptor as TensorDescriptor
from .errors import (CompilationError as CompilationError, LaunchError as LaunchError, OutOfResources as OutOfResources,
                     TerrazzoError as TerrazzoError)
from .interface import KernelInterface as KernelInterface
from .jit_function import JITFunction as JITFunction, KernelParam as KernelParam
from .wrappers import reinterpret as reinterpret

__version__: str

def install_as_triton() -> None: ...
@overload
def jit(fn: Callable) -> JITFunction: ...
@overload
def jit(*, version: Any = None, repr: Optional[Callable] = None, launch_metadata: Optional[Callable] = None,
        do_not_specialize: Optional[Sequence[int | str]] = None,
        do_not_specialize_on_alignment: Optional[Sequence[int | str]] = None, debug: Optional[bool] = None,
        noinline: Optional[bool] = None) -> Callable[[Callable], JITFunction]: ...
