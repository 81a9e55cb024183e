# What goes wrong in first kernels, one mistake a program.

# ----- forgot the tl. prefix
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    offsets = arange(0, BLOCK)
    tl.store(x + offsets, 0.0)

# error@11:15: name 'arange' is not defined; did you mean 'range'?

# ----- a name of another library
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.relu(tl.load(x + i)))

# error@25:24: module 'triton.language' has no name 'relu'

# ----- a name with a slip
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arrange(0, BLOCK)
    tl.store(x + i, tl.zeroes([BLOCK], tl.float23))

# error@37:12: module 'triton.language' has no name 'arrange'; did you mean 'arange'?
# error@38:24: module 'triton.language' has no name 'zeroes'; did you mean 'zeros'?
# error@38:43: module 'triton.language' has no name 'float23'; did you mean 'float64'?

# ----- a function of the module math
# run: kernel x=*fp32
import math

import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, math.sqrt(tl.load(x)))

# error@54:27: math.sqrt needs a number known at compile time, found run-time scalar fp32

# ----- numpy in a kernel
# run: kernel x=*fp32 BLOCK:=64
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = np.arange(0, BLOCK)
    tl.store(x + i, np.exp(1.0))

# error@67:12: 'numpy.arange' is not known at compile time
# error@68:24: 'numpy.exp' is not known at compile time

# ----- torch in a kernel
# run: kernel x=*fp32 BLOCK:=64
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    acc = torch.zeros((BLOCK,), dtype=torch.float32)
    tl.store(x + tl.arange(0, BLOCK), acc)

# error@82:17: 'torch.zeros' is not known at compile time

# ----- a torch dtype for a tile
# run: kernel x=*fp32 BLOCK:=64
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=torch.float32)
    tl.store(x + tl.arange(0, BLOCK), acc)

# error@standard.py:64:30: argument 'dtype' of tl.full must be a dtype such as tl.float32, found dtype
# note@96:11: in the call of 'zeros' from here

# ----- the element of a pointer by subscript
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.program_id(0)
    if i < n:
        x[i] = x[i] + 1

# error@112:18: a tile is indexed only with ':' and None, found run-time scalar int32; use tl.gather or a masked tl.sum to pick elements
# error@112:9: assignment to a subscript is not supported: tiles are values; use tl.where, or tl.store for memory

# ----- an element of a tile by subscript
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tile = tl.load(x + tl.arange(0, 8))
    first = tile[0]

# error@126:18: a tile is indexed only with ':' and None, found int 0; use tl.gather or a masked tl.sum to pick elements

# ----- a slice of a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tile = tl.load(x + tl.arange(0, 8))
    half = tile[0:4]

# error@139:17: a tile is indexed only with ':' and None, found slice; use tl.gather or a masked tl.sum to pick elements

# ----- an assignment into a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = tl.zeros([8], tl.float32)
    acc[0] = 1.0

# error@152:5: assignment to a subscript is not supported: tiles are values; use tl.where, or tl.store for memory

# ----- arange with a run-time bound
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, n)

# error@164:22: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32

# ----- arange whose length is no power of two
# run: kernel x=*fp32 BLOCK:=100
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)

# error@176:9: arange length must be a power of two, found 100

# ----- arange with one bound
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(BLOCK)

# error@188:9: tl.arange needs a value for parameter 'end'

# ----- a block size that is no constexpr
# run: kernel x=*fp32 n=i32 BLOCK=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK):
    acc = tl.zeros([BLOCK], tl.float32)

# error@standard.py:64:20: argument 'shape' of tl.full must be known at compile time (a constexpr), found run-time scalar int32
# note@200:11: in the call of 'zeros' from here

# ----- a shape that is not a power of two
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    acc = tl.zeros([3, 16], tl.float32)

# error@standard.py:64:12: dimensions of a tile must be powers of two, found shape [3, 16]
# note@213:11: in the call of 'zeros' from here

