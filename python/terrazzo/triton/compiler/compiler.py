"""`triton.compiler.compiler`: compiling a function for a signature, without arguments at hand."""

import os

from ... import _native, knobs
from ...compiler.compiled_kernel import LazyDict
from ...compiler.sources import ASTSource
from ...runtime.drivers import driver, reported_backend
from ..backends.compiler import BaseBackend, GPUTarget, launch_options
from ..runtime.cache import (get_cache_invalidating_env_vars, get_cache_key, get_cache_manager, get_dump_manager,
                             get_override_manager, triton_key)
from ..runtime.errors import OutOfResources
from .errors import CompilationError
from .kernel import CompiledKernel


def make_backend(target):
    """The compiler for a target, as callers of Triton see it."""
    if target.backend == "cuda":
        from ..backends.nvidia.compiler import CUDABackend
        return CUDABackend(target)
    return BaseBackend(target)


class IRSource:
    """Refused: the intermediate languages of Triton's backends mean nothing here."""

    def __init__(self, path, *args):
        raise CompilationError(f"{path}: Terrazzo compiles kernels from their source or from tile IR (tz compile), not "
                               "from Triton's intermediate languages")


def _code_target(target):
    """Terrazzo's name of a target that is not the one that kernels run on here; None of that one."""
    if target is None or target.backend == reported_backend(None) or target == driver.active.get_current_target():
        return None
    wanted, here = make_backend(target).code_target(), _native.describe_device("")
    return None if wanted in (here["target"], here["plugin"]) or here["plugin"] == "interp" else wanted


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles a source; gives a CompiledKernel that launches what it was compiled for.

    target: a GPUTarget, of a device that need not be here (such code can be looked at, not launched); the active
    device's if it is left out.
    """
    if not isinstance(src, ASTSource):
        IRSource(os.fspath(src))
    code_target = _code_target(target)
    target = target or driver.active.get_current_target()
    options = dict(options or {}) if not hasattr(options, "__dict__") else dict(vars(options))
    chosen = launch_options(options)
    kernel = CompiledKernel(src, target, make_backend(target).parse_options(options), chosen, code_target)
    listener = knobs.compilation.listener
    if listener:
        listener(src=src, metadata=kernel.metadata._asdict(), metadata_group={}, times=None, cache_hit=False)
    return kernel
