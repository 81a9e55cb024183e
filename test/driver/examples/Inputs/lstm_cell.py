"""lstm_cell.py against the equations, with Python's tanh."""
from math import exp, tanh

from launching import Launcher, check

BATCH, INPUTS, HIDDEN = 3, 5, 7
launch = Launcher()


def sigmoid(x):
    return 1 / (1 + exp(-x))


for type in ("f32", "f16", "bf16"):
    found = launch(
        "lstm_cell.py::lstm_cell_kernel", "cdiv(batch,BLOCK_M),cdiv(hidden,BLOCK_N)",
        {"BLOCK_M": 2, "BLOCK_N": 4, "BLOCK_K": 4}, x=f"randn:{type}[{BATCH},{INPUTS}]",
        h=f"randn:{type}[{BATCH},{HIDDEN}]", c=f"randn:f32[{BATCH},{HIDDEN}]",
        w_x=f"randn:{type}[{4 * HIDDEN},{INPUTS}]", w_h=f"randn:{type}[{4 * HIDDEN},{HIDDEN}]",
        bias=f"randn:f32[{4 * HIDDEN}]", new_h=f"zeros:{type}[{BATCH},{HIDDEN}]",
        new_c=f"zeros:f32[{BATCH},{HIDDEN}]", batch=BATCH, inputs=INPUTS, hidden=HIDDEN)
    x, h, w_x, w_h = (found[name] for name in ("x", "h", "w_x", "w_h"))

    def gate(which, row, col):
        at = which * HIDDEN + col
        return (found["bias"][at] + sum(x[row, k] * w_x[at, k] for k in range(INPUTS))
                + sum(h[row, k] * w_h[at, k] for k in range(HIDDEN)))

    def state(row, col):
        i, f, g = (gate(which, row, col) for which in range(3))
        return sigmoid(f) * found["c"][row, col] + sigmoid(i) * tanh(g)

    check("new_c", found["new_c"], state)
    check("new_h", found["new_h"], lambda row, col: sigmoid(gate(3, row, col)) * tanh(state(row, col)))
