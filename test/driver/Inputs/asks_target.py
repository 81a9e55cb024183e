import triton
import triton.language as tl


@triton.jit
def asks(y):
    if tl.target_info.current_target().backend == "cpu":
        tl.store(y, 1)
    else:
        tl.store(y, 2)
