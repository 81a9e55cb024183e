"""Functions of integers, and of the bits of floats."""
import triton
import triton.language as tl


@triton.jit
def _bits(x, bits: tl.constexpr):
    value = tl.to_tensor(x)
    tl.static_assert(value.dtype.primitive_bitwidth == bits,
                     f"function of libdevice needs operands of {bits} bits")
    return value


@triton.jit
def mulhi(x, y):
    a = tl.to_tensor(x)
    b = tl.to_tensor(y).to(a.dtype)
    high = tl.umulhi(a, b)
    if a.dtype.is_int_signed():
        high = high - tl.where(a < 0, b, 0) - tl.where(b < 0, a, 0)
    return high.to(a.dtype)


@triton.jit
def _low24(x):
    if x.dtype.is_int_signed():
        return (x << 8) >> 8
    return x & 0xFFFFFF


@triton.jit
def mul24(x, y):
    a = _bits(x, 32)
    return _low24(a) * _low24(_bits(y, 32).to(a.dtype))


@triton.jit
def sad(x, y, z):
    a = _bits(x, 32)
    b = _bits(y, 32).to(a.dtype)
    difference = tl.where(a > b, a - b, b - a).to(tl.uint32)
    return (difference + _bits(z, 32).to(tl.uint32)).to(tl.uint32)


@triton.jit
def hadd(x, y):
    a = _bits(x, 32)
    b = _bits(y, 32).to(a.dtype)
    return (a & b) + ((a ^ b) >> 1)


@triton.jit
def rhadd(x, y):
    a = _bits(x, 32)
    b = _bits(y, 32).to(a.dtype)
    return (a | b) - ((a ^ b) >> 1)


@triton.constexpr_function
def _swap_masks(bits):
    # For each distance: the positions that move up by it.
    full = (1 << bits) - 1
    masks = []
    distance = bits // 2
    while distance:
        masks += [(distance, full // ((1 << distance) + 1))]
        distance = distance // 2
    return masks


@triton.jit
def brev(x):
    value = tl.to_tensor(x)
    wide: tl.constexpr = value.dtype.primitive_bitwidth == 64
    v = value.to(tl.uint64 if wide else tl.uint32)
    steps: tl.constexpr = _swap_masks(64 if wide else 32)
    for k in tl.static_range(len(steps)):
        mask = tl.full([], steps[k][1], v.dtype)
        v = ((v & mask) << steps[k][0]) | ((v >> steps[k][0]) & mask)
    return v.to(value.dtype)


@triton.jit
def byte_perm(x, y, s):
    # Each nibble of s picks one of the eight bytes of y:x.
    both = _bits(x, 32).to(tl.uint32).to(tl.uint64)
    both = both | (_bits(y, 32).to(tl.uint32).to(tl.uint64) << 32)
    pick = _bits(s, 32).to(tl.uint32).to(tl.uint64)
    result = both & 0
    for k in tl.static_range(4):
        byte = (both >> (((pick >> (4 * k)) & 7) * 8)) & 0xFF
        result = result | (byte << (8 * k))
    return result.to(tl.uint32).to(tl.to_tensor(x).dtype)


# ---- bits of floats ------------------------------------------------------------


@triton.jit
def int_as_float(x):
    return _bits(x, 32).to(tl.float32, bitcast=True)


@triton.jit
def float_as_int(x):
    return _bits(x, 32).to(tl.int32, bitcast=True)


@triton.jit
def float_as_uint(x):
    return _bits(x, 32).to(tl.uint32, bitcast=True)


@triton.jit
def longlong_as_double(x):
    return _bits(x, 64).to(tl.float64, bitcast=True)


@triton.jit
def double_as_longlong(x):
    return _bits(x, 64).to(tl.int64, bitcast=True)


@triton.jit
def hiloint2double(high, low):
    top = _bits(high, 32).to(tl.uint32).to(tl.uint64) << 32
    bottom = _bits(low, 32).to(tl.uint32).to(tl.uint64)
    return (top | bottom).to(tl.float64, bitcast=True)


@triton.jit
def double2loint(x):
    return double_as_longlong(x).to(tl.int32)


@triton.jit
def double2hiint(x):
    return (double_as_longlong(x) >> 32).to(tl.int32)


@triton.jit
def rcp64h(x):
    # The upper word of the reciprocal; the lower one is zero.
    value = tl.to_tensor(x)
    high = double_as_longlong(tl.div_rn(tl.full(value.shape, 1.0, tl.float64),
                                        value)) & -4294967296
    return high.to(tl.float64, bitcast=True)


# ---- exponents ------------------------------------------------------------------


@triton.jit
def ldexp(x, n):
    # x * 2**n in three steps, so that no factor leaves fp64's range. Only a
    # subnormal fp64 may be rounded twice.
    value = tl.to_tensor(x)
    left = tl.clamp(tl.to_tensor(n).to(tl.float64), -2200.0, 2200.0)
    left = left.to(tl.int64)
    wide = value.to(tl.float64)
    for _ in tl.static_range(3):
        part = tl.minimum(tl.maximum(left, -1000), 1000)
        wide = wide * ((part + 1023) << 52).to(tl.float64, bitcast=True)
        left = left - part
    return wide.to(value.dtype)


@triton.jit
def _exponent(x):
    # Of fp64's bits; subnormals are scaled first.
    wide = tl.to_tensor(x).to(tl.float64)
    small = tl.abs(wide) < 2.2250738585072014e-308
    scaled = tl.where(small, wide * 18014398509481984.0, wide)
    bits = scaled.to(tl.int64, bitcast=True)
    return ((bits >> 52) & 0x7FF) - 1023 - tl.where(small, 54, 0)


@triton.jit
def ilogb(x):
    # Zero and NaN give the smallest int32, infinity the largest.
    value = tl.to_tensor(x)
    r = _exponent(value).to(tl.int32)
    r = tl.where((value == 0.0) | (value != value), -2147483647 - 1, r)
    return tl.where(tl.abs(value) == float("inf"), 2147483647, r)


@triton.jit
def logb(x):
    value = tl.to_tensor(x)
    r = _exponent(value).to(value.dtype)
    r = tl.where(value == 0.0, float("-inf"), r)
    r = tl.where(tl.abs(value) == float("inf"), float("inf"), r)
    return tl.where(value != value, value, r).to(value.dtype)


@triton.jit
def remainder(x, y):
    # x - n y with n the integer nearest to x / y, even in a tie.
    x = tl.to_tensor(x)
    size = tl.abs(tl.to_tensor(y).to(x.dtype))
    most: tl.constexpr = 8e307 if x.dtype == tl.float64 else 1e38
    rest = tl.abs(x) % tl.where(size < most, size + size, size)
    above = rest + rest > size
    rest = tl.where(above, rest - size, rest)
    rest = tl.where(above & (rest + rest >= size), rest - size, rest)
    sign = x.to(tl.int64 if x.dtype == tl.float64 else tl.int32, bitcast=True)
    return tl.where(sign < 0, -rest, rest)
