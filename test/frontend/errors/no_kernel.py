# run: helper x=*fp32
import triton


def helper(x):
    pass

# error@5:5: 'helper' is not a kernel: it has no decorator @triton.jit