# ----- operands of dot with two types
# run: kernel x=*fp16 y=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    i = tl.arange(0, 16)
    a = tl.load(x + i[:, None] * 16 + i[None, :])
    b = tl.load(y + i[:, None] * 16 + i[None, :])
    c = tl.dot(a, b)

# error@229:9: dot needs operands of one type, found fp16[16, 16] and fp32[16, 16]; convert one of the two

# ----- operands of dot whose shapes do not fit
# run: kernel x=*fp16
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 16)
    k = tl.arange(0, 32)
    a = tl.load(x + i[:, None] * 32 + k[None, :])
    b = tl.load(x + i[:, None] * 16 + i[None, :])
    c = tl.dot(a, b)

# error@245:9: dot of fp16[16, 32] and fp16[16, 16]: the inner dimensions 32 and 16 differ

# ----- the operator of matrix products
# run: kernel x=*fp16
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    i = tl.arange(0, 16)
    a = tl.load(x + i[:, None] * 16 + i[None, :])
    c = a @ a

# error@259:11: '@' is not supported on tiles; use tl.dot

# ----- tiles of two lengths are added
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    a = tl.load(x + tl.arange(0, 64))
    b = tl.load(x + tl.arange(0, 32))
    c = a + b

# error@273:11: shapes [64] and [32] cannot be broadcast to one shape: 64 and 32 at dimension 0

# ----- a row and a column without a new axis
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    rows = tl.arange(0, 64)
    columns = tl.arange(0, 32)
    tile = tl.load(x + rows * 32 + columns)

# error@287:34: shapes [64] and [32] cannot be broadcast to one shape: 64 and 32 at dimension 0

# ----- a mask of numbers
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    a = tl.load(x + i, mask=n)

# error@300:9: a mask must be int1, found int32

# ----- a mask that is no comparison
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    a = tl.load(x + i, mask=n - i)

# error@313:9: a mask must be int1, found int32[64]

# ----- and between masks
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    mask = (i < n) and (i > 0)
    a = tl.load(x + i, mask=mask)


# ----- a chained comparison of tiles
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    a = tl.load(x + i, mask=0 <= i < n)

# error@339:29: chained comparison is not supported in kernel code; write `(a < b) & (b < c)`

# ----- not of a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    a = tl.load(x + i, mask=not (i < n))


# ----- if with a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    if a > 0:
        tl.store(x + tl.arange(0, 64), a)

# error@364:8: 'if' needs a scalar condition, found tile int1[64]; use tl.where to choose per element

# ----- while with a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    while a > 0:
        a -= 1

# error@378:11: 'while' needs a scalar condition, found tile int1[64]; use tl.where to choose per element

# ----- a conditional expression of tiles
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    b = a if a > 0 else 0.0

# error@392:14: 'conditional' needs a scalar condition, found tile int1[64]; use tl.where to choose per element

# ----- max of Python on tiles
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    b = max(a, 0)
    tl.store(x + tl.arange(0, 64), b)


# ----- sum of Python on a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    tl.store(x, sum(a))

# error@418:17: tile fp32[64] is not a sequence

# ----- float of a run-time value
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, float(n))

# error@430:17: run-time scalar int32 cannot be made a float

# ----- int of a run-time value
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, int(tl.load(x)))

# error@442:17: run-time scalar fp32 cannot be made an int

# ----- break in a loop
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        if tl.load(x + i) == 0:
            break

# error@456:13: 'break' is not supported in kernel code; loops run to their end, use a condition in the body

# ----- return in a loop
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        if tl.load(x + i) == 0:
            return

# error@470:13: return inside a run-time loop is not supported

# ----- a value is returned by the kernel
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    return a

# error@481:5: a kernel cannot return a value: store it to memory

# ----- a lambda
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    square = lambda v: v * v
    tl.store(x, square(tl.load(x)))

# error@495:14: lambda is not supported in kernel code; define a jit function at module level

# ----- a function in a function
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    def square(v):
        return v * v
    tl.store(x, square(tl.load(x)))

