"""The types of the language as objects of the host.

They can be compared, hashed, printed and passed to kernels; each one knows how
it is written in a kernel (`__terrazzo__`).
"""

import enum
import re

# name, name in tl, kind, bits, bits of the mantissa, bias of the exponent
_SCALARS = (
    ("void", "void", "void", 0, None, None),
    ("int1", "int1", "bool", 1, None, None),
    ("int8", "int8", "signed", 8, None, None),
    ("int16", "int16", "signed", 16, None, None),
    ("int32", "int32", "signed", 32, None, None),
    ("int64", "int64", "signed", 64, None, None),
    ("uint8", "uint8", "unsigned", 8, None, None),
    ("uint16", "uint16", "unsigned", 16, None, None),
    ("uint32", "uint32", "unsigned", 32, None, None),
    ("uint64", "uint64", "unsigned", 64, None, None),
    ("fp8e4b15", "float8e4b15", "float", 8, 3, 15),
    ("fp8e4nv", "float8e4nv", "float", 8, 3, 7),
    ("fp8e4b8", "float8e4b8", "float", 8, 3, 8),
    ("fp8e5", "float8e5", "float", 8, 2, 15),
    ("fp8e5b16", "float8e5b16", "float", 8, 2, 16),
    ("fp16", "float16", "float", 16, 10, 15),
    ("bf16", "bfloat16", "float", 16, 7, 127),
    ("fp32", "float32", "float", 32, 23, 127),
    ("fp64", "float64", "float", 64, 52, 1023),
)
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

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = [row[0] for row in _SCALARS if row[2] == "float"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
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
SIGNATURE_NAMES = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1", "half": "fp16", "float": "fp32", "double": "fp64", "int": "i32",
    "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5", "float8_e4m3fnuz": "fp8e4b8", "float8_e5m2fnuz": "fp8e5b16",
}
for _row in _SCALARS:
    _signature = re.sub("^(u?)int", lambda m: m[1] or "i", "u1" if _row[0] == "int1" else _row[0])
    SIGNATURE_NAMES.setdefault(_row[1], _signature)
    SIGNATURE_NAMES.setdefault(_signature, _signature)
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
