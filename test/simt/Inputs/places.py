import triton
import triton.language as tl


@triton.jit
def of_view(x, y, n, BLOCK: tl.constexpr):
    at = tl.make_tensor_descriptor(x, shape=[n], strides=[1], block_shape=[BLOCK])
    to = tl.make_tensor_descriptor(y, shape=[n], strides=[1], block_shape=[BLOCK])
    start = tl.program_id(0) * BLOCK
    to.store([start], at.load([start]) * 2)


@triton.jit
def of_pointers(x, y, order, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + tl.load(order + i)))
