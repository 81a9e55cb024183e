import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
        if n > 0:
                tl.store(x, n)
	tl.store(x, n)
        tl.store(x, n)

# error@9:2: tabs and spaces are mixed so that the indentation depends on the width of a tab; use spaces alone
