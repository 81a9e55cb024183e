"""block_sparse.py: dense products, and what the mask leaves of them."""
from launching import Launcher, check

SIZE, M, N, K, COLS = 4, 10, 15, 6, 9
STARTS, BLOCK_ROWS, BLOCK_COLS = [0, 2, 2, 5], [0, 0, 2, 2, 2], [1, 3, 0, 1, 3]
launch = Launcher()


def integers(values):
    return f"values:i32[{','.join(map(str, values))}]"


for type in ("f32", "f16", "bf16"):
    found = launch(
        "block_sparse.py::sddmm_kernel", len(BLOCK_COLS), {"SIZE": SIZE, "BLOCK_K": 4}, a=f"randn:{type}[{M},{K}]",
        b=f"randn:{type}[{K},{N}]", values=f"zeros:{type}[{len(BLOCK_COLS)},{SIZE},{SIZE}]",
        block_rows=integers(BLOCK_ROWS), block_cols=integers(BLOCK_COLS), scale="f32:0.5", M=M, N=N, K=K)
    a, b = found["a"], found["b"]

    def value(block, i, j):
        row, col = BLOCK_ROWS[block] * SIZE + i, BLOCK_COLS[block] * SIZE + j
        return 0.5 * sum(a[row, k] * b[k, col] for k in range(K)) if row < M and col < N else 0.0

    values = found["values"]
    check("values", values, value)
    found = launch(
        "block_sparse.py::spmm_kernel", f"{len(STARTS) - 1},cdiv(N,BLOCK_N)", {"SIZE": SIZE, "BLOCK_N": 8},
        values=values, row_starts=integers(STARTS), block_cols=integers(BLOCK_COLS), b=f"randn:{type}[{N},{COLS}]",
        c=f"ones:{type}[{M},{COLS}]", M=M, N=COLS, K=N)
    dense = {(BLOCK_ROWS[z] * SIZE + i, BLOCK_COLS[z] * SIZE + j): values[z, i, j]
             for z in range(len(BLOCK_COLS)) for i in range(SIZE) for j in range(SIZE)}
    check("c", found["c"], lambda m, n: sum(dense.get((m, k), 0.0) * found["b"][k, n] for k in range(N)))
