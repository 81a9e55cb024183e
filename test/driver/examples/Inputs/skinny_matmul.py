"""skinny_matmul.py: the ways to add the parts, when some programs have no part."""
from launching import Launcher, check

M, N, K, SPLITS = 3, 11, 37, 4
launch = Launcher()
blocks = {"BLOCK_M": 4, "BLOCK_N": 8, "BLOCK_K": 8, "SPLITS": SPLITS}
for type in ("f32", "f16"):
    operands = {"a": f"randn:{type}[{M},{K}]", "b": f"randn:{type}[{K},{N}]", "M": M, "N": N, "K": K}
    added = launch("skinny_matmul.py::skinny_matmul_atomic", "cdiv(N,BLOCK_N),SPLITS", blocks,
                   c=f"zeros:f32[{M},{N}]", **operands)
    split = launch("skinny_matmul.py::skinny_matmul_parts", "cdiv(N,BLOCK_N),SPLITS", blocks,
                   parts=f"empty:f32[{SPLITS},{M},{N}]", **operands)
    summed = launch("skinny_matmul.py::skinny_matmul_sum", f"cdiv({M * N},BLOCK)", {"SPLITS": SPLITS, "BLOCK": 16},
                    parts=split["parts"], c=f"zeros:{type}[{M},{N}]", size=M * N)
    counted = launch("skinny_matmul.py::skinny_matmul_counted", "cdiv(N,BLOCK_N),SPLITS", blocks,
                     parts=f"empty:f32[{SPLITS},{M},{N}]", ended="zeros:i32[2]", c=f"empty:{type}[{M},{N}]", **operands)
    assert not counted["ended"][0,] and not counted["ended"][1,], "the counters are ready for the next launch"
    for found, result in ((added, added["c"]), (split, summed["c"]), (counted, counted["c"])):
        a, b = found["a"], found["b"]
        check("c", result, lambda m, n: sum(a[m, k] * b[k, n] for k in range(K)))
