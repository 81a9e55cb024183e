"""Philox 4x32 (and 4x64): counters in, random bits out.

Integers and uniforms are the same bits on every target; the normal ones go
through log, sin and cos and are equal within their tolerance.
"""
import triton
import triton.language as tl

N_ROUNDS_DEFAULT: tl.constexpr = 10


@triton.constexpr_function
def _philox_constants(bits):
    # Multipliers of the two lanes, then the two Weyl increments of the key.
    if bits == 32:
        return (0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85)
    return (0xD2E7470EE14C6C93, 0xCA5A826395121157,
            0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1,
                n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    word: tl.constexpr = c0.dtype
    values: tl.constexpr = _philox_constants(word.primitive_bitwidth)
    multiply_a = tl.full([], values[0], word)
    multiply_b = tl.full([], values[1], word)
    step_a = tl.full([], values[2], word)
    step_b = tl.full([], values[3], word)
    for _ in tl.static_range(n_rounds):
        low_a = multiply_a * c0
        low_b = multiply_b * c2
        high_a = tl.umulhi(multiply_a, c0)
        high_b = tl.umulhi(multiply_b, c2)
        c0 = high_b ^ c1 ^ k0
        c1 = low_b
        c2 = high_a ^ c3 ^ k1
        c3 = low_a
        k0 = k0 + step_a
        k1 = k1 + step_b
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    key = tl.to_tensor(seed)
    first = tl.to_tensor(c0)
    tl.static_assert(key.dtype.is_int(), "the seed must be an integer")
    key = key.to(tl.uint64)
    if first.dtype.primitive_bitwidth == 64:
        return philox_impl(first.to(tl.uint64, bitcast=True),
                           tl.to_tensor(c1).to(tl.uint64),
                           tl.to_tensor(c2).to(tl.uint64),
                           tl.to_tensor(c3).to(tl.uint64),
                           key, key * 0, n_rounds)
    low = (key & 0xFFFFFFFF).to(tl.uint32)
    high = (key >> 32).to(tl.uint32)
    return philox_impl(first.to(tl.uint32), tl.to_tensor(c1).to(tl.uint32),
                       tl.to_tensor(c2).to(tl.uint32),
                       tl.to_tensor(c3).to(tl.uint32), low, high, n_rounds)


@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    counter = tl.to_tensor(offset)
    low = counter.to(tl.uint32)
    zero = low * 0
    if counter.dtype.primitive_bitwidth > 32:
        high = (counter >> 32).to(tl.uint32)
        return philox(seed, low, high, zero, zero, n_rounds)
    return philox(seed, low, zero, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return a


@triton.jit
def uint_to_uniform_float(x):
    # The absolute value of the signed reading, scaled to [0, 1).
    if x.dtype.primitive_bitwidth == 64:
        wide = x.to(tl.int64, bitcast=True)
        return tl.where(wide < 0, -wide - 1, wide) * 1.0842020432385337e-19
    signed = x.to(tl.int32, bitcast=True)
    return tl.where(signed < 0, -signed - 1, signed) * 4.6566127342e-10


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offsets, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    a, b, c, d = randint4x(seed, offsets, n_rounds)
    return (uint_to_uniform_float(a), uint_to_uniform_float(b),
            uint_to_uniform_float(c), uint_to_uniform_float(d))


@triton.jit
def pair_uniform_to_normal(u1, u2):
    # Box and Muller; the floor keeps the logarithm finite.
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    x, y = pair_uniform_to_normal(uint_to_uniform_float(a),
                                  uint_to_uniform_float(b))
    return x


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = N_ROUNDS_DEFAULT):
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    x, y = pair_uniform_to_normal(u1, u2)
    z, w = pair_uniform_to_normal(u3, u4)
    return x, y, z, w
