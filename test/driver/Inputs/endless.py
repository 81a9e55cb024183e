import triton
import triton.language as tl


@triton.jit
def never(x):
    v = tl.load(x)
    n = 0
    while v >= 0.0:
        v = v * 1.0
        n += 1


@triton.jit
def always(x):
    while True:
        if tl.load(x, volatile=True) < 0:
            return
