"""mamba_chunk_scan.py's four kernels against the recurrence, step by step."""
from math import exp

from launching import Launcher, check

LENGTH, HEADS, P, N, CHUNK = 21, 2, 4, 8, 8
CHUNKS = -(-LENGTH // CHUNK)
launch = Launcher()
for type in ("f32", "bf16"):
    sizes = {"length": LENGTH, "heads": HEADS}
    grid = f"{CHUNKS},{HEADS}"
    found = launch(
        "mamba_chunk_scan.py::mamba_chunk_decay", grid, {"CHUNK": CHUNK}, dt=f"uniform:f32[{LENGTH},{HEADS}]",
        A=f"uniform(-1,0):f32[{HEADS}]", decay=f"zeros:f32[{HEADS},{LENGTH}]", **sizes)
    dt, A, decay = found["dt"], found["A"], found["decay"]
    found = launch(
        "mamba_chunk_scan.py::mamba_chunk_state", grid, {"P": P, "N": N, "CHUNK": CHUNK},
        x=f"randn:{type}[{LENGTH},{HEADS},{P}]", dt=dt, B=f"randn:{type}[{LENGTH},{N}]", decay=decay,
        states=f"empty:f32[{CHUNKS},{HEADS},{P},{N}]", **sizes)
    x, B = found["x"], found["B"]
    passed = launch(
        "mamba_chunk_scan.py::mamba_state_passing", f"cdiv(SIZE,BLOCK),{HEADS}",
        {"SIZE": P * N, "CHUNK": CHUNK, "BLOCK": 16}, states=found["states"],
        entering=f"empty:f32[{CHUNKS},{HEADS},{P},{N}]", decay=decay, **sizes)
    found = launch(
        "mamba_chunk_scan.py::mamba_chunk_scan", grid, {"P": P, "N": N, "CHUNK": CHUNK}, x=x, dt=dt, B=B,
        C=f"randn:{type}[{LENGTH},{N}]", D=f"randn:f32[{HEADS}]", decay=decay, states=passed["entering"],
        y=f"zeros:{type}[{LENGTH},{HEADS},{P}]", **sizes)
    C, D = found["C"], found["D"]

    h = [[[0.0] * N for _ in range(P)] for _ in range(HEADS)]
    began, expected = [], []
    for t in range(LENGTH):
        if t % CHUNK == 0:
            began.append([[row[:] for row in head] for head in h])
        expected.append([])
        for head in range(HEADS):
            for p in range(P):
                for n in range(N):
                    h[head][p][n] *= exp(dt[t, head] * A[head])
                    h[head][p][n] += dt[t, head] * x[t, head, p] * B[t, n]
            expected[t].append([sum(h[head][p][n] * C[t, n] for n in range(N)) + D[head] * x[t, head, p]
                                for p in range(P)])
    check("entering", passed["entering"], lambda chunk, head, p, n: began[chunk][head][p][n],
          4e-6 if type == "f32" else 2e-2)
    check("y", found["y"], lambda t, head, p: expected[t][head][p])
