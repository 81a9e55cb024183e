# run: kernel x=*fp32 n=i32
# run: returns x=*fp32 n=i32
# run: in_loop x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 1:
        only = 1
        both = 1.0
        same = n
    else:
        both = 2
        same = n + 1
    a = only
    b = both
    c = same
    for i in range(n):
        inside = i
    d = inside
    e = i
    f = 1 if n > 0 else 2.0
    if tl.arange(0, 8) > 3:
        pass


@triton.jit
def pick(n):
    if n > 0:
        return 1.0
    return 2


@triton.jit
def returns(x, n):
    tl.store(x, pick(n))


@triton.jit
def in_loop(x, n):
    for i in range(n):
        if i > 3:
            return i

# error@17:9: 'only' is set only on one path of a run-time if, it has no value when the condition is false; set it before the if or on both paths
# note@11:9: it is set here
# error@18:9: 'both' has different types on the two paths of a run-time if: run-time scalar fp32 if the condition holds, run-time scalar int32 otherwise; give it one type on both paths
# note@12:9: it is run-time scalar fp32 from here
# note@15:9: it is run-time scalar int32 from here
# error@22:9: 'inside' is first set inside a run-time loop, which may not run at all; set it before the loop
# note@21:9: it is set here
# error@24:9: the two values of a run-time conditional expression differ in type: run-time scalar int32 and run-time scalar fp32; convert one of the two
# error@25:8: 'if' needs a scalar condition, found tile int1[8]; use tl.where to choose per element
# error@31:5: returned values differ in type: run-time scalar fp32 on one path, run-time scalar int32 on another; return one type on every path
# note@38:17: in the call of 'pick' from here
# error@45:13: a kernel cannot return a value: store it to memory
