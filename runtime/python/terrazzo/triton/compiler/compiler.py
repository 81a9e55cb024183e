"""`triton.compiler.compiler`: compiling a function for a signature, without arguments at hand."""

import hashlib
import os
import re

from ... import knobs
from ..backends.compiler import BaseBackend, GPUTarget  # noqa: F401
from ..language import dtypes
from ..language.values import constexpr
from ..runtime.cache import triton_key  # noqa: F401
from .errors import CompilationError  # noqa: F401
from .kernel import CompiledKernel


def make_backend(target):
    """The compiler for a target, as callers of Triton see it."""
    return BaseBackend(target)


class ASTSource:
    """A jit function with the types of its arguments.

    signature: {"x": "*fp32", "n": "i32", "BLOCK": "constexpr"}; constexprs: values
    by name, position or path of positions; attrs: {(0,): [["tt.divisibility", 16]]}.
    """

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.ext = "ttir"
        self.name = fn.__name__
        self.signature = dict(signature)
        names = fn.arg_names
        self.constants = {}
        for key, value in (constexprs or {}).items():
            if isinstance(key, int):
                key = (key,)
            elif isinstance(key, str):
                if key not in names:
                    raise ValueError(f"'{fn.__name__}' has no parameter {key!r}: {', '.join(names)}")
                key = (names.index(key),)
            self.constants[key] = value.value if isinstance(value, constexpr) else value
        self.attrs = attrs or {}
        for name in self.signature:
            if not isinstance(name, str):
                raise TypeError(f"a signature is by name, found the key {name!r}")

    def hash(self):
        text = repr((self.fn.cache_key, sorted(self.signature.items()), sorted(self.constants.items(), key=str),
                     sorted(self.attrs.items(), key=str)))
        return hashlib.sha256(text.encode()).hexdigest()

    def parse_options(self):
        return {}

    def _is_divisible(self, path):
        return any(attribute[0] == "tt.divisibility" for attribute in self.attrs.get(path, ()))

    def _example(self, kind, path):
        """A value that a launch would type so."""
        if path in self.constants:
            return self.constants[path]
        if isinstance(kind, tuple):
            return tuple(self._example(item, path + (i,)) for i, item in enumerate(kind))
        if kind == "constexpr":
            raise ValueError(f"'{self.fn.__name__}' needs a value for the constexpr at {path}")
        if kind.startswith("*"):
            return Example(kind, self._is_divisible(path))
        if kind.startswith("tensordesc"):
            return _example_descriptor(kind)
        if kind in ("i1", "u1"):
            return True
        if kind.startswith(("fp", "bf")):
            return 0.5
        bits = int(re.sub(r"\D", "", kind))
        number = (1 << (bits - 2)) if bits > 32 else 1 << 10
        if kind == "u64":
            number = 1 << 63
        return number if self._is_divisible(path) else number + 3

    def examples(self):
        """A value for each parameter, in order."""
        names = self.fn.arg_names
        return [self._example(self.signature.get(name, "constexpr"), (i,)) for i, name in enumerate(names)]


class Example:
    """Stands for a pointer of a signature: no memory, only a type and an alignment."""

    def __init__(self, kind, is_divisible):
        self.dtype = dtypes.str_to_ty(kind).element_ty
        self._address = 0 if is_divisible else self.dtype.itemsize

    def data_ptr(self):
        return self._address


def _example_descriptor(kind):
    from ...descriptor import TensorDescriptor
    block = dtypes.str_to_ty(kind).block_type
    base = Example("*" + dtypes.SIGNATURE_NAMES[str(block.element_ty)], True)
    strides = [16] * (len(block.shape) - 1) + [1]
    return TensorDescriptor(base, [16] * len(block.shape), strides, list(block.shape))


class IRSource:
    """Refused: the intermediate languages of Triton's backends mean nothing here."""

    def __init__(self, path, *args):
        raise CompilationError(f"{path}: Terrazzo compiles kernels from their source or from tile IR (tz compile), not "
                               "from Triton's intermediate languages")


_NOT_OPTIONS = {"backend_name", "arch", "warp_size", "cluster_dims", "supported_fp8_dtypes", "extern_libs"}


def _launch_options(options):
    """Those that a launch takes, without the ones that say nothing."""
    given = options if isinstance(options, dict) else dict(vars(options))
    return {name: value for name, value in given.items()
            if name not in _NOT_OPTIONS and value is not None and value is not False and isinstance(value, (bool, int, str))}


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles a source for the active device; gives a CompiledKernel that launches what it was compiled for."""
    from ..runtime.driver import driver
    if not isinstance(src, ASTSource):
        IRSource(os.fspath(src))
    target = target or driver.active.get_current_target()
    options = dict(options or {}) if not hasattr(options, "__dict__") else dict(vars(options))
    chosen = _launch_options(options)
    kernel = CompiledKernel(src, target, make_backend(target).parse_options(options), chosen)
    listener = knobs.compilation.listener
    if listener:
        listener(src=src, metadata=kernel.metadata._asdict(), metadata_group={}, times=None, cache_hit=False)
    return kernel
