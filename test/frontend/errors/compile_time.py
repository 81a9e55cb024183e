# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.static_assert(1 > 2, "one is not larger")
    assert 1 == 2, "never"
    a: tl.constexpr = n
    b: tl.constexpr = 1 / 0
    c: tl.constexpr = 1 << 200
    d = (1, 2)[5]
    e, f = 1, 2, 3
    g, h = n
    i: tl.constexpr = 3
    for j in range(n):
        i = i + 1
    k = "a" + 1
    for j in range(0, 8, 0):
        pass
    n()

# error@8:5: static assertion failed: one is not larger
# error@9:5: assertion failed at compile time: never
# error@11:25: division by zero
# error@12:25: result has more than 127 bits (limit of compile-time integers)
# error@13:16: index 5 is outside of a tuple of length 2
# error@14:5: cannot unpack 3 values into 2 names
# error@15:5: cannot unpack run-time scalar int32 into 2 names
# error@18:9: 'i' is int 3 at compile time and is reassigned in a run-time loop
# note@16:5: its compile-time value is set here; leave out tl.constexpr to make it a variable
# error@19:13: operator '+' is not supported between str 'a' and int 1
# error@20:14: step of a loop is zero
# error@22:5: run-time scalar int32 cannot be called
