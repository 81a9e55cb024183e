import triton
import triton.language as tl


@triton.jit
def k(x, out, BLOCK: tl.constexpr):
    """Reverses the bits of bytes, which LLVM sees."""
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at).to(tl.uint8)
    v = ((v >> 1) & 0x55) | ((v & 0x55) << 1)
    v = ((v >> 2) & 0x33) | ((v & 0x33) << 2)
    v = (v >> 4) | (v << 4)
    tl.store(out + at, v.to(tl.int8, bitcast=True))
