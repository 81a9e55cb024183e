"""stream_k_matmul.py: all, some and none of the tiles shared among the programs."""
from launching import Launcher, check

M, N, K = 11, 9, 37
launch = Launcher()
blocks = {"BLOCK_M": 4, "BLOCK_N": 8, "BLOCK_K": 8, "GROUP_M": 2}
for type in ("f32", "f16"):
    for streamed in (6, 2, 0):
        found = launch("stream_k_matmul.py::stream_k_kernel", "4", blocks, a=f"randn:{type}[{M},{K}]", b=f"randn:{type}[{K},{N}]",
                       c=f"zeros:{type}[{M},{N}]", partials="empty:f32[8,4,8]", done="zeros:i32[6]", M=M, N=N, K=K,
                       stride_am=K, stride_bk=N, stride_cm=N, streamed=streamed)
        a, b = found["a"], found["b"]
        check("c", found["c"], lambda m, n: sum(a[m, k] * b[k, n] for k in range(K)))
        assert not any(found["done"][tile,] for tile in range(6)), "the counters are ready for the next launch"
