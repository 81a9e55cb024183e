"""What is limited before it becomes an 8-bit float."""
import triton
import triton.language as tl


@triton.jit
def quantised(x, out, LOW: tl.constexpr, HIGH: tl.constexpr, NAN: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at)
    tl.store(out + at, tl.clamp(v, LOW, HIGH, propagate_nan=tl.PropagateNan.ALL if NAN else tl.PropagateNan.NONE).to(tl.float8e4nv))
