"""A jit function and a signature: what is compiled when there are no arguments at hand."""

import collections
import re
import types

from ..language import dtypes
from ..language.values import constexpr


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
        self.memory = None  # (framework, index) of the arrays that examples stand for
        for name in self.signature:
            if not isinstance(name, str):
                raise TypeError(f"a signature is by name, found the key {name!r}")

    def hash(self):
        text = repr((self.fn.cache_key, sorted(self.signature.items()), sorted(self.constants.items(), key=str),
                     sorted(self.attrs.items(), key=str)))
        import hashlib

        return hashlib.sha256(text.encode()).hexdigest()

    def parse_options(self):
        return {}

    def _attribute(self, path, name):
        return next((attribute[1] for attribute in self.attrs.get(path, ()) if attribute[0] == name), None)

    def _example(self, kind, path):
        """A value that a launch would type so."""
        if path in self.constants:
            return self.constants[path]
        if isinstance(kind, tuple):
            items = [self._example(item, path + (i,)) for i, item in enumerate(kind)]
            fields = self._attribute(path, "terrazzo.fields")
            return collections.namedtuple("Arguments", fields)(*items) if fields else tuple(items)
        if kind == "constexpr":
            raise ValueError(f"'{self.fn.__name__}' needs a value for the constexpr at {path}")
        if kind.startswith("*"):
            return self._pointer(kind, path)
        if kind.startswith("tensordesc"):
            return self._descriptor(kind, path)
        if kind in ("i1", "u1"):
            return True
        if kind.startswith(("fp", "bf")):
            return 0.5
        bits = int(re.sub(r"\D", "", kind))
        return _number(1 << 63 if kind == "u64" else 1 << (bits - 2) if bits > 32 else 1 << 10,
                       self._attribute(path, "tt.divisibility"))

    def _pointer(self, kind, path):
        divisor = self._attribute(path, "tt.divisibility")
        other = self._attribute(path, "terrazzo.address_of")
        place = path if other is None else tuple(other)
        if place not in self._addresses:
            # Far from each other and from the address that stands for none.
            self._addresses[place] = _number((len(self._addresses) + 1) << 20, divisor)
        return Example(kind, self._addresses[place], self.memory)

    def _descriptor(self, kind, path):
        block = dtypes.str_to_ty(kind).block_type
        rank = len(block.shape)
        padding = self._attribute(path, "terrazzo.padding")

        def size(i):
            if padding is None:  # a signature of Triton's, without facts of the sizes
                return 16
            return self.constants.get(path + (i,)) or _number(1 << 10, self._attribute(path + (i,), "tt.divisibility"))

        element = "*" + dtypes.SIGNATURE_NAMES[str(block.element_ty)]
        base = self._pointer(element, path + (0,)) if padding else Example(element, 0, self.memory)
        return types.SimpleNamespace(
            base=base, shape=[size(i + 1) for i in range(rank)],
            strides=[size(i + 1 + rank) for i in range(rank - 1)] + [1], block_shape=list(block.shape),
            padding=padding or "zero")

    def examples(self):
        """A value for each parameter, in order."""
        self._addresses = {}
        names = self.fn.arg_names
        return [self._example(self.signature.get(name, "constexpr"), (i,)) for i, name in enumerate(names)]


def _number(large, divisor):
    """A number near `large`, which 32 divides, that of the powers of two up to 16 `divisor` alone divides."""
    return large if divisor == 16 else large + (divisor or 1) + (0 if divisor and divisor > 1 else 2)


class Example:
    """Stands for a pointer of a signature: no memory, only a type, an address and where it would lie."""

    def __init__(self, kind, address, memory):
        self.dtype = dtypes.str_to_ty(kind).element_ty
        self._address = address
        self.__terrazzo_memory__ = memory

    def data_ptr(self):
        return self._address
