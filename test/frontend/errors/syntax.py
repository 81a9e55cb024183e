import triton
@triton.jit
def first(x_ptr, n: tl.int32)
    pass
@triton.jit
def second(x_ptr):
    a = 1 +  
    return

# error@3:30: expected ':' after the 'def' line, found end of line
# error@7:14: expected an expression, found end of line
