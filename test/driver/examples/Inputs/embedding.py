"""embedding.py: rows exactly, gradients as sums over the items that have the row."""
from launching import Launcher, check

ITEMS, ROWS, COLS, PADDING = 23, 7, 19, 3
launch = Launcher()
for type, id in (("f32", "i64"), ("f16", "i32"), ("bf16", "i64")):
    ids = f"randint(0,{ROWS}):{id}[{ITEMS}]"
    found = launch("embedding.py::embedding_fwd", "cdiv(n,BLOCK_M),cdiv(cols,BLOCK_N)",
                   {"BLOCK_M": 4, "BLOCK_N": 16}, ids=ids, table=f"randn:{type}[{ROWS},{COLS}]", out=f"zeros:{type}[{ITEMS},{COLS}]", n=ITEMS, cols=COLS)
    check("out", found["out"], lambda item, col: found["table"][found["ids"][item], col], 0)
    found = launch("embedding.py::embedding_bwd", f"{ITEMS},cdiv(cols,BLOCK)", {"BLOCK": 16}, ids=ids,
                   grad_out=f"randn:{type}[{ITEMS},{COLS}]", grad_table=f"zeros:f32[{ROWS},{COLS}]", cols=COLS,
                   padding=PADDING)
    items = {row: [i for i in range(ITEMS) if found["ids"][i] == row and row != PADDING] for row in range(ROWS)}
    check("grad_table", found["grad_table"], lambda row, col: sum(found["grad_out"][i, col] for i in items[row]))