# error@508:5: 'nested def' is not supported in kernel code; define the jit function at module level

# ----- an ordinary function is called
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


def square(v):
    return v * v


@triton.jit
def kernel(x, n):
    tl.store(x, square(tl.load(x)))

# error@526:17: 'square' is an ordinary Python function and is called with a run-time value; decorate it with @triton.jit
# note@520:5: it is defined here

# ----- an ordinary function without arguments uses tl
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


def offsets():
    return tl.arange(0, 64)


@triton.jit
def kernel(x, n):
    tl.store(x + offsets(), 0.0)

# error@543:18: 'offsets' cannot be evaluated at compile time
# note@538:12: tl.arange is called outside of a kernel

# ----- a kernel is launched in a kernel
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def fill(x):
    tl.store(x, 0.0)


@triton.jit
def kernel(x, n):
    fill[(1,)](x)

# error@561:10: function 'fill' cannot be subscripted

# ----- the wrong decorator
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jti
def kernel(x):
    tl.store(x, 0.0)

# error@572:5: 'kernel' is not a kernel: it has no @triton.jit

# ----- no decorator
# run: kernel x=*fp32
import triton
import triton.language as tl


def kernel(x):
    tl.store(x, 0.0)

# error@583:5: 'kernel' is not a kernel: it has no @triton.jit

# ----- a decorator that is called for nothing
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit(nowrap=True)
def kernel(x):
    tl.store(x, 0.0)

# error@595:5: 'kernel' is not a kernel: it has no @triton.jit

# ----- the import is missing
# run: kernel x=*fp32
import triton


@triton.jit
def kernel(x):
    tl.store(x, 0.0)

# error@607:5: name 'tl' is not defined

# ----- an import of what is not there
# run: kernel x=*fp32
import triton
import triton.language as tl
from helpers import square


@triton.jit
def kernel(x):
    tl.store(x, square(tl.load(x)))

# error@620:17: 'square' has no value that is known at compile time
# note@615:21: module 'helpers' is neither built in nor a file beside this one or below an import root

# ----- a number at module level
# run: kernel x=*fp32
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def kernel(x):
    tl.store(x + tl.arange(0, BLOCK), 0.0)

# error@635:31: global 'BLOCK' is not a constexpr: a kernel may read it only if it is marked `BLOCK: tl.constexpr = ...` or `BLOCK = tl.constexpr(...)`
# note@630:1: defined here

# ----- a variable at module level that changes
# run: kernel x=*fp32
import triton
import triton.language as tl

count = [0]


@triton.jit
def kernel(x):
    tl.store(x, count[0])

# error@650:17: global 'count' is not a constexpr: a kernel may read it only if it is marked `count: tl.constexpr = ...` or `count = tl.constexpr(...)`
# note@645:1: defined here

# ----- the loop changes a type
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x + i)
    tl.store(x, acc)

# error@665:9: loop-carried variable 'acc' changes type: run-time scalar int32 before the loop, run-time scalar fp32 after one turn
# note@663:5: its type before the loop is run-time scalar int32

# ----- the loop changes a shape
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(x + tl.arange(0, 64))

# error@681:9: loop-carried variable 'acc' changes type: run-time scalar fp32 before the loop, tile fp32[64] after one turn
# note@679:5: its type before the loop is run-time scalar fp32

# ----- branches with two types
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 0:
        a = tl.load(x)
    else:
        a = 0
    tl.store(x, a)

# error@698:17: 'a' has different types on the two paths of a run-time if: run-time scalar fp32 if the condition holds (line 695), run-time scalar int32 otherwise (line 697)
# note@697:9: it is set here

# ----- branches with two shapes
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 0:
        a = tl.load(x + tl.arange(0, 64))
    else:
        a = tl.load(x + tl.arange(0, 32))
    tl.store(x, tl.sum(a))

# error@715:24: 'a' has different types on the two paths of a run-time if: tile fp32[64] if the condition holds (line 712), tile fp32[32] otherwise (line 714)
# note@714:9: it is set here

