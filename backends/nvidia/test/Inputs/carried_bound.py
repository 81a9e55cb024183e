import triton
import triton.language as tl


@triton.jit
def gathered(x, rows, out, K, stride, MULTIPLE: tl.constexpr, B: tl.constexpr):
    k = tl.arange(0, B)
    n = tl.load(rows + tl.arange(0, 32))
    p = x + k[:, None] + n[None, :] * stride
    total = tl.zeros((B, 32), tl.float32)
    left = tl.multiple_of(K, MULTIPLE)
    for _ in range(tl.cdiv(K, B)):
        total += tl.load(p, mask=k[:, None] < left, other=0.0).to(tl.float32)
        left -= B
        p += B
    tl.store(out + k[:, None] + tl.arange(0, 32)[None, :] * B, total)
