"""constexpr and the classes that kernels name in annotations and isinstance."""

import builtins
import enum
import operator

from .dtypes import constexpr_type, tuple_type


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


class base_value:
    """What every value of a kernel is."""


class constexpr(base_value):
    """A value that the compiler knows: `BLOCK = tl.constexpr(128)` may be read by kernels.

    On the host it computes as the value that it holds.
    """

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value
        self.type = constexpr_type(value)

    @property
    def __terrazzo__(self):
        return getattr(self.value, "__terrazzo__", None) or builtins.repr(self.value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, type(self.value)))

    def __bool__(self):
        return bool(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __iter__(self):
        return iter(self.value)

    def __len__(self):
        return len(self.value)

    def __getitem__(self, index):
        return self.value[_plain(index)]

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def logical_and(self, other):
        return constexpr(self.value and _plain(other))

    def logical_or(self, other):
        return constexpr(self.value or _plain(other))

    def __not__(self):
        return constexpr(not self.value)


def _give_operators():
    def both(function):
        return lambda self, other: constexpr(function(self.value, _plain(other)))

    def turned(function):
        return lambda self, other: constexpr(function(_plain(other), self.value))

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor"):
        function = getattr(operator, name)
        setattr(constexpr, f"__{name.rstrip('_')}__", both(function))
        setattr(constexpr, f"__r{name.rstrip('_')}__", turned(function))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(constexpr, f"__{name}__", both(getattr(operator, name)))
    for name in ("neg", "pos", "invert"):
        function = getattr(operator, name)
        setattr(constexpr, f"__{name}__", lambda self, f=function: constexpr(f(self.value)))


_give_operators()


class const:
    """Annotation of a pointer that the kernel only reads."""


class tensor(base_value):
    """A tile or a scalar inside a kernel. The host has none."""

    def __init__(self, *args, **kwargs):
        raise TypeError("tl.tensor exists only inside a kernel; pass arrays to kernels and annotate with it")


class tensor_descriptor_base(base_value):
    """A descriptor of a tensor inside a kernel."""

    def __init__(self, *args, **kwargs):
        raise TypeError("tl.tensor_descriptor exists only inside a kernel; on the host use "
                        "triton.tools.tensor_descriptor.TensorDescriptor")


class tensor_descriptor(tensor_descriptor_base):
    """A descriptor that the kernel made or was given."""


class tuple(builtins.tuple, base_value):  # the language's name
    """A tuple of values, also as an argument of a kernel."""

    def __new__(cls, args=(), type=None):
        return super().__new__(cls, args)

    @property
    def values(self):
        return list(self)

    @property
    def type(self):
        return tuple_type([getattr(value, "type", constexpr_type(value)) for value in self])

    @property
    def __terrazzo__(self):
        return None


class slice:  # the language's name
    """A slice of a tuple inside a kernel."""

    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step


class PropagateNan(enum.IntEnum):
    """What min, max and clamp do with a NaN."""

    NONE = 0
    ALL = 0xFFFF

    @property
    def __terrazzo__(self):
        return "tl.PropagateNan." + self.name


# Programs ask the signatures for the hints that there are.
class _Loop:
    def _refuse(self):
        raise RuntimeError(f"tl.{type(self).__name__} drives loops inside a kernel and cannot be used on the host")


class range(_Loop):  # the language's name
    """`for i in tl.range(start, stop, step, num_stages=..., flatten=..., ...)`: a loop with hints."""

    def __init__(self, arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False,
                 flatten=False, warp_specialize=False, disable_licm=False):
        self._refuse()


class static_range(_Loop):
    """`for i in tl.static_range(start, stop, step)`: a loop that is unrolled."""

    def __init__(self, arg1, arg2=None, step=None):
        self._refuse()


class condition(_Loop):
    """`while tl.condition(c, disable_licm=...)`: the condition of a loop with hints."""

    def __init__(self, arg1, disable_licm=False):
        self._refuse()
