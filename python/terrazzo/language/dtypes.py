"""The types of the language as objects of the host.

They can be compared, hashed, printed and passed to kernels; each one knows how
it is written in a kernel (`__terrazzo__`).
"""

import enum
import re

from .. import _native

# name, name in tl, kind, bits, bits of the mantissa, bias of the exponent. An integer is called as in tl, a float as in
# signatures.
_SCALARS = (("void", "void", "void", 0, None, None), *(
    (signature, language, kind, bits, mantissa, bias) if kind == "float" else (language, language, kind, bits, None, None)
    for signature, language, kind, bits, mantissa, bias in _native.ELEMENT_TYPES))
_FACTS = {row[0]: row for row in _SCALARS}


class base_type:
    """What every type of the language is."""

    @property
    def scalar(self):
        return self

    def __eq__(self, other):
        return type(self) is type(other) and self._key() == other._key()

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self).__name__, self._key()))


class dtype(base_type):
    """A number type: `tl.float16` is `dtype("fp16")`."""

    SINT_TYPES = [row[0] for row in _SCALARS if row[2] == "signed"]
    UINT_TYPES = [row[0] for row in _SCALARS if row[2] in ("bool", "unsigned")]
    FP_TYPES = [row[0] for row in _SCALARS if row[2] == "float"]
    STANDARD_FP_TYPES = [row[0] for row in _SCALARS if row[2] == "float" and row[3] > 8]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(enum.Enum):
        """Of an integer type."""

        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        """What kind() gives."""

        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = getattr(name, "value", name)
        if name not in _FACTS:
            raise ValueError(f"no dtype is called {name!r}; there are {', '.join(_FACTS)}")
        self.name = name
        _, self._language_name, kind, bits, mantissa, bias = _FACTS[name]
        self.primitive_bitwidth = bits
        self.itemsize = bits // 8
        if kind in ("bool", "signed", "unsigned"):
            self.int_bitwidth = bits
            self.int_signedness = self.SIGNEDNESS.SIGNED if kind == "signed" else self.SIGNEDNESS.UNSIGNED
        elif kind == "float":
            self.fp_mantissa_width = mantissa
            self.exponent_bias = bias

    def _key(self):
        return self.name

    # Questions. is_fp16() ... is_uint64() are added below.

    def is_fp8(self):
        return "fp8" in self.name

    def is_floating(self):
        return self.name in self.FP_TYPES

    def is_standard_floating(self):
        return self.name in self.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in self.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.is_int1()

    def is_void(self):
        return self.name == "void"

    def kind(self):
        if self.is_bool():
            return self.KIND.BOOLEAN
        if self.is_int():
            return self.KIND.INTEGRAL
        return self.KIND.FLOATING

    def get_int_max_value(self):
        if self.is_int_signed():
            return 2 ** (self.int_bitwidth - 1) - 1
        return 2**self.int_bitwidth - 1

    def get_int_min_value(self):
        return -(2 ** (self.int_bitwidth - 1)) if self.is_int_signed() else 0

    @staticmethod
    def is_dtype(type_str):
        return type_str in _FACTS

    @staticmethod
    def is_block():
        return False

    @staticmethod
    def is_ptr():
        return False

    @staticmethod
    def is_const():
        return False

    def with_element_ty(self, element_ty):
        return element_ty

    @property
    def cache_key_part(self):
        return self.name

    def mangle(self):
        if self.is_int():
            return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth)
        return "V" if self.is_void() else self.name

    def codegen_name(self):
        return self.name.replace("fp", "float") if self.name.startswith("fp") else \
            "bfloat16" if self.name == "bf16" else self.name

    @property
    def __terrazzo__(self):
        return "tl." + self._language_name

    def __str__(self):
        return self.name

    def __repr__(self):
        return "triton.language." + self._language_name

    def __reduce__(self):
        return dtype, (self.name,)


def _question(name):
    def ask(self):
        return self.name == name

    ask.__name__ = "is_" + name
    return ask


for _row in _SCALARS[1:]:
    setattr(dtype, "is_" + _row[0], _question(_row[0]))


