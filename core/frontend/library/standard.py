"""Functions of the language that are written in the language itself.

Result types follow the rules of the specification: sums widen small integers,
extrema of floats below 32 bits are fp32, ties go to the smaller index, and a
NaN never beats a number.
"""
import triton
import triton.language as tl


# ---- arithmetic --------------------------------------------------------------


def _log2(i):
    log2 = 0
    while i > 1:
        i >>= 1
        log2 += 1
    return log2


def _is_power_of_two(i):
    return i != 0 and (i & (i - 1)) == 0


@triton.jit
def cdiv(x, div):
    return (x + div - 1) // div


@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=True)
    powers = tl.exp(shifted)
    total = sum(powers, axis, keep_dims=True)
    return tl.fdiv(powers, total, ieee_rounding)


@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    # Row-major order becomes column-major order inside groups of size_g rows.
    linear = i * size_j + j
    per_group = size_g * size_j
    group = linear // per_group
    first_row = group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    rest = linear % per_group
    new_i = first_row + rest % rows
    new_j = rest // rows
    return new_i, new_j


# ---- making and shaping tiles ---------------------------------------------------


@triton.jit
def zeros(shape, dtype):
    return tl.full(shape, 0, dtype)


@triton.jit
def zeros_like(input):
    return zeros(input.shape, input.dtype)


@triton.jit
def ravel(x, can_reorder=False):
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


@triton.constexpr_function
def _positive(axis, rank):
    return axis + rank if axis < 0 else axis


@triton.constexpr_function
def _one_long(rank, axis, size):
    return [size if i == axis else 1 for i in range(rank)]


@triton.jit
def _index_along(shape: tl.constexpr, axis: tl.constexpr):
    # A tile of the shape that holds each element's index along the axis.
    line: tl.constexpr = _one_long(len(shape), axis, shape[axis])
    index = tl.reshape(tl.arange(0, shape[axis]), line)
    return tl.broadcast_to(index, shape)


@triton.jit
def flip(x, dim=None):
    tl.static_assert(dim is not None or len(x.shape) == 1,
                     "flip of a tile with several dimensions needs dim")
    axis: tl.constexpr = _positive(0 if dim is None else dim, len(x.shape))
    if x.shape[axis] == 1:
        return x
    index = x.shape[axis] - 1 - _index_along(x.shape, axis)
    return tl.gather(x, index, axis)


@triton.constexpr_function
def _interleaved_shape(shape):
    return shape[:-1] + (2 * shape[-1],)


@triton.jit
def interleave(a, b):
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        # Two scalars: the joined pair is the result.
        return pairs
    return tl.reshape(pairs, _interleaved_shape(pairs.shape[:-1]))


# ---- reductions -------------------------------------------------------------------


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def _xor(a, b):
    return a ^ b


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b)


@triton.constexpr_function
def _sum_type(element, wanted):
    if wanted is not None:
        return wanted
    if element.is_int_signed() and element.primitive_bitwidth < 32:
        return tl.int32
    if element.is_int_unsigned() and element.primitive_bitwidth < 32:
        return tl.uint32
    return element


@triton.constexpr_function
def _extremum_type(element):
    if element.primitive_bitwidth >= 32:
        return element
    return tl.float32 if element.is_floating() else tl.int32


@triton.constexpr_function
def _indexed_type(element):
    return tl.float32 if element == tl.bfloat16 else element


@triton.jit
def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    value = input.to(_sum_type(input.dtype, dtype))
    return tl.reduce(value, axis, _add, keep_dims=keep_dims)


@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "xor_sum needs integers")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


