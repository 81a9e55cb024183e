"""Programs that wait for each other: each counts itself, then waits for all."""

import triton
import triton.language as tl


@triton.jit
def meet(count, seen):
    pid = tl.program_id(0)
    tl.atomic_add(count, 1)
    here = tl.atomic_add(count, 0)
    while here < tl.num_programs(0):
        here = tl.atomic_add(count, 0)
    tl.store(seen + pid, here)
