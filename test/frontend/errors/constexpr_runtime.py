# run: kernel x=*fp32 n=i32
# A run-time value may be given to a tl.constexpr; it is refused where a value
# known at compile time is needed.
import triton
import triton.language as tl


@triton.jit
def block(x, BLOCK: tl.constexpr):
    return tl.arange(0, BLOCK)


@triton.jit
def add(x, OFFSET: tl.constexpr):
    return x + OFFSET


@triton.jit
def kernel(x, n):
    a: tl.constexpr = n
    tl.store(x, add(a, n) * 1.0)
    b = tl.arange(0, a)
    c = block(x, n)
    tl.static_assert(a > 1)
    for i in tl.static_range(a):
        pass

# error@22:22: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32
# error@10:25: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32
# note@23:9: in the call of 'block' from here
# error@24:22: argument 'cond' of tl.static_assert must be known at compile time (a constexpr), found run-time scalar int1
# error@25:14: bounds of tl.static_range must be integers known at compile time, found run-time scalar int32
