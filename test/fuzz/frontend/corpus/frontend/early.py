import triton, triton.language as tl
@triton.jit
def k(x_ptr, n, B: tl.constexpr):
    if n > 3:
        return
    for i in tl.static_range(3):
        if n == i:
            return
    while n > 0:
        n -= 1
    a = [tl.load(x_ptr + j) for j in (1, 2)]
    tl.store(x_ptr, a[0] if n > 1 else a[1])
