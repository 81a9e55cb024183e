"""cross_entropy.py against the definition; the gradient also by differences."""
from math import exp, log

from launching import Launcher, check

COLS, IGNORED, SCALE = 71, -100, 0.25
LABELS = [3, IGNORED, 70, 0]
launch = Launcher()
for type in ("f32", "f16", "bf16"):
    result = launch(
        "cross_entropy.py::cross_entropy_kernel", len(LABELS), {"BLOCK": 16},
        x=f"randn:{type}[{len(LABELS)},{COLS}]", labels=f"values:i64[{','.join(map(str, LABELS))}]",
        loss=f"zeros:f32[{len(LABELS)}]", grad=f"ones:{type}[{len(LABELS)},{COLS}]", stride=COLS, n_cols=COLS,
        ignored=IGNORED, scale=f"f32:{SCALE}")
    x = result["x"]

    def loss(row, changed=None, by=0.0):
        if LABELS[row] == IGNORED:
            return 0.0
        value = [x[row, col] + (by if col == changed else 0.0) for col in range(COLS)]
        return log(sum(map(exp, value))) - value[LABELS[row]]

    def slope(row, col, step=1e-4):
        return SCALE * (loss(row, col, step) - loss(row, col, -step)) / (2 * step)

    check("loss", result["loss"], loss)
    check("grad", result["grad"], slope)
