import triton
import triton.language as tl


@triton.jit
def overlap(x, out):
    pid = tl.program_id(0)
    at = tl.arange(0, 64)
    if pid == 0:
        tl.store(out + at, 1.0 + tl.load(x + at))
    else:
        tl.store(out + at, 2.0)


@triton.jit
def flag(done, out):
    pid = tl.program_id(0)
    tl.store(out + pid, pid)
    tl.store(done, 1)
