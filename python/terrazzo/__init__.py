"""Terrazzo: tile kernels in Triton's language, compiled and launched without Triton.

    import numpy as np
    import terrazzo
    import terrazzo.triton.language as tl

    @terrazzo.jit
    def double(x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

    x = np.arange(1000, dtype=np.float32)
    double[(4,)](x, x.size, BLOCK=256)

Modules are imported when one of their names is used: importing the package
costs the interpreter's start and little more.
"""

import importlib

# Name -> module that defines it.
_lazy = {
    "jit": "runtime.jit_function",
    "JITFunction": "runtime.jit_function",
    "KernelParam": "runtime.jit_function",
    "KernelInterface": "runtime.interface",
    "constexpr_function": "language.constexpr_functions",
    "autotune": "runtime.autotuner",
    "Autotuner": "runtime.autotuner",
    "Config": "runtime.configurations",
    "heuristics": "runtime.heuristics",
    "TensorDescriptor": "runtime.descriptor",
    "reinterpret": "runtime.array_wrappers",
    "install_as_triton": "tools.drop_in",
    "synchronize": "runtime.device_logs",
    "TerrazzoError": "errors",
    "CompilationError": "errors",
    "OutOfResources": "errors",
    "LaunchError": "errors",
}
_modules = {"errors", "knobs", "testing", "triton"}

__all__ = sorted([*_lazy, *_modules, "__version__"])


def __getattr__(name):
    if name in _lazy:
        value = getattr(importlib.import_module("." + _lazy[name], __name__), name)
    elif name in _modules:
        value = importlib.import_module("." + name, __name__)
    elif name == "__version__":
        from . import _native

        value = _native.version()
    else:
        raise AttributeError(f"module 'terrazzo' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return __all__
