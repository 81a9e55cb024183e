"""2-D convolution as a matrix product whose left side is gathered on the way ("implicit GEMM").

    y[n, p, q, k] = sum over r, s, c of x[n, p·stride + r - pad, q·stride + s - pad, c] · w[r, s, c, k]

with zeros outside x (Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning",
2014, section 3). Channels are innermost: x is [N, H, W, C], w is [R, S, C, K], y is
[N, P, Q, K] with P = (H + 2·pad - R) // stride + 1 and Q likewise. A program takes
BLOCK_M of the N·P·Q output points and BLOCK_N of the K channels.

    tz run conv2d.py::conv2d_kernel --grid "cdiv(2*P*Q,BLOCK_M),cdiv(K,BLOCK_N)" \
        --arg x=randn:f16[2,H,W,C] --arg w=randn:f16[3,3,C,K] --arg bias=randn:f16[K] \
        --arg y=zeros:f16[2,P,Q,K] --arg N=i32:2 --arg H=i32:11 --arg W=i32:13 --arg C=i32:19 --arg K=i32:37 \
        --arg P=i32:6 --arg Q=i32:7 --constexpr R=3 --constexpr S=3 --constexpr STRIDE=2 --constexpr PAD=1 \
        --constexpr BLOCK_M=32 --constexpr BLOCK_N=32 --constexpr BLOCK_K=16
"""

import triton
import triton.language as tl


@triton.jit
def conv2d_kernel(
    x, w, bias, y, N, H, W, C, K, P, Q,
    R: tl.constexpr,
    S: tl.constexpr,
    STRIDE: tl.constexpr,
    PAD: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    points = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    channels = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    image = points // (P * Q)
    p = (points // Q) % P
    q = points % Q
    point_ok = points < N * P * Q
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for r in range(R):
        for s in range(S):
            row = p * STRIDE + r - PAD
            col = q * STRIDE + s - PAD
            in_image = point_ok & (row >= 0) & (row < H) & (col >= 0) & (col < W)
            x_rows = x + ((image * H + row) * W + col) * C
            w_rows = w + (r * S + s) * C * K
            for start in range(0, C, BLOCK_K):
                at = start + inner
                x_tile = tl.load(x_rows[:, None] + at[None, :], mask=in_image[:, None] & (at[None, :] < C), other=0.0)
                w_tile = tl.load(
                    w_rows + at[:, None] * K + channels[None, :],
                    mask=(at[:, None] < C) & (channels[None, :] < K), other=0.0,
                )
                acc = tl.dot(x_tile, w_tile, acc)
    if bias is not None:
        acc += tl.load(bias + channels, mask=channels < K, other=0.0).to(tl.float32)[None, :]
    inside = point_ok[:, None] & (channels[None, :] < K)
    tl.store(y + points[:, None] * K + channels[None, :], acc.to(y.dtype.element_ty), mask=inside)


def conv2d(x, w, bias=None, stride=1, pad=0):
    import torch

    (n, h, width, c), (r, s, _, k) = x.shape, w.shape
    p, q = (h + 2 * pad - r) // stride + 1, (width + 2 * pad - s) // stride + 1
    y = torch.empty(n, p, q, k, device=x.device, dtype=x.dtype)
    conv2d_kernel[(triton.cdiv(n * p * q, 64), triton.cdiv(k, 64))](
        x, w, bias, y, n, h, width, c, k, p, q, R=r, S=s, STRIDE=stride, PAD=pad, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32
    )
    return y


if __name__ == "__main__":
    import torch

    images = torch.randn(3, 29, 31, 67, device="cuda", dtype=torch.float16)
    filters = torch.randn(3, 3, 67, 130, device="cuda", dtype=torch.float16)
    offset = torch.randn(130, device="cuda", dtype=torch.float16)
    for stride, pad in ((1, 0), (2, 1)):
        expected = torch.nn.functional.conv2d(
            images.permute(0, 3, 1, 2).float(), filters.permute(3, 2, 0, 1).float(), offset.float(), stride, pad
        ).permute(0, 2, 3, 1)
        error = (conv2d(images, filters, offset, stride, pad) - expected).abs().max().item()
        print("stride", stride, "pad", pad, "max error", error, "of", expected.abs().max().item())
