"""The selective state space of Mamba-2, by chunks instead of step by step.

For each head the recurrence over a sequence is, with a state h of [P, N],

    h[t] = exp(dt[t] · A) · h[t-1] + dt[t] · x[t] B[t]ᵀ        y[t] = h[t] C[t] + D · x[t]

(Dao and Gu, "Transformers are SSMs", 2024, section 6). Inside a chunk, y is a
product of matrices with a causal mask of decays; between chunks only states pass:

    mamba_chunk_decay   decay[t] = sum of dt · A from the start of t's chunk to t
    mamba_chunk_state   the state that a chunk would leave if it began with zeros
    mamba_state_passing the state with which each chunk begins, chunk by chunk
    mamba_chunk_scan    y from the chunk's own x and the state with which it begins

x and y are [length, heads, P]; dt is [length, heads], positive; A and D are [heads],
A negative; B and C are [length, N], shared by the heads; decay is [heads, length];
states are [chunks, heads, P, N]. The length may be any; P, N and CHUNK are powers of two.

    tz run mamba_chunk_scan.py::mamba_chunk_scan --grid "cdiv(length,CHUNK),heads" \
        --arg x=randn:f16[length,heads,32] --arg dt=uniform:f32[length,heads] --arg B=randn:f16[length,16] \
        --arg C=randn:f16[length,16] --arg D=randn:f32[heads] --arg "decay=uniform(-2,0):f32[heads,length]" \
        --arg "states=randn:f32[cdiv(length,CHUNK),heads,32,16]" --arg y=zeros:f16[length,heads,32] \
        --arg length=i32:77 --arg heads=i32:3 --constexpr P=32 --constexpr N=16 --constexpr CHUNK=32
"""

import triton
import triton.language as tl


@triton.jit
def mamba_chunk_decay(dt, A, decay, length, heads, CHUNK: tl.constexpr):
    head = tl.program_id(1)
    steps = tl.program_id(0) * CHUNK + tl.arange(0, CHUNK)
    delta = tl.load(dt + steps * heads + head, mask=steps < length, other=0.0).to(tl.float32)
    tl.store(decay + head * length + steps, tl.cumsum(delta * tl.load(A + head), axis=0), mask=steps < length)


@triton.jit
def decay_of_chunk(decay, chunk, head, length, CHUNK: tl.constexpr):
    """The decay from the start of a chunk to its end."""
    return tl.load(decay + head * length + min((chunk + 1) * CHUNK, length) - 1)


@triton.jit
def load_steps(base, steps, stride, length, WIDTH: tl.constexpr):
    """[steps, WIDTH], one row of `stride` elements a step; zeros after the end."""
    at = steps[:, None] * stride + tl.arange(0, WIDTH)[None, :]
    return tl.load(base + at, mask=steps[:, None] < length, other=0.0)


@triton.jit
def mamba_chunk_state(
    x, dt, B, decay, states, length, heads, P: tl.constexpr, N: tl.constexpr, CHUNK: tl.constexpr
):
    chunk = tl.program_id(0)
    head = tl.program_id(1)
    steps = chunk * CHUNK + tl.arange(0, CHUNK)
    inside = steps < length
    # What of a step's input is left at the end of the chunk.
    total = decay_of_chunk(decay, chunk, head, length, CHUNK)
    own = tl.load(decay + head * length + steps, mask=inside, other=0.0)
    delta = tl.load(dt + steps * heads + head, mask=inside, other=0.0).to(tl.float32)
    left = tl.where(inside, tl.exp(total - own) * delta, 0.0)
    x_tile = load_steps(x + head * P, steps, heads * P, length, P)
    b_tile = load_steps(B, steps, N, length, N)
    weighted = (x_tile.to(tl.float32) * left[:, None]).to(b_tile.dtype)
    state = tl.dot(tl.trans(weighted), b_tile)
    at = tl.arange(0, P)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(states + (chunk * heads + head) * P * N + at, state)