# ----- a name of one branch
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 0:
        a = tl.load(x)
    tl.store(x, a)

# error@730:17: 'a' is set only on one path of a run-time if, it has no value when the condition is false
# note@729:9: it is set here

# ----- a name of a loop
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        last = tl.load(x + i)
    tl.store(x, last)

# error@745:17: 'last' is first set inside a run-time loop, which may not run at all; set it before the loop
# note@744:9: it is set here

# ----- a name before it is set
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, total)
    total = 0.0

# error@758:17: name 'total' is not defined

# ----- pointers are added
# run: kernel x=*fp32 y=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    a = tl.load(x + y)

# error@771:19: two pointers cannot be added or subtracted; convert them to int64 first

# ----- a pointer and a float
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + n / 2)

# error@783:19: a pointer moves by integers, found fp32

# ----- the size as a pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(n + tl.arange(0, 64))

# error@795:9: tl.load needs a pointer, found int32[64]

# ----- a value as a pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    tl.store(a, 1.0)

# error@808:5: tl.store needs a pointer, found fp32

# ----- load and store with exchanged arguments
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    tl.store(a, x)

# error@821:5: tl.store needs a pointer, found fp32

# ----- a store of another shape
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    tl.store(x + i, tl.zeros([32], tl.float32))

# error@834:5: a tile of shape [32] cannot be broadcast to [64]

# ----- a tile through a scalar pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.zeros([32], tl.float32))

# error@846:5: tl.store of a tile of shape [32] through a scalar pointer; add offsets to the pointer

# ----- an atomic on a type without one
# run: kernel x=*fp16 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.atomic_max(x, 1.0)

# error@858:5: tl.atomic_max is not defined on fp16

# ----- a tile is printed with print
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    print(f"a is {a}")


# ----- a string as a value
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    mode = "fast"
    if n == mode:
        tl.store(x, 0.0)

# error@883:8: comparison is not supported between run-time scalar int32 and str 'fast'

# ----- a dictionary
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    options = {"scale": 2.0}
    tl.store(x, options["scale"])

# error@896:15: a dictionary is not supported in kernel code

# ----- a list that grows
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    parts = []
    for i in tl.static_range(4):
        parts.append(tl.load(x + i))

# error@911:15: tuple of 0 values has no attribute 'append'
# error@911:15: tuple of 0 values has no attribute 'append'
# error@911:15: tuple of 0 values has no attribute 'append'
# error@911:15: tuple of 0 values has no attribute 'append'

# ----- a loop over a list
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for v in [1.0, 2.0]:
        tl.store(x, v)

# error@926:14: a kernel's 'for' runs over range, tl.range or tl.static_range, not over list of 2 values

# ----- a loop over a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for v in tl.load(x + tl.arange(0, 8)):
        tl.store(x, v)

# error@939:14: a kernel's 'for' runs over range, tl.range or tl.static_range, not over tile fp32[8]

# ----- len of a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, len(a))

# error@953:17: tile fp32[8] has no length

# ----- an unknown keyword
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x, masks=n > 0)

# error@965:26: tl.load has no parameter 'masks'; did you mean 'mask'?

# ----- a keyword of another function
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.sum(tl.load(x + tl.arange(0, 8)), dim=0)

# error@977:50: 'sum' has no parameter 'dim'
# note@standard.py:177:5: function 'sum' is defined here

# ----- too many arguments
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.program_id(0, 1)

# error@990:26: tl.program_id takes 1 argument, 2 were given

# ----- an argument is missing
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x)

# error@1002:5: tl.store needs a value for parameter 'value'

# ----- a method that tiles do not have
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, a.mean())

# error@1015:19: tile fp32[8] has no attribute 'mean'

# ----- the size of a tile by a method of torch
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, a.size(0))

# error@1028:19: tile fp32[8] has no attribute 'size'; did you mean 'sin'?

# ----- astype instead of to
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x).astype(tl.float16)

