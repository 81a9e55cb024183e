import triton
import triton.language as tl


@triton.jit
def copy(x, y, start, BLOCK: tl.constexpr):
    """From any index that 31 bits hold, over the last of them: no mask says where the array ends."""
    first = (start & 0x7FFFFFFF).to(tl.int64)
    at = first + tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, BLOCK), tl.load(x + at))


@triton.jit
def copy_up_to(x, y, start, end, BLOCK: tl.constexpr):
    """The same with an end."""
    first = (start & 0x7FFFFFFF).to(tl.int64)
    at = first + tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, BLOCK), tl.load(x + at, mask=at < end, other=0.0))