@triton.jit
def reduce_or(input, axis, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "reduce_or needs integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


@triton.jit
def _best_and_where(value, index, axis: tl.constexpr, count: tl.constexpr,
                    better: tl.constexpr, keep_dims):
    # The best value, then the first index where it is: two reductions of one
    # instruction a step, where one of pairs takes five. Where all are NaN none
    # equals the best.
    best = tl.reduce(value, axis, better)
    row = best
    if len(value.shape) > 1:
        row = tl.expand_dims(best, axis)
    first = tl.reduce(tl.where(value == row, index, count), axis, _smaller,
                      keep_dims=keep_dims)
    where = tl.where(first == count, 0, first)
    if keep_dims:
        if len(value.shape) > 1:
            return row, where
        return tl.full([1], best, value.dtype), where
    return best, where


@triton.jit
def _with_indices(input, axis, better: tl.constexpr, keep_dims):
    value = input.to(_indexed_type(input.dtype))
    if axis is None:
        flat = ravel(value)
        index = tl.arange(0, input.numel)
        best, where = _best_and_where(flat, index, 0, input.numel, better,
                                      False)
        if keep_dims:
            ones: tl.constexpr = [1 for size in input.shape]
            return (tl.reshape(tl.full([1], best, best.dtype), ones),
                    tl.reshape(tl.full([1], where, tl.int32), ones))
        return best, where
    along: tl.constexpr = _positive(axis, len(input.shape))
    index = _index_along(input.shape, along)
    return _best_and_where(value, index, along, input.shape[along], better,
                           keep_dims)


@triton.jit
def max(input, axis=None, return_indices=False,
        return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        return _with_indices(input, axis, _larger, keep_dims)
    value = input.to(_extremum_type(input.dtype))
    return tl.reduce(value, axis, _larger, keep_dims=keep_dims)


@triton.jit
def min(input, axis=None, return_indices=False,
        return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        return _with_indices(input, axis, _smaller, keep_dims)
    value = input.to(_extremum_type(input.dtype))
    return tl.reduce(value, axis, _smaller, keep_dims=keep_dims)


@triton.jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    best, where = _with_indices(input, axis, _larger, keep_dims)
    return where


@triton.jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    best, where = _with_indices(input, axis, _smaller, keep_dims)
    return where


# Kernels of others pass these to tl.reduce and tl.associative_scan by name.


@triton.jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left):
    is_first = value1 > value2
    if tie_break_left:
        is_first = is_first | ((value1 == value2) & (index1 < index2))
    return (tl.where(is_first, value1, value2),
            tl.where(is_first, index1, index2))


@triton.jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@triton.jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left):
    is_first = value1 < value2
    if tie_break_left:
        is_first = is_first | ((value1 == value2) & (index1 < index2))
    return (tl.where(is_first, value1, value2),
            tl.where(is_first, index1, index2))


@triton.jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@triton.jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


# ---- scans ------------------------------------------------------------------------


@triton.jit
def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    element: tl.constexpr = _sum_type(_indexed_type(input.dtype), dtype)
    return tl.associative_scan(input.to(element), axis, _add, reverse)


@triton.jit
def cumprod(input, axis=0, reverse=False):
    value = input.to(_indexed_type(input.dtype))
    return tl.associative_scan(value, axis, _multiply, reverse)


# ---- sorting ----------------------------------------------------------------------
# A bitonic network over the index: in each step every element looks at the one
# whose index differs in one bit. NaN sorts above +inf.


@triton.constexpr_function
def _log2(n):
    bits = 0
    while n > 1:
        n = n // 2
        bits += 1
    return bits


@triton.jit
def _before(a, b):
    return (a < b) | ((b != b) & (a == a))


@triton.jit
def _exchange(x, index, axis: tl.constexpr, bit: tl.constexpr, upward):
    # upward: whether this element's block is sorted in ascending order.
    other = tl.gather(x, index ^ (1 << bit), axis)
    is_low = ((index >> bit) & 1) == 0
    wants_smaller = is_low == upward
    smaller = tl.where(_before(other, x), other, x)
    larger = tl.where(_before(x, other), other, x)
    return tl.where(wants_smaller, smaller, larger)


@triton.jit
def _merge(x, index, axis: tl.constexpr, bits: tl.constexpr, upward):
    for step in tl.static_range(bits):
        x = _exchange(x, index, axis, bits - 1 - step, upward)
    return x


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None,
                  descending: tl.constexpr = False):
    axis: tl.constexpr = _positive(-1 if dim is None else dim, len(x.shape))
    bits: tl.constexpr = _log2(x.shape[axis])
    index = _index_along(x.shape, axis)
    upward = (index >= 0) if not descending else (index < 0)
    return _merge(x, index, axis, bits, upward)


@triton.jit
def _alternating(index, bits: tl.constexpr, descending: tl.constexpr):
    # Upward or not, for blocks of 2^bits elements; the first is as wanted.
    rising = ((index >> bits) & 1) == 0
    return (rising == (index < 0)) if descending else rising


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _positive(-1 if dim is None else dim, len(x.shape))
    bits: tl.constexpr = _log2(x.shape[axis])
    index = _index_along(x.shape, axis)
    for done in tl.static_range(1, bits + 1):
        x = _merge(x, index, axis, done, _alternating(index, done, descending))
    return x


@triton.jit
def _sorts_last(a, b):
    return tl.where(_before(a, b), b, a)


@triton.jit
def _sorts_first(a, b):
    return tl.where(_before(b, a), b, a)


@triton.constexpr_function
def _resized(shape, axis, sizes):
    return list(shape[:axis]) + sizes + list(shape[axis + 1:])


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None,
         descending: tl.constexpr = True):
    # Blocks of k are sorted, every other one backwards. Of two neighbours the
    # better of each pair of elements are the k best, and a bitonic block again.
    axis: tl.constexpr = _positive(-1 if dim is None else dim, len(x.shape))
    n: tl.constexpr = x.shape[axis]
    bits: tl.constexpr = _log2(k)
    tl.static_assert(k <= n, "topk: k is larger than the dimension")
    tl.static_assert(k == 1 << bits, "topk: k is no power of two")
    index = _index_along(x.shape, axis)
    for done in tl.static_range(1, bits + 1):
        x = _merge(x, index, axis, done, _alternating(index, done, descending))
    for halved in tl.static_range(_log2(n) - bits):
        left: tl.constexpr = n >> (halved + 1)
        halves: tl.constexpr = [left >> bits, 2, 1 << bits]
        pairs = tl.reshape(x, _resized(x.shape, axis, halves))
        best = tl.reduce(pairs, axis + 1, _sorts_last if descending else _sorts_first)
        x = tl.reshape(best, _resized(x.shape, axis, [left]))
        index = _index_along(x.shape, axis)
        x = _merge(x, index, axis, bits, _alternating(index, bits, descending))
    return x


@triton.jit
def sort_impl(x, k: tl.constexpr = None, dim: tl.constexpr = None,
              descending: tl.constexpr = False):
    # All of it sorted, or the k that come first.
    if k is None:
        return sort(x, dim, descending)
    return topk(x, k, dim, descending)
