import triton
import triton.language as tl


@triton.jit
def update(x, out, old, n, KIND: tl.constexpr, STEP: tl.constexpr, WANTED: tl.constexpr, BLOCK: tl.constexpr):
    """Neighbours (STEP 1) or several lanes at one address (STEP 0: all)."""
    i = tl.arange(0, BLOCK)
    at = out + i * STEP if STEP else out + i // 8
    a = tl.load(x + tl.program_id(0) * BLOCK + i)
    inside = i < n
    if KIND == "add":
        was = tl.atomic_add(at, a, mask=inside)
    elif KIND == "max":
        was = tl.atomic_max(at, a, mask=inside)
    elif KIND == "min":
        was = tl.atomic_min(at, a, mask=inside)
    elif KIND == "and":
        was = tl.atomic_and(at, a, mask=inside)
    elif KIND == "or":
        was = tl.atomic_or(at, a, mask=inside)
    elif KIND == "xor":
        was = tl.atomic_xor(at, a, mask=inside)
    else:
        was = tl.atomic_xchg(at, a, mask=inside)
    if WANTED:
        tl.store(old + tl.program_id(0) * BLOCK + i, was)


@triton.jit
def outside(x, out, BLOCK: tl.constexpr):
    """What the host may update as well."""
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out + i, tl.load(x + i), scope="sys")
