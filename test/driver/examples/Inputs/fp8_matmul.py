"""fp8_matmul.py's three ways to scale, against sums of exact products."""
from launching import Launcher, check

M, N, K, GROUP = 5, 22, 64, 16
launch = Launcher()
shape = {"M": M, "N": N, "K": K}
operands = {"a": f"randn:f8e4m3fn[{M},{K}]", "b": f"randn:f8e4m3fn[{N},{K}]", "c": f"zeros:f32[{M},{N}]"}

found = launch(
    "fp8_matmul.py::fp8_matmul_kernel", "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)", {"BLOCK_M": 4, "BLOCK_N": 4, "BLOCK_K": 32},
    a_scale="full(0.75):f32[1]", b_scale="full(3.0):f32[1]", **operands, **shape)
a, b = found["a"], found["b"]
check("c", found["c"], lambda m, n: 2.25 * sum(a[m, k] * b[n, k] for k in range(K)))

groups = K // GROUP
found = launch(
    "fp8_matmul.py::fp8_block_matmul_kernel", "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)",
    {"GROUP": GROUP, "BLOCK_M": 4, "BLOCK_N": 8}, a_scale=f"uniform:f32[{M},{groups}]",
    b_scale=f"uniform:f32[{-(-N // GROUP)},{groups}]", **operands, **shape)
a, b, rows, blocks = (found[name] for name in ("a", "b", "a_scale", "b_scale"))
check("c", found["c"], lambda m, n: sum(
    a[m, k] * rows[m, k // GROUP] * b[n, k] * blocks[n // GROUP, k // GROUP] for k in range(K)))

found = launch(
    "fp8_matmul.py::mx_matmul_kernel", "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)", {"BLOCK_M": 4, "BLOCK_N": 4, "BLOCK_K": 32},
    a_scale=f"randint(120,134):u8[{M},{K // 32}]", b_scale=f"randint(120,134):u8[{N},{K // 32}]", **operands, **shape)
a, b, rows, cols = (found[name] for name in ("a", "b", "a_scale", "b_scale"))
check("c", found["c"], lambda m, n: sum(
    a[m, k] * 2.0 ** (rows[m, k // 32] - 127) * b[n, k] * 2.0 ** (cols[n, k // 32] - 127) for k in range(K)))
