# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl

chain = []
chain.append(chain)
text = str(chain)


@triton.jit
def kernel(x, n):
    tl.store(x, 1.0)

# error@7:8: a sequence or dict is nested more than 200 levels deep, or holds itself (limit of value nesting)
