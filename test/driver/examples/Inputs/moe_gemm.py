"""moe_gemm.py: every token's chosen experts, summed; one block is not in use."""
from launching import Launcher, check

TOKENS, TOP_K, EXPERTS, N, K, BLOCK = 5, 2, 3, 11, 13, 4
CHOSEN = [0, 2, 2, 1, 2, 0, 1, 2, 2, 0]  # by slot
launch = Launcher()
slots, experts = [], []
for expert in range(EXPERTS):
    mine = [slot for slot, chosen in enumerate(CHOSEN) if chosen == expert]
    mine += [len(CHOSEN)] * (-len(mine) % BLOCK)
    slots += mine
    experts += [expert] * (len(mine) // BLOCK)
slots += [0] * BLOCK
experts += [-1]

for type in ("f32", "f16", "bf16"):
    found = launch(
        "moe_gemm.py::moe_gemm_kernel", f"{len(experts)},cdiv(N,BLOCK_N)",
        {"TOP_K": TOP_K, "BLOCK_M": BLOCK, "BLOCK_N": 8, "BLOCK_K": 8}, x=f"randn:{type}[{TOKENS},{K}]",
        w=f"randn:{type}[{EXPERTS},{N},{K}]", y=f"zeros:{type}[{len(CHOSEN)},{N}]",
        weights=f"uniform:f32[{len(CHOSEN)}]", slots=f"values:i32[{','.join(map(str, slots))}]",
        experts=f"values:i32[{','.join(map(str, experts))}]", n_slots=len(CHOSEN), N=N, K=K)
    x, w, weights = found["x"], found["w"], found["weights"]

    def choice(slot, n):
        return weights[slot] * sum(x[slot // TOP_K, k] * w[CHOSEN[slot], n, k] for k in range(K))

    check("y", found["y"], choice)
    summed = launch("moe_gemm.py::moe_sum_kernel", f"{TOKENS},cdiv(N,BLOCK)", {"TOP_K": TOP_K, "BLOCK": 8},
                    y=found["y"], out=f"zeros:{type}[{TOKENS},{N}]", N=N)
    check("out", summed["out"], lambda token, n: sum(choice(token * TOP_K + j, n) for j in range(TOP_K)))
