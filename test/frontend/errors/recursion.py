# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def ping(n):
    return pong(n - 1)


@triton.jit
def pong(n):
    return ping(n - 1)


@triton.jit
def kernel(x, n):
    tl.store(x, ping(n))

# error@13:12: 'ping' calls itself; recursion is not supported in kernel code
# note@8:12: in the call of 'pong' from here
# note@18:17: in the call of 'ping' from here
