"""What a constexpr_function is given for a value that is known only when the kernel runs.

Such a stand-in is a tl.tensor or a tl.tensor_descriptor that has a type and no value. The compiler spells it as
`run_time(0, TYPE)`; an answer that contains it again calls it `given0`.
"""

from ..language import dtypes, values

_KNOWN = "a constexpr_function may ask its {}; compute with it in a function under @triton.jit"
_OPERATORS = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow",
              "rpow", "lshift", "rlshift", "rshift", "rrshift", "and", "rand", "or", "ror", "xor", "rxor", "matmul", "neg", "pos",
              "invert", "abs", "eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "index", "len", "iter", "getitem",
              "setitem", "call")


class _StandIn:
    _facts = ""

    def __getattr__(self, name):
        raise AttributeError(f"{self!r} has no '{name}' before the kernel runs: " + _KNOWN.format(self._facts))

    def __repr__(self):
        return f"run-time value {self.type}"

    __hash__ = object.__hash__


def _refuses(name):
    def refuse(self, *args):
        raise TypeError(f"__{name}__ of {self!r}, which has no value before the kernel runs: " + _KNOWN.format(self._facts))

    refuse.__name__ = f"__{name}__"
    return refuse


for _name in _OPERATORS:
    setattr(_StandIn, f"__{_name}__", _refuses(_name))


class _Tensor(_StandIn, values.tensor):
    _facts = "type, dtype, shape and numel"

    def __init__(self, text, type_):
        self.__terrazzo__ = text
        self.type = type_
        self.dtype = type_.scalar
        self.shape = values.tuple(values.constexpr(size) for size in getattr(type_, "shape", ()))
        self.numel = values.constexpr(getattr(type_, "numel", 1))


class _Descriptor(_StandIn, values.tensor_descriptor):
    _facts = "type, block_type, dtype and block_shape, and how many entries shape and strides have"

    def __init__(self, text, type_):
        self.__terrazzo__ = text
        self.type = type_
        self.block_type = type_.block_type
        self.dtype = type_.block_type.element_ty
        self.block_shape = list(type_.block_type.shape)
        self.base = _Tensor(f"{text}.base", dtypes.pointer_type(self.dtype))
        for name, kind in (("shape", "int32"), ("strides", "int64")):
            setattr(self, name, values.tuple(_Tensor(f"{text}.{name}[{i}]", dtypes.NAMES[kind])
                                             for i in range(len(self.block_shape))))


class StandIns:
    """Those of one call; after it none of them is an answer."""

    def __init__(self):
        self._made = []

    def make(self, place, type_):
        """What the compiler spells as run_time(place, type_)."""
        kind = _Descriptor if isinstance(type_, dtypes.tensor_descriptor_type) else _Tensor
        self._made.append(kind(f"given{place}", type_))
        return self._made[-1]

    def arguments(self, text, object_of):
        """What the compiler writes as arguments of a call: (positional, by name). object_of: from a scope to what it is."""
        return eval(f"pack({text})", {
            "pack": lambda *args, **kwargs: (args, kwargs), "scope": object_of, "dtype": dtypes.str_to_ty,
            "block": dtypes.block_type, "descriptor": dtypes.tensor_descriptor_type, "run_time": self.make})

    def expire(self):
        for value in self._made:
            parts = (value.base, *value.shape, *value.strides) if isinstance(value, _Descriptor) else ()
            for part in (value, *parts):
                part.__terrazzo__ = None
