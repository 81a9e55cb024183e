"""topk_softmax.py against Python's own sort, with equal elements."""
from math import exp

from launching import Launcher, check

ROWS, COLS, K = 6, 21, 4
launch = Launcher()
TIES = "values:f32[" + ",".join(str((7 * i * i) % 5 - 2.0) for i in range(ROWS * COLS)) + "]"
for kernel in ("topk_softmax_kernel", "topk_softmax_sort_kernel"):
    for x in (f"randn:f32[{ROWS},{COLS}]", f"uniform(-3,-1):f16[{ROWS},{COLS}]", TIES):
        found = launch(f"topk_softmax.py::{kernel}", ROWS, {"K": K, "BLOCK": 32}, x=x,
                       weights=f"zeros:f32[{ROWS},{K}]", positions=f"zeros:i32[{ROWS},{K}]", stride=COLS, n_cols=COLS)
        rows = [found["x"].values[row * COLS:(row + 1) * COLS] for row in range(ROWS)]
        best = [sorted(range(COLS), key=lambda col: (-row[col], col))[:K] for row in rows]

        def weight(row, j):
            return exp(rows[row][best[row][j]]) / sum(exp(rows[row][col]) for col in best[row])

        check("positions", found["positions"], lambda row, j: best[row][j], 0)
        check("weights", found["weights"], weight)
