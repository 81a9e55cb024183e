import triton
import triton.language as tl


@triton.jit
def int8_product(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    inner = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for k in range(0, K, BLOCK_K):
        left = tl.load(a + rows * K + k + inner[None, :], mask=(rows < M) & (k + inner[None, :] < K), other=0)
        right = tl.load(b + (k + inner[:, None]) * N + cols, mask=(k + inner[:, None] < K) & (cols < N), other=0)
        acc = tl.dot(left, right, acc)
    tl.store(c + rows * N + cols, acc, mask=(rows < M) & (cols < N))
