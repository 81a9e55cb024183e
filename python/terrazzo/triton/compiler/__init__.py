"""`triton.compiler`."""

from . import code_generator
from .compiler import ASTSource, CompiledKernel, IRSource, LazyDict, compile, get_cache_key, make_backend
from .errors import CompilationError

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "IRSource", "compile", "make_backend"]
