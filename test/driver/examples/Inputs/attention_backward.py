"""attention.py and attention_backward.py against softmax and its derivatives."""
from math import exp, log

from launching import Launcher, check

HEADS, N_Q, N_K, DIM, SCALE = 2, 9, 12, 16, 0.25
launch = Launcher()
sizes = {"scale": f"f32:{SCALE}", "n_q": N_Q, "n_k": N_K}


def tensor(kind, type, length):
    return f"{kind}:{type}[{HEADS},{length},{DIM}]"


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def gradients(q, k, v, d_out, causal):
    """[head][row] of out, lse, dq, dk, dv, from whole matrices of doubles."""
    found = {name: [] for name in ("out", "lse", "dq", "dk", "dv")}
    for head in range(HEADS):
        def rows(of, length):
            return [[of[head, row, i] for i in range(DIM)] for row in range(length)]

        Q, K, V, dO = rows(q, N_Q), rows(k, N_K), rows(v, N_K), rows(d_out, N_Q)
        seen = [[key for key in range(N_K) if not causal or key <= row + N_K - N_Q] for row in range(N_Q)]
        scores = [{key: dot(Q[row], K[key]) * SCALE for key in seen[row]} for row in range(N_Q)]
        lse = [log(sum(map(exp, line.values()))) for line in scores]
        P = [{key: exp(s - lse[row]) for key, s in line.items()} for row, line in enumerate(scores)]
        out = [[sum(p * V[key][i] for key, p in line.items()) for i in range(DIM)] for line in P]
        dP = [{key: dot(dO[row], V[key]) for key in line} for row, line in enumerate(P)]
        # The derivative of a softmax: p_j (dp_j - sum of p dp).
        dS = [{key: line[key] * (dP[row][key] - sum(line[j] * dP[row][j] for j in line)) for key in line}
              for row, line in enumerate(P)]
        found["out"].append(out)
        found["lse"].append(lse)
        found["dq"].append([[SCALE * sum(s * K[key][i] for key, s in line.items()) for i in range(DIM)]
                            for line in dS])
        for name, weights, other, scale in (("dk", dS, Q, SCALE), ("dv", P, dO, 1.0)):
            found[name].append([[scale * sum(weights[row].get(key, 0.0) * other[row][i] for row in range(N_Q))
                                 for i in range(DIM)] for key in range(N_K)])
    return found


for type, causal in (("f32", False), ("f32", True), ("bf16", True)):
    shape = {"HEAD_DIM": DIM, "BLOCK_M": 4, "BLOCK_N": 8}
    forward = launch(
        "attention.py::attention_fwd", f"cdiv(n_q,BLOCK_M),{HEADS}", {**shape, "CAUSAL": causal},
        q=tensor("randn", type, N_Q), k=tensor("randn", type, N_K), v=tensor("randn", type, N_K),
        out=tensor("zeros", type, N_Q), lse=f"zeros:f32[{HEADS},{N_Q}]", **sizes)
    q, k, v, out, lse = (forward[name] for name in ("q", "k", "v", "out", "lse"))
    first = launch(
        "attention_backward.py::attention_bwd_delta", f"cdiv(n_q,BLOCK_M),{HEADS}",
        {"HEAD_DIM": DIM, "BLOCK_M": 4}, out=out, d_out=tensor("randn", type, N_Q),
        delta=f"zeros:f32[{HEADS},{N_Q}]", n_q=N_Q)
    known = dict(q=q, k=k, v=v, d_out=first["d_out"], lse=lse, delta=first["delta"], **sizes)
    of_keys = launch(
        "attention_backward.py::attention_bwd_dkdv", f"cdiv(n_k,BLOCK_N),{HEADS}", {**shape, "CAUSAL": causal},
        dk=tensor("zeros", type, N_K), dv=tensor("zeros", type, N_K), **known)
    of_queries = launch(
        "attention_backward.py::attention_bwd_dq", f"cdiv(n_q,BLOCK_M),{HEADS}", {**shape, "CAUSAL": causal},
        dq=tensor("zeros", type, N_Q), **known)

    expected = gradients(q, k, v, first["d_out"], causal)
    check("lse", lse, lambda head, row: expected["lse"][head][row], 4e-6 if type == "f32" else 2e-2)
    for name, found in {"out": out, "dq": of_queries["dq"], "dk": of_keys["dk"], "dv": of_keys["dv"]}.items():
        check(name, found, lambda head, row, i: expected[name][head][row][i])
