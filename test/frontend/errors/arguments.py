# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def scaled(value, factor, BLOCK: tl.constexpr):
    return value * factor


@triton.jit
def kernel(x, n):
    a = scaled(1.0)
    b = scaled(1.0, 2.0, 3, 4)
    c = scaled(1.0, 2.0, n)
    d = scaled(1.0, factr=2.0, BLOCK=1)
    e = scaled(1.0, 2.0, value=3, BLOCK=1)
    f = tl.load()
    g = tl.load(x, None, None, (), "", "", "", False, 1)
    h = tl.program_id(axis=0, axis=1)
    x(1)

# error@13:9: 'scaled' needs a value for parameter 'factor'
# note@7:5: function 'scaled' is defined here
# error@14:29: 'scaled' takes 3 arguments, 4 were given
# note@7:5: function 'scaled' is defined here
# error@16:27: 'scaled' has no parameter 'factr'; did you mean 'factor'?
# note@7:5: function 'scaled' is defined here
# error@17:32: parameter 'value' of 'scaled' is given twice
# note@7:5: function 'scaled' is defined here
# error@18:9: tl.load needs a value for parameter 'pointer'
# error@19:55: tl.load takes 8 arguments, 9 were given
# error@20:36: parameter 'axis' of tl.program_id is given twice
# error@21:5: run-time scalar *fp32 cannot be called
