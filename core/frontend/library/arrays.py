"""Element types of torch and numpy and their limits.

Kernel files compute constants from them at module level (`torch.finfo(torch.float16).max`). Nothing else of those
packages has a value at compile time.
"""
from typing import NamedTuple


class dtype(NamedTuple):
    name: str
    itemsize: int
    is_floating_point: bool
    is_signed: bool


bool_ = dtype("bool", 1, False, False)
int8 = dtype("int8", 1, False, True)
int16 = dtype("int16", 2, False, True)
int32 = dtype("int32", 4, False, True)
int64 = dtype("int64", 8, False, True)
uint8 = dtype("uint8", 1, False, False)
uint16 = dtype("uint16", 2, False, False)
uint32 = dtype("uint32", 4, False, False)
uint64 = dtype("uint64", 8, False, False)
float16 = dtype("float16", 2, True, True)
bfloat16 = dtype("bfloat16", 2, True, True)
float32 = dtype("float32", 4, True, True)
float64 = dtype("float64", 8, True, True)
float8_e4m3fn = dtype("float8_e4m3fn", 1, True, True)
float8_e5m2 = dtype("float8_e5m2", 1, True, True)
float8_e4m3fnuz = dtype("float8_e4m3fnuz", 1, True, True)
float8_e5m2fnuz = dtype("float8_e5m2fnuz", 1, True, True)


class iinfo_result(NamedTuple):
    bits: int
    min: int
    max: int
    dtype: str


class finfo_result(NamedTuple):
    bits: int
    min: float
    max: float
    eps: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str


# Largest value, gap above 1, least normal value, resolution.
_floats = {
    "float16": (65504.0, 2.0**-10, 2.0**-14, 1e-3),
    "bfloat16": (2.0**127 * (2 - 2.0**-7), 2.0**-7, 2.0**-126, 1e-2),
    "float32": (2.0**127 * (2 - 2.0**-23), 2.0**-23, 2.0**-126, 1e-6),
    "float64": (2.0**1023 * (2 - 2.0**-52), 2.0**-52, 2.0**-1022, 1e-15),
    "float8_e4m3fn": (448.0, 2.0**-3, 2.0**-6, 1.0),
    "float8_e5m2": (57344.0, 2.0**-2, 2.0**-14, 1.0),
    "float8_e4m3fnuz": (240.0, 2.0**-3, 2.0**-7, 1.0),
    "float8_e5m2fnuz": (57344.0, 2.0**-2, 2.0**-15, 1.0),
}


def iinfo(type):
    if type.is_floating_point or type.name == "bool":
        raise TypeError("iinfo is of integer types")
    bits = 8 * type.itemsize
    if type.is_signed:
        return iinfo_result(bits, -(1 << (bits - 1)), (1 << (bits - 1)) - 1, type.name)
    return iinfo_result(bits, 0, (1 << bits) - 1, type.name)


def finfo(type=float32):
    if not type.is_floating_point:
        raise TypeError("finfo is of float types")
    top, gap, least, resolution = _floats[type.name]
    return finfo_result(8 * type.itemsize, -top, top, gap, least, least, resolution, type.name)
