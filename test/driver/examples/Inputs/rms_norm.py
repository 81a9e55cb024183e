"""rms_norm.py against the definition and its derivatives."""
from math import sqrt

from launching import Launcher, check

ROWS, COLS, PARTS, EPS = 5, 37, 3, 1e-3
launch = Launcher()
for type in ("f32", "f16", "bf16"):
    forward = launch(
        "rms_norm.py::rms_norm_fwd", ROWS, {"BLOCK": 16}, x=f"randn:{type}[{ROWS},{COLS}]",
        y=f"zeros:{type}[{ROWS},{COLS}]", w=f"randn:{type}[{COLS}]", rstd=f"zeros:f32[{ROWS}]",
        stride=COLS, n_cols=COLS, eps=f"f32:{EPS}")
    x, w, rstd = forward["x"], forward["w"], forward["rstd"]
    inverse = [1 / sqrt(sum(x[row, i] ** 2 for i in range(COLS)) / COLS + EPS) for row in range(ROWS)]
    check("rstd", rstd, lambda row: inverse[row])
    check("y", forward["y"], lambda row, col: x[row, col] * inverse[row] * w[col])

    backward = launch(
        "rms_norm.py::rms_norm_bwd", PARTS, {"BLOCK": 64}, dx=f"zeros:{type}[{ROWS},{COLS}]",
        dy=f"randn:{type}[{ROWS},{COLS}]", part_dw=f"zeros:f32[{PARTS},{COLS}]", x=x, w=w, rstd=rstd,
        stride=COLS, n_rows=ROWS, n_cols=COLS)
    dy = backward["dy"]

    def input_gradient(row, col):
        # d y[i] / d x[j] = w[i] rstd (i == j) - w[i] x[i] x[j] rstd^3 / COLS
        along = sum(dy[row, i] * w[i] * x[row, i] for i in range(COLS))
        return dy[row, col] * w[col] * inverse[row] - x[row, col] * inverse[row] ** 3 * along / COLS

    check("dx", backward["dx"], input_gradient)
    summed = launch(
        "rms_norm.py::rms_norm_bwd_dw", "cdiv(n_cols,BLOCK_N)", {"BLOCK_M": 2, "BLOCK_N": 16},
        part_dw=backward["part_dw"], dw=f"zeros:{type}[{COLS}]", n_parts=PARTS, n_cols=COLS)
    check("dw", summed["dw"], lambda col: sum(dy[row, col] * x[row, col] * inverse[row] for row in range(ROWS)))
