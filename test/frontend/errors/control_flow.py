# Conditions, loops, returns and other statements.

# ----- conditions
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl

size = unknown


@triton.jit
def k(o, n, B: tl.constexpr):
    if tl.arange(0, 8) > 4:
        tl.store(o, 0)
    if range(4):
        pass
    if slice:
        pass
    a = 1 if range(4) else 2
    while range(4):
        pass
    while B:
        pass
    assert range(4)
    a = range(4) and n
    a = n and "a"

# error@13:8: 'if' needs a scalar condition, found tile int1[8]; use tl.where to choose per element
# error@15:8: condition is neither known at compile time nor a run-time scalar: range
# error@17:8: name 'slice' is not defined; did you mean 'size'?
# error@19:14: condition is not known at compile time: range
# error@20:11: condition of 'while' is neither known at compile time nor a run-time scalar: range
# error@22:11: the condition of 'while' holds at compile time (int 64) and nothing leaves the loop: use a run-time value, or break
# error@24:12: condition of assert is neither known now nor a run-time value: range
# error@25:9: truth of range is not known at compile time
# error@26:15: a tile or a number is needed here, found str 'a'

# ----- loops
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    for i in range(n):
        pass
    else:
        pass
    while n > 0:
        pass
    else:
        pass
    for i, j in range(n):
        pass
    for i in range(0, n, 0):
        pass
    for i in range(0, n, n):
        pass
    for i in range(0, 1.5):
        pass
    for i in range(o):
        pass
    for i in range(tl.arange(0, 8)):
        pass
    for i in tl.static_range(n):
        pass
    for i in tl.static_range(0, 4, 0):
        pass
    for i in tl.range(0, n, num_stages=n):
        pass
    for i in tl.range(0, n, loop_unroll_factor="2"):
        pass
    for i in tl.range(0, n, stages=2):
        pass
    for i in B:
        pass

# error@46:5: 'else' of a loop is not supported in kernel code; set a variable before break and test it behind the loop
# error@50:5: 'else' of a loop is not supported in kernel code; set a variable before break and test it behind the loop
# error@54:9: the loop variable of a range must be one name
# error@56:14: step of a loop is zero
# error@60:14: range needs integers, found float 1.5
# error@62:14: bounds of a loop must be integer scalars, found *fp32
# error@64:14: bounds of a loop must be integer scalars, found int32[8]
# error@66:14: bounds of tl.static_range must be integers known at compile time, found run-time scalar int32
# error@68:14: step of a loop is zero
# error@70:40: argument 'num_stages' of tl.range must be known at compile time (a constexpr), found run-time scalar int32
# error@72:48: argument 'loop_unroll_factor' of tl.range must be an integer, found str '2'
# error@74:36: tl.range has no parameter 'stages'
# error@76:14: a kernel's 'for' runs over range, tl.range or tl.static_range, not over int 64

# ----- variables of loops
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    C: tl.constexpr = 4
    for i in range(n):
        C = C + 1
    text = "a"
    for i in range(n):
        text = "b"
    part = tl.load(o)
    for i in range(n):
        if i > 2:
            other = 1
        else:
            other = 2.0
        part = other
    pair = (1, 2)
    for i in range(n):
        pair = (1, 2, 3)
    x = 0
    for i in range(n):
        if i > 2:
            x = 1.0

# error@103:9: 'C' is int 4 at compile time and is reassigned in a run-time loop
# note@101:5: its compile-time value is set here; leave out tl.constexpr to make it a variable
# error@106:9: 'text' is str 'a' at compile time and is reassigned in a run-time loop
# note@104:5: its compile-time value is set here; leave out tl.constexpr to make it a variable
# error@113:16: 'other' has different types on the two paths of a run-time if: run-time scalar int32 if the condition holds, run-time scalar fp32 otherwise; give it one type on both paths
# note@110:13: it is run-time scalar int32 from here
# note@112:13: it is run-time scalar fp32 from here
# error@116:9: loop-carried variable 'pair' changes type: tuple of 2 values before the loop, tuple of 3 values after one iteration; give it the later type before the loop
# note@114:5: its type before the loop is tuple of 2 values
# error@117:5: loop-carried variable 'x' has different types on the two paths of a run-time if: run-time scalar fp32 if the condition holds, run-time scalar int32 otherwise; give it one type on both paths
# note@120:13: it is run-time scalar fp32 from here
# note@117:5: it is run-time scalar int32 from here

# ----- returns
# run: k o=*fp32 n=i32
# run: early o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def pick(n):
    if n > 0:
        return 1.0
    return 2


@triton.jit
def either(n):
    if n > 0:
        return 1
    else:
        return 1, 2


@triton.jit
def sometimes(n):
    if n > 0:
        return 1


@triton.jit
def k(o, n):
    tl.store(o, pick(n))
    tl.store(o, either(n))
    tl.store(o, sometimes(n))


@triton.jit
def early(o, n):
    if n > 0:
        return n
    return 1

# error@144:5: returned values differ in type: run-time scalar fp32 on one path, run-time scalar int32 on another; return one type on every path
# note@165:17: in the call of 'pick' from here
# error@151:5: returned values differ in type: run-time scalar int32 on one path, tuple of 2 values on another; return one type on every path
# note@166:17: in the call of 'either' from here
# error@159:5: returned values differ in type: run-time scalar int32 on one path, None on another; return one type on every path
# note@167:17: in the call of 'sometimes' from here
# error@173:9: a kernel cannot return a value: store it to memory
# error@174:5: a kernel cannot return a value: store it to memory

# ----- a view of one path
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def k(o, n):
    if n > 4:
        return
    elif n > 2:
        q = tl.make_block_ptr(o, (n,), (1,), (0,), (16,), (0,))
    else:
        q = tl.make_block_ptr(o + 1, (n,), (1,), (0,), (16,), (0,))
    tl.store(q, tl.zeros([16], tl.float32))

# error@196:9: a block pointer or descriptor that is set on one path of a run-time if beside a return cannot be used after it; set it before the if

# ----- a view of a loop
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def find(o, n):
    for i in range(n):
        view = tl.make_block_ptr(o, (n,), (1,), (i,), (16,), (0,))
        if i > 4:
            return view
    return tl.make_block_ptr(o, (n,), (1,), (0,), (16,), (0,))


@triton.jit
def k(o, n):
    tl.store(find(o, n), tl.zeros([16], tl.float32))

# error@211:5: a block pointer or descriptor that is made in a loop or on one path of a run-time if cannot be returned from there; make it before
# note@220:14: in the call of 'find' from here

# ----- statements
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def k(o, n):
    nonlocal n
    from os import path
    async with o:
        pass
    yield n
    type X = int
    a: tl.constexpr
    a: tl.constexpr = n
    f(n) + 1
    tl.load(o)[0] = 1
    (yield)
    assert n, n

# error@233:5: 'nonlocal' is not supported in kernel code
# error@234:5: 'import' is not supported in kernel code; import at module level
# error@235:5: 'async with' is not supported in kernel code
# error@237:5: yield is not supported in kernel code
# error@238:5: 'type' is not supported in kernel code
# error@241:5: name 'f' is not defined
# error@242:5: assignment to a subscript is not supported: tiles and sequences are values; use tl.where for a tile
# error@243:6: yield is not supported in kernel code
# error@244:5: argument 'msg' of tl.device_assert must be a string, found run-time scalar int32
