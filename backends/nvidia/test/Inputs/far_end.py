import triton
import triton.language as tl


@triton.jit
def copy_up_to(x, y, start, end, BLOCK: tl.constexpr):
    """From any index that 31 bits hold, up to an end."""
    first = (start & 0x7FFFFFFF).to(tl.int64)
    at = first + tl.arange(0, BLOCK)
    tl.store(y + tl.arange(0, BLOCK), tl.load(x + at, mask=at < end, other=0.0))
