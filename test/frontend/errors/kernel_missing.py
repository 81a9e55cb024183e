# run: kernl x=*fp32
import triton


@triton.jit
def kernel(x):
    pass


@triton.jit
def other(x):
    pass

# error@0:0: no kernel 'kernl' in this file; did you mean 'kernel'?
# note: it defines kernel, other