class pointer_type(dtype):
    """A pointer to elements of a type."""

    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = getattr(element_ty, "value", element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"element_ty must be a dtype such as tl.float32, not {element_ty!r}")
        self.element_ty = element_ty
        self.address_space = getattr(address_space, "value", address_space)
        self.const = bool(getattr(const, "value", const))
        self.name = ("const_pointer" if self.const else "pointer") + f"<{element_ty}>"
        self.primitive_bitwidth = 64

    def _key(self):
        return self.element_ty, self.address_space, self.const

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def with_element_ty(self, element_ty):
        return pointer_type(element_ty, self.address_space, self.const)

    def mangle(self):
        return "P" + self.element_ty.mangle()

    @property
    def __terrazzo__(self):
        element = self.element_ty.__terrazzo__
        return f"tl.pointer_type({element}, {self.address_space}, {self.const})"

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return pointer_type, (self.element_ty, self.address_space, self.const)


class block_type(dtype):
    """A tile: a shape of elements of one type."""

    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = tuple(int(getattr(size, "value", size)) for size in shape)
        if not self.shape:
            raise TypeError("a block_type has at least one dimension; a scalar is its element type")
        self.numel = 1
        for size in self.shape:
            self.numel *= size
        self.name = f"<{list(self.shape)}, {element_ty}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth

    def _key(self):
        return self.element_ty, self.shape

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * self.primitive_bitwidth // 8

    def get_block_shapes(self):
        return self.shape

    def is_block(self):
        return True

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    def mangle(self):
        return self.element_ty.mangle() + "S" + "_".join(str(size) for size in self.shape) + "S"

    @property
    def __terrazzo__(self):
        return f"tl.block_type({self.element_ty.__terrazzo__}, {list(self.shape)})"

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return block_type, (self.element_ty, self.shape)


class tuple_type(base_type):
    """The type of a tuple; with fields, of a named one."""

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = list(fields) if fields else None
        self.name = "[" + ",".join(str(t) for t in self.types) + "]"

    def _key(self):
        return tuple(self.types), tuple(self.fields or ())

    def __str__(self):
        return self.name

    __repr__ = __str__

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __len__(self):
        return len(self.types)


class constexpr_type(base_type):
    """The type of a value that the compiler knows."""

    def __init__(self, value):
        self.value = value

    def _key(self):
        return self.value

    def __repr__(self):
        return f"constexpr_type[{self.value}]"


class tensor_descriptor_type(base_type):
    """The type of a tensor descriptor: the block that it reads and writes."""

    def __init__(self, block_type, shape_type=None, strides_type=None):
        self.block_type = block_type
        self.shape_type = shape_type
        self.strides_type = strides_type

    def _key(self):
        return self.block_type

    def __str__(self):
        return f"tensor_descriptor<{self.block_type}>"

    __repr__ = __str__


NAMES = {row[1]: dtype(row[0]) for row in _SCALARS}
NAMES["pi32_t"] = pointer_type(NAMES["int32"])

# Every spelling of a scalar type that arguments, annotations and signatures use,
# to the one of signatures.
SIGNATURE_NAMES = {"void": "void", **dict(_native.ELEMENT_ALIASES)}
for _signature, _language, *_ in _native.ELEMENT_TYPES:
    SIGNATURE_NAMES[_language] = SIGNATURE_NAMES[_signature] = _signature
_BY_SIGNATURE = {SIGNATURE_NAMES[row[1]]: NAMES[row[1]] for row in _SCALARS}


def str_to_ty(name, c=None):
    """The type that a signature writes as `name`: "*fp16", "i32", "tensordesc<fp16[64, 64]>"."""
    if name == "constexpr":
        return constexpr_type(c)
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(str_to_ty(name[2 if const else 1:], c), const=const)
    descriptor = re.fullmatch(r"tensordesc<(\w+)\[([^\]]*)\].*>", name)
    if descriptor:
        sizes = [int(size) for size in descriptor[2].split(",")]
        return tensor_descriptor_type(block_type(str_to_ty(descriptor[1], c), sizes))
    if name not in SIGNATURE_NAMES:
        raise ValueError(f"no type is written {name!r}")
    return _BY_SIGNATURE[SIGNATURE_NAMES[name]]


def get_int_dtype(bitwidth, signed):
    """The integer type of so many bits."""
    return NAMES["int1" if bitwidth == 1 else f"{'' if signed else 'u'}int{bitwidth}"]
