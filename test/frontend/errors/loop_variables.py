# run: set_in_one_arm x=*i32 n=i32
# run: set_in_a_loop x=*i32 n=i32
import triton
import triton.language as tl


@triton.jit
def set_in_one_arm(x, n):
    if n > 5:
        j = 3
    for j in range(n):
        tl.store(x + j, 1)
    tl.store(x, j)


@triton.jit
def set_in_a_loop(x, n):
    for i in range(n):
        j = i * 2
    for j in range(1, n):
        tl.store(x + j, 1)
    tl.store(x, j)

# error@13:17: 'j' is set only on one path of a run-time if, it has no value when the condition is false; set it before the if or on both paths
# note@10:9: it is set here
# error@22:17: 'j' is first set inside a run-time loop, which may not run at all; set it before the loop
# note@19:9: it is set here
