"""A product of fp32 matrices, by the precision of its dots."""

import triton
import triton.language as tl


@triton.jit
def fp32_matmul_kernel(a, b, c, m, n, k, stride_a, stride_b, stride_c, PRECISION: tl.constexpr,
                       BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for at in range(0, k, BLOCK_K):
        across = at + tl.arange(0, BLOCK_K)[None, :]
        down = at + tl.arange(0, BLOCK_K)[:, None]
        left = tl.load(a + rows * stride_a + across, mask=(rows < m) & (across < k), other=0.0)
        right = tl.load(b + down * stride_b + columns, mask=(down < k) & (columns < n), other=0.0)
        sums = tl.dot(left, right, sums, input_precision=PRECISION)
    tl.store(c + rows * stride_c + columns, sums, mask=(rows < m) & (columns < n))
