"""Triton's names over Terrazzo: `import terrazzo.triton as triton`.

After terrazzo.install_as_triton() plain `import triton` means this package.
"""

__version__ = "3.6.0"  # of the interface that is followed; Terrazzo's own is terrazzo.__version__

from . import knobs
from ..language.constexpr_functions import constexpr_function
from . import language
from .runtime import (Autotuner, Config, Heuristics, InterpreterError, JITFunction, KernelInterface, MockTensor,
                      OutOfResources, TensorWrapper, autotune, driver, heuristics, reinterpret)
from .runtime.jit import jit  # triton.runtime.jit is the module
from .runtime._allocation import set_allocator
from .runtime._async_compile import AsyncCompileMode, FutureKernel
from .compiler import CompilationError, compile
from .errors import TritonError
from . import _absent, backends, runtime, testing, tools

must_use_result = language.core.must_use_result
aggregate = language.core.aggregate


@constexpr_function
def cdiv(x: int, y: int):
    """x / y, rounded up."""
    return (x + y - 1) // y


@constexpr_function
def next_power_of_2(n: int):
    """The smallest power of 2 that is not below n."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


cdiv.__terrazzo__ = "triton.cdiv"
next_power_of_2.__terrazzo__ = "triton.next_power_of_2"

__all__ = [
    "AsyncCompileMode", "CompilationError", "Config", "FutureKernel", "InterpreterError", "JITFunction", "KernelInterface",
    "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate", "autotune", "cdiv", "compile",
    "constexpr_function", "heuristics", "jit", "knobs", "language", "must_use_result", "next_power_of_2", "reinterpret",
    "runtime", "set_allocator", "testing", "tools",
]

from . import compiler  # noqa: E402

for _module in (language, language.core, language.math, language.extra, language.extra.cuda, language.extra.hip,
                compiler, compiler.compiler, compiler.code_generator, runtime, runtime.jit, runtime.cache, tools,
                backends.compiler):
    _absent.attach(_module, _module.__name__.removeprefix("terrazzo."))


def __getattr__(name):
    raise _absent.missing(__name__, name)
