"""int4_matmul.py against numbers taken out of the words one at a time."""
from launching import Launcher, check

M, N, K, GROUP = 5, 16, 64, 32
launch = Launcher()


def number(words, word, place):
    return words[word] >> (4 * place) & 15


for type in ("f32", "f16", "bf16"):
    found = launch(
        "int4_matmul.py::int4_matmul_kernel", "cdiv(M,BLOCK_M),cdiv(N,BLOCK_N)",
        {"GROUP": GROUP, "BLOCK_M": 4, "BLOCK_N": 8, "BLOCK_K": 16}, a=f"randn:{type}[{M},{K}]",
        packed=f"randint(-2147483648,2147483648):i32[{K // 8},{N}]", scales=f"uniform:{type}[{K // GROUP},{N}]",
        zeros=f"randint(-2147483648,2147483648):i32[{K // GROUP},{N // 8}]", c=f"zeros:{type}[{M},{N}]",
        M=M, N=N, K=K)
    a, packed, scales, zeros = (found[name] for name in ("a", "packed", "scales", "zeros"))

    def weight(k, n):
        zero = number(zeros, (k // GROUP, n // 8), n % 8)
        return (number(packed, (k // 8, n), k % 8) - zero) * scales[k // GROUP, n]

    check("c", found["c"], lambda m, n: sum(a[m, k] * weight(k, n) for k in range(K)))
