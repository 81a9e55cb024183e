# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl

LIMIT = 4


@triton.jit
def kernel(x, n):
    for i in range(n):
        break
    while n > 0:
        continue
    try:
        pass
    except:
        pass
    with open(x) as f:
        pass
    raise ValueError
    def inner(a):
        return a
    class C:
        pass
    import os
    global LIMIT
    del x
    a = lambda y: y
    b = {1: 2}
    c = {1, 2}
    d = 1 < n < 3
    e = f = 1
    x[0] = 1
    x.y = 1
    for v in (1, 2):
        pass
    g = LIMIT
    h = await x
    *i, j = (1, 2)
    x @ n
    while True:
        pass

# error@14:5: 'try' is not supported in kernel code
# error@18:10: name 'open' is not defined
# error@20:5: 'raise' is not supported in kernel code; use tl.device_assert or tl.static_assert
# error@21:5: 'nested def' is not supported in kernel code; define the jit function at module level
# error@23:5: 'class' is not supported in kernel code
# error@25:5: 'import' is not supported in kernel code; import at module level
# error@26:5: 'global' is not supported in kernel code
# error@27:5: 'del' is not supported in kernel code
# error@28:9: lambda is not supported in kernel code; define a jit function at module level
# error@29:9: a dictionary is not supported in kernel code
# error@30:9: a set is not supported in kernel code
# error@31:9: chained comparison is not supported in kernel code; write `(a < b) & (b < c)`
# error@32:5: assignment to several targets is not supported in kernel code; write one assignment for each
# error@33:5: memory is not written by a subscript; use tl.store(pointer + offset, value)
# error@34:5: assignment to an attribute is not supported in kernel code
# error@35:14: a kernel's 'for' runs over range, tl.range or tl.static_range, not over tuple of 2 values
# error@37:9: global 'LIMIT' is not a constexpr: a kernel may read it only if it is marked `LIMIT: tl.constexpr = ...` or `LIMIT = tl.constexpr(...)`
# note@5:1: defined here
# error@38:9: await is not supported in kernel code
# error@39:5: starred targets are not supported in kernel code
# error@40:7: '@' is not supported on tiles; use tl.dot
# error@41:11: the condition of 'while' holds at compile time (bool True) and nothing leaves the loop: use a run-time value, or break
