"""conv2d.py against the seven nested loops of the definition."""
from launching import Launcher, check

N, H, W, C, K, R, S = 2, 5, 7, 5, 6, 3, 2
launch = Launcher()
for type, stride, pad, bias in (("f32", 1, 0, True), ("f16", 2, 1, True), ("bf16", 1, 2, False)):
    P, Q = (H + 2 * pad - R) // stride + 1, (W + 2 * pad - S) // stride + 1
    found = launch(
        "conv2d.py::conv2d_kernel", f"cdiv({N * P * Q},BLOCK_M),cdiv(K,BLOCK_N)",
        {"R": R, "S": S, "STRIDE": stride, "PAD": pad, "BLOCK_M": 16, "BLOCK_N": 4, "BLOCK_K": 4},
        x=f"randn:{type}[{N},{H},{W},{C}]", w=f"randn:{type}[{R},{S},{C},{K}]",
        bias=f"randn:{type}[{K}]" if bias else "None", y=f"zeros:{type}[{N},{P},{Q},{K}]",
        N=N, H=H, W=W, C=C, K=K, P=P, Q=Q)
    x, w = found["x"], found["w"]

    def point(n, p, q, k):
        total = found["bias"][k] if bias else 0.0
        for r in range(R):
            for s in range(S):
                row, col = p * stride + r - pad, q * stride + s - pad
                if 0 <= row < H and 0 <= col < W:
                    total += sum(x[n, row, col, c] * w[r, s, c, k] for c in range(C))
        return total

    check("y", found["y"], point)
