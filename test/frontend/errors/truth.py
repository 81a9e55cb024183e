# run: kernel x=*fp32 n=i32 m=i8
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, m):
    r = tl.arange(0, 16)
    a = not n
    b = not r
    c = not 1.5 * n
    d = n and m
    e = m or n
    f = not (n > 1)
    g = not x or f

# error@9:9: 'not' on run-time values needs int1, found int32; compare with zero first
# error@10:9: 'not' on run-time values needs int1, found int32[16]; compare with zero first
# error@11:9: 'not' on run-time values needs int1, found fp32; compare with zero first
# error@12:9: 'and' on run-time values needs int1, found int32; compare with zero first
# error@13:9: 'or' on run-time values needs int1, found int8; compare with zero first