@triton.jit
def mamba_state_passing(
    states, entering, decay, length, heads, SIZE: tl.constexpr, CHUNK: tl.constexpr, BLOCK: tl.constexpr
):
    """SIZE is P * N. The first chunk begins with zeros."""
    head = tl.program_id(1)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    running = tl.zeros((BLOCK,), dtype=tl.float32)
    for chunk in range(tl.cdiv(length, CHUNK)):
        here = (chunk * heads + head) * SIZE + at
        tl.store(entering + here, running, mask=at < SIZE)
        total = decay_of_chunk(decay, chunk, head, length, CHUNK)
        running = running * tl.exp(total) + tl.load(states + here, mask=at < SIZE, other=0.0)


@triton.jit
def mamba_chunk_scan(
    x, dt, B, C, D, decay, states, y, length, heads, P: tl.constexpr, N: tl.constexpr, CHUNK: tl.constexpr
):
    """states are those with which the chunks begin."""
    chunk = tl.program_id(0)
    head = tl.program_id(1)
    lanes = tl.arange(0, CHUNK)
    steps = chunk * CHUNK + lanes
    inside = steps < length
    own = tl.load(decay + head * length + steps, mask=inside, other=0.0)
    delta = tl.load(dt + steps * heads + head, mask=inside, other=0.0).to(tl.float32)
    x_tile = load_steps(x + head * P, steps, heads * P, length, P)
    b_tile = load_steps(B, steps, N, length, N)
    c_tile = load_steps(C, steps, N, length, N)

    # Earlier steps of the chunk: (C Bᵀ ∘ decays) (dt x).
    causal = lanes[:, None] >= lanes[None, :]
    decays = tl.exp(tl.where(causal, own[:, None] - own[None, :], -float("inf")))
    scores = tl.dot(c_tile, tl.trans(b_tile)) * decays * delta[None, :]
    acc = tl.dot(scores.to(x_tile.dtype), x_tile)

    # Earlier chunks: the state, as far as it has decayed.
    at = tl.arange(0, P)[:, None] * N + tl.arange(0, N)[None, :]
    state = tl.load(states + (chunk * heads + head) * P * N + at)
    acc += tl.dot(c_tile, tl.trans(state).to(c_tile.dtype)) * tl.exp(own)[:, None]

    acc += x_tile.to(tl.float32) * tl.load(D + head)
    out_at = steps[:, None] * heads * P + head * P + tl.arange(0, P)[None, :]
    tl.store(y + out_at, acc.to(y.dtype.element_ty), mask=inside[:, None])


def mamba_scan(x, dt, A, B, C, D, chunk=64):
    import torch

    (length, heads, p), n = x.shape, B.shape[1]
    chunks = triton.cdiv(length, chunk)
    decay = torch.empty(heads, length, device=x.device, dtype=torch.float32)
    states = torch.empty(chunks, heads, p, n, device=x.device, dtype=torch.float32)
    entering, y = torch.empty_like(states), torch.empty_like(x)
    mamba_chunk_decay[(chunks, heads)](dt, A, decay, length, heads, CHUNK=chunk)
    mamba_chunk_state[(chunks, heads)](x, dt, B, decay, states, length, heads, P=p, N=n, CHUNK=chunk)
    mamba_state_passing[(triton.cdiv(p * n, 256), heads)](
        states, entering, decay, length, heads, SIZE=p * n, CHUNK=chunk, BLOCK=256
    )
    mamba_chunk_scan[(chunks, heads)](
        x, dt, B, C, D, decay, entering, y, length, heads, P=p, N=n, CHUNK=chunk
    )
    return y


if __name__ == "__main__":
    import torch

    length, heads, P, N = 203, 4, 64, 64
    x = torch.randn(length, heads, P, device="cuda", dtype=torch.float16)
    dt = torch.rand(length, heads, device="cuda") * 0.1
    A, D = -torch.rand(heads, device="cuda"), torch.randn(heads, device="cuda")
    B, C = (torch.randn(length, N, device="cuda", dtype=torch.float16) for _ in range(2))
    state = torch.zeros(heads, P, N, device="cuda")
    steps = []
    for t in range(length):
        fresh = dt[t][:, None, None] * x[t].float()[:, :, None] * B[t].float()
        state = torch.exp(dt[t] * A)[:, None, None] * state + fresh
        steps.append(state @ C[t].float() + D[:, None] * x[t].float())
    expected = torch.stack(steps)
    error = (mamba_scan(x, dt, A, B, C, D) - expected).abs().max().item()
    print("max error", error, "of", expected.abs().max().item())
