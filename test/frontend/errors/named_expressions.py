# run: in_condition o=*i32 n=i32
# run: in_one_arm o=*i32 n=i32
# run: changes_type o=*i32 n=i32
import triton
import triton.language as tl


@triton.jit
def in_condition(o, n):
    while (y := tl.load(o)) < n:
        tl.store(o, y + 1)


@triton.jit
def in_one_arm(o, n):
    s = (y := 7) if n > 1 else 3
    tl.store(o, s + y)


@triton.jit
def changes_type(o, n):
    y = 0
    while (y := y * 1.5) < n:
        tl.store(o, n)

# error@11:21: 'y' is first set in the condition of a run-time 'while'; set it before the loop
# note@10:12: it is set here
# error@17:21: 'y' is set only on one path of a run-time if, it has no value when the condition is false; set it before the if or on both paths
# note@16:10: it is set here
# error@23:12: loop-carried variable 'y' changes type: run-time scalar int32 before the loop, run-time scalar fp32 after one iteration; give it the later type before the loop
# note@22:5: its type before the loop is run-time scalar int32