# error@1040:20: run-time scalar fp32 has no attribute 'astype'

# ----- a dtype as a text
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x).to("float16")

# error@1052:23: argument 'dtype' of tensor.to must be a dtype such as tl.float32, found str 'float16'

# ----- a dtype of Python
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x).to(float)

# error@1064:23: argument 'dtype' of tensor.to must be a dtype such as tl.float32, found function

# ----- the square root of an integer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.sqrt(n))

# error@1076:17: tl.sqrt needs fp32 or fp64, found int32; convert with .to(tl.float32)

# ----- exp of fp16
# run: kernel x=*fp16 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.exp(tl.load(x)))

# error@1088:17: tl.exp needs fp32 or fp64, found fp16; convert with .to(tl.float32)

# ----- a power
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.load(x) ** 2)

# error@1100:28: '**' is not supported on run-time values

# ----- floor division of floats
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.load(x) // 2)

# error@1112:28: '//' is not defined on floats; use '/' and tl.floor

# ----- a bit operation on floats
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.load(x) & 1)

# error@1124:28: bitwise operation on fp32; it needs integers

# ----- an axis that the tile does not have
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, tl.sum(a, axis=1))

# error@standard.py:179:12: axis 1 is outside of a tile of 1 dimension
# note@1137:17: in the call of 'sum' from here

# ----- a program axis beyond the grid
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x + tl.program_id(3), 0.0)

# error@1150:18: program_id axis must be 0, 1 or 2, found 3

# ----- a reshape to another size
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    b = tl.reshape(a, (4, 4))

# error@1163:9: a tile of shape [8] (8 elements) cannot be reshaped to [4, 4] (16)

# ----- a transposition of a row
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8)).T

# error@1175:38: transposition needs two dimensions, found shape [8]

# ----- a boolean operator on floats
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    if a and n:
        tl.store(x, 0.0)

# error@1188:8: 'and' on run-time values needs int1, found fp32; compare with zero first

# ----- try in a kernel
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    try:
        tl.store(x, 0.0)
    except Exception:
        pass

# error@1201:5: 'try' is not supported in kernel code

# ----- a class in a kernel
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    class Config:
        size = 4

# error@1216:5: 'class' is not supported in kernel code

# ----- input and output
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    with open("log") as log:
        log.write("here")

# error@1229:10: name 'open' is not defined; did you mean 'len'?

# ----- random numbers of Python
# run: kernel x=*fp32 n=i32
import random

import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, random.random())

# error@1244:17: 'random' has no value that is known at compile time
# note@1236:8: module 'random' is neither built in nor a file beside this one or below an import root

# ----- the type of an argument is missing
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    tl.store(x, n)

# error@1256:15: argument 'n' of kernel 'kernel' has no type
# error@1256:18: constexpr parameter 'BLOCK' of kernel 'kernel' has no value; give one, such as BLOCK=128

# ----- a constexpr is assigned again
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    BLOCK = BLOCK * 2
    i = tl.arange(0, BLOCK)

# error@1271:22: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32

# ----- None as a pointer
# run: kernel x=*fp32 y:=None
import triton
import triton.language as tl


@triton.jit
def kernel(x, y: tl.constexpr):
    tl.store(x, tl.load(y))

# error@1283:25: a tile or a number is needed here, found None

# ----- a pointer is compared with None at run time
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    if x == None:
        tl.store(x, 1.0)

# error@1295:8: a run-time value is compared with None; write `is None` or `is not None`

# ----- assert with a tile and no message
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    assert x


# ----- global state
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    global counter
    counter = 1

# error@1319:5: 'global' is not supported in kernel code

# ----- a star as argument
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, *n)

# error@1332:17: '*' needs a tuple or list, found run-time scalar int32

# ----- an attribute is set on a pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    x.dtype = tl.float16

# error@1344:5: assignment to an attribute is not supported in kernel code

# ----- printf
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    printf("%d", n)

# error@1356:5: name 'printf' is not defined; did you mean 'print'?
