# What goes wrong in first kernels, one mistake a program.

# ----- forgot the tl. prefix
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    offsets = arange(0, BLOCK)
    tl.store(x + offsets, 0.0)

# error@11:15: name 'arange' is not defined; did you mean 'tl.arange'?

# ----- a name of another library
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.relu(tl.load(x + i)))

# error@25:24: module 'triton.language' has no name 'relu'; write tl.maximum(x, 0.0)

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
# error@38:43: module 'triton.language' has no name 'float23'; did you mean 'float32'?

# ----- a function of the module math
# run: kernel x=*fp32
import math

import triton
import triton.language as tl


@triton.jit
def kernel(x):
    tl.store(x, math.sqrt(tl.load(x)))

# error@54:27: math.sqrt needs a number known at compile time, found run-time scalar fp32; use tl.sqrt for run-time values

# ----- numpy in a kernel
# run: kernel x=*fp32 BLOCK:=64
import numpy as np
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    i = np.arange(0, BLOCK)
    tl.store(x + i, np.exp(1.0))

# error@67:12: 'numpy.arange' is not known at compile time: it is the host's; did you mean 'tl.arange'?
# error@68:24: 'numpy.exp' is not known at compile time: it is the host's; did you mean 'tl.exp'?

# ----- torch in a kernel
# run: kernel x=*fp32 BLOCK:=64
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    acc = torch.zeros((BLOCK,), dtype=torch.float32)
    tl.store(x + tl.arange(0, BLOCK), acc)

# error@82:17: 'torch.zeros' is not known at compile time: it is the host's; did you mean 'tl.zeros'?

# ----- a torch dtype for a tile
# run: kernel x=*fp32 BLOCK:=64
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=torch.float32)
    tl.store(x + tl.arange(0, BLOCK), acc)

# error@96:11: argument 'dtype' of tl.full must be a dtype such as tl.float32, found dtype; write tl.float32
# note@standard.py:64:30: in the source of the library

# ----- the element of a pointer by subscript
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.program_id(0)
    if i < n:
        x[i] = x[i] + 1

# error@112:18: unsupported tensor index: a pointer is not subscripted; use tl.load(pointer + offset)
# error@112:9: memory is not written by a subscript; use tl.store(pointer + offset, value)

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

# error@139:17: unsupported tensor index: a tile cannot be sliced; load the part that is needed, or use tl.split of a reshaped tile

# ----- an assignment into a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = tl.zeros([8], tl.float32)
    acc[0] = 1.0

# error@152:5: assignment to a subscript is not supported: tiles and sequences are values; use tl.where for a tile

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

# error@200:11: argument 'shape' of tl.full must be known at compile time (a constexpr), found run-time scalar int32
# note@standard.py:64:20: in the source of the library

# ----- a shape that is not a power of two
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    acc = tl.zeros([3, 16], tl.float32)

# error@213:11: dimensions of a tile must be powers of two, found shape [3, 16]
# note@standard.py:64:12: in the source of the library

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

# ----- a chained comparison of tiles
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    a = tl.load(x + i, mask=0 <= i < n)

# error@326:29: chained comparison is not supported in kernel code; write `(a < b) & (b < c)`

# ----- if with a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    if a > 0:
        tl.store(x + tl.arange(0, 64), a)

# error@339:8: 'if' needs a scalar condition, found tile int1[64]; use tl.where to choose per element

# ----- while with a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    while a > 0:
        a -= 1

# error@353:11: 'while' needs a scalar condition, found tile int1[64]; use tl.where to choose per element

# ----- a conditional expression of tiles
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    b = a if a > 0 else 0.0

# error@367:14: 'if' needs a scalar condition, found tile int1[64]; use tl.where to choose per element

# ----- sum of Python on a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 64))
    tl.store(x, sum(a))

# error@380:17: tile fp32[64] is not a sequence; use tl.sum(x, axis) to add its elements, tl.max for the largest

# ----- float of a run-time value
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, float(n))

# error@392:17: run-time scalar int32 cannot be made a float; use x.to(tl.float32)

# ----- int of a run-time value
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, int(tl.load(x)))

# error@404:17: run-time scalar fp32 cannot be made an int; use x.to(tl.int32)

# ----- break and continue outside of a loop
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def helper(n):
    if n > 0:
        continue


@triton.jit
def kernel(x, n):
    for i in range(n):
        helper(i)
    break

# error@417:9: 'continue' outside of a loop
# note@423:9: in the call of 'helper' from here
# error@424:5: 'break' outside of a loop

# ----- a loop that nothing leaves
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    while True:
        tl.store(x, n)

# error@438:11: the condition of 'while' holds at compile time (bool True) and nothing leaves the loop: use a run-time value, or break

# ----- a tile decides on break
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        if tl.load(x + tl.arange(0, 8)) > 0:
            break

# error@452:12: 'if' needs a scalar condition, found tile int1[8]; use tl.where to choose per element

# ----- what a loop that is left carries
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    count = 0
    for i in range(n):
        if i > 3:
            count = 1.5
            break
    tl.store(x, count)
    k = 1.5
    for k in range(n):
        tl.store(x, k)
    tl.store(x, k)
    for j in range(n):
        if j > 3:
            only = j
            continue
    tl.store(x, only)

# error@465:5: loop-carried variable 'count' has different types on the two paths of a run-time if: run-time scalar fp32 if the condition holds, run-time scalar int32 otherwise; give it one type on both paths
# note@468:13: it is run-time scalar fp32 from here
# note@465:5: it is run-time scalar int32 from here
# error@474:17: 'k' is run-time scalar int32 as the variable of a run-time loop, and of another type before it; give the two one type
# note@471:5: it is run-time scalar fp32 before the loop, from here
# error@479:17: 'only' is first set inside a run-time loop, which may not run at all; set it before the loop
# note@477:13: it is set here

# ----- break in a with
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl
import triton.profiler.language as pl


@triton.jit
def kernel(x, n):
    for i in range(n):
        with pl.scope("a"):
            break

# error@499:9: return, break and continue inside a 'with' are not supported in kernel code

# ----- a value is returned by the kernel
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    return a

# error@513:5: a kernel cannot return a value: store it to memory

# ----- a lambda
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    square = lambda v: v * v
    tl.store(x, square(tl.load(x)))

# error@525:14: lambda is not supported in kernel code; define a jit function at module level

# ----- a function in a function
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    def square(v):
        return v * v
    tl.store(x, square(tl.load(x)))

# error@538:5: 'nested def' is not supported in kernel code; define the jit function at module level

# ----- an ordinary function is called
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


def square(v):
    return v * v


@triton.jit
def kernel(x, n):
    tl.store(x, square(tl.load(x)))

# error@556:17: 'square' is an ordinary Python function and is called with a run-time value; decorate it with @triton.jit
# note@550:5: it is defined here

# ----- an ordinary function without arguments uses tl
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


def offsets():
    return tl.arange(0, 64)


@triton.jit
def kernel(x, n):
    tl.store(x + offsets(), 0.0)

# error@573:18: 'offsets' cannot be evaluated at compile time; a function of the kernel needs @triton.jit
# note@568:12: tl.arange is called outside of a kernel

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

# error@591:10: function 'fill' cannot be subscripted; kernel code calls it without a grid: fill(...)

# ----- the wrong decorator
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jti
def kernel(x):
    tl.store(x, 0.0)

# error@602:5: 'kernel' is not a kernel: it has no decorator @triton.jit
# note@601:9: module 'triton' has no name 'jti'; did you mean 'jit'?

# ----- no decorator
# run: kernel x=*fp32
import triton
import triton.language as tl


def kernel(x):
    tl.store(x, 0.0)

# error@614:5: 'kernel' is not a kernel: it has no decorator @triton.jit

# ----- a decorator that is called for nothing
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit(nowrap=True)
def kernel(x):
    tl.store(x, 0.0)

# error@626:5: 'kernel' is not a kernel: it has no decorator @triton.jit
# note@625:20: triton.jit has no parameter 'nowrap'

# ----- the import is missing
# run: kernel x=*fp32
import triton


@triton.jit
def kernel(x):
    tl.store(x, 0.0)

# error@639:5: name 'tl' is not defined; write `import triton.language as tl`

# ----- an import of what is not there
# run: kernel x=*fp32
import triton
import triton.language as tl
from helpers import square


@triton.jit
def kernel(x):
    tl.store(x, square(tl.load(x)))

# error@652:17: 'square' has no value that is known at compile time
# note@647:21: module 'helpers' is neither built in nor a file beside this one or below an import root

# ----- a number at module level
# run: kernel x=*fp32
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def kernel(x):
    tl.store(x + tl.arange(0, BLOCK), 0.0)

# error@667:31: global 'BLOCK' is not a constexpr: a kernel may read it only if it is marked `BLOCK: tl.constexpr = ...` or `BLOCK = tl.constexpr(...)`
# note@662:1: defined here

# ----- a variable at module level that changes
# run: kernel x=*fp32
import triton
import triton.language as tl

count = [0]


@triton.jit
def kernel(x):
    tl.store(x, count[0])

# error@682:17: global 'count' is not a constexpr: a kernel may read it only if it is marked `count: tl.constexpr = ...` or `count = tl.constexpr(...)`
# note@677:1: defined here

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

# error@697:9: loop-carried variable 'acc' changes type: run-time scalar int32 before the loop, run-time scalar fp32 after one iteration; give it the later type before the loop
# note@695:5: its type before the loop is run-time scalar int32

# ----- the loop changes a shape
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    acc = 0.0
    for i in range(n):
        acc += tl.load(x + tl.arange(0, 64))

# error@713:9: loop-carried variable 'acc' changes type: run-time scalar fp32 before the loop, tile fp32[64] after one iteration; give it the later type before the loop
# note@711:5: its type before the loop is run-time scalar fp32

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

# error@730:17: 'a' has different types on the two paths of a run-time if: run-time scalar fp32 if the condition holds, run-time scalar int32 otherwise; give it one type on both paths
# note@727:9: it is run-time scalar fp32 from here
# note@729:9: it is run-time scalar int32 from here

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

# error@748:24: 'a' has different types on the two paths of a run-time if: tile fp32[64] if the condition holds, tile fp32[32] otherwise; give it one type on both paths
# note@745:9: it is tile fp32[64] from here
# note@747:9: it is tile fp32[32] from here

# ----- a name of one branch
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    if n > 0:
        a = tl.load(x)
    tl.store(x, a)

# error@764:17: 'a' is set only on one path of a run-time if, it has no value when the condition is false; set it before the if or on both paths
# note@763:9: it is set here

# ----- a name of a loop
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for i in range(n):
        last = tl.load(x + i)
    tl.store(x, last)

# error@779:17: 'last' is first set inside a run-time loop, which may not run at all; set it before the loop
# note@778:9: it is set here

# ----- a name before it is set
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, total)
    total = 0.0

# error@792:17: name 'total' is not defined yet: it is set only further down

# ----- pointers are added
# run: kernel x=*fp32 y=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x, y):
    a = tl.load(x + y)

# error@805:19: two pointers cannot be added or subtracted; convert them to int64 first

# ----- a pointer and a float
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + n / 2)

# error@817:19: a pointer moves by integers, found fp32

# ----- the size as a pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(n + tl.arange(0, 64))

# error@829:9: tl.load needs a pointer, found int32[64]

# ----- a value as a pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    tl.store(a, 1.0)

# error@842:5: tl.store needs a pointer, found fp32

# ----- load and store with exchanged arguments
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    tl.store(a, x)

# error@855:5: tl.store takes the pointer first and the value second, found fp32 and *fp32

# ----- a store of another shape
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    i = tl.arange(0, 64)
    tl.store(x + i, tl.zeros([32], tl.float32))

# error@868:5: the value of tl.store of shape [32] cannot be broadcast to [64], the shape of the pointer

# ----- a tile through a scalar pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.zeros([32], tl.float32))

# error@880:5: tl.store of a tile of shape [32] through a scalar pointer; add offsets to the pointer

# ----- an atomic on a type without one
# run: kernel x=*fp16 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.atomic_max(x, 1.0)

# error@892:5: tl.atomic_max is not defined on fp16

# ----- a tile is printed with print
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    print(f"a is {a}")

# error@905:19: an f-string holds compile-time values, found run-time scalar fp32; tl.device_print("text", x) prints run-time ones

# ----- a string as a value
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    mode = "fast"
    if n == mode:
        tl.store(x, 0.0)

# error@918:8: comparison is not supported between run-time scalar int32 and str 'fast'

# ----- a dictionary
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    options = {"scale": 2.0}
    tl.store(x, options["scale"])

# error@931:15: a dictionary is not supported in kernel code

# ----- a list that grows
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    parts = []
    for i in tl.static_range(4):
        parts.append(tl.load(x + i))

# error@946:15: tuple of 0 values has no attribute 'append'; a sequence does not change in kernel code, make a new one with +

# ----- a loop over a list
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for v in [1.0, 2.0]:
        tl.store(x, v)

# error@958:14: a kernel's 'for' runs over range, tl.range or tl.static_range, not over list of 2 values

# ----- a loop over a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    for v in tl.load(x + tl.arange(0, 8)):
        tl.store(x, v)

# error@971:14: a kernel's 'for' runs over range, tl.range or tl.static_range, not over tile fp32[8]

# ----- len of a tile
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, len(a))

# error@985:17: tile fp32[8] has no length; its sizes are in x.shape

# ----- an unknown keyword
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x, masks=n > 0)

# error@997:26: tl.load has no parameter 'masks'; did you mean 'mask'?

# ----- a keyword of another function
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.sum(tl.load(x + tl.arange(0, 8)), dim=0)

# error@1009:50: 'sum' has no parameter 'dim'
# note@standard.py:177:5: function 'sum' is defined here

# ----- too many arguments
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.program_id(0, 1)

# error@1022:26: tl.program_id takes 1 argument, 2 were given

# ----- an argument is missing
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x)

# error@1034:5: tl.store needs a value for parameter 'value'

# ----- a method that tiles do not have
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, a.mean())

# error@1047:19: tile fp32[8] has no attribute 'mean'; write tl.sum(x, axis) / n

# ----- the size of a tile by a method of torch
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, a.size(0))

# error@1060:19: tile fp32[8] has no attribute 'size'; write x.shape[axis]

# ----- astype instead of to
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x).astype(tl.float16)

# error@1072:20: run-time scalar fp32 has no attribute 'astype'; write x.to(dtype)

# ----- a dtype as a text
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x).to("float16")

# error@1084:23: argument 'dtype' of tensor.to must be a dtype such as tl.float32, found str 'float16'; write tl.float16

# ----- a dtype of Python
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x).to(float)

# error@1096:23: argument 'dtype' of tensor.to must be a dtype such as tl.float32, found function

# ----- the square root of an integer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.sqrt(n))

# error@1108:17: tl.sqrt needs fp32 or fp64, found int32; convert with .to(tl.float32)

# ----- exp of fp16
# run: kernel x=*fp16 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.exp(tl.load(x)))

# error@1120:17: tl.exp needs fp32 or fp64, found fp16; convert with .to(tl.float32)

# ----- a power
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.load(x) ** 2)

# error@1132:28: '**' is not supported on run-time values; write x * x, or tl.exp2(y * tl.log2(x))

# ----- floor division of floats
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.load(x) // 2)

# error@1144:28: '//' is not defined on floats; use '/' and tl.floor

# ----- a bit operation on floats
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, tl.load(x) & 1)

# error@1156:28: invalid operands of type fp32: bitwise operations need integers

# ----- an axis that the tile does not have
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    tl.store(x, tl.sum(a, axis=1))

# error@1169:17: axis 1 is outside of a tile of 1 dimension; its only axis is 0
# note@standard.py:179:12: in the source of the library

# ----- a program axis beyond the grid
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x + tl.program_id(3), 0.0)

# error@1182:18: program_id axis must be 0, 1 or 2, found 3

# ----- a reshape to another size
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8))
    b = tl.reshape(a, (4, 4))

# error@1195:9: a tile of shape [8] (8 elements) cannot be reshaped to [4, 4] (16)

# ----- a transposition of a row
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x + tl.arange(0, 8)).T

# error@1207:38: transposition needs two dimensions, found shape [8]; x[:, None] is a column

# ----- a boolean operator on floats
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    a = tl.load(x)
    if a and n:
        tl.store(x, 0.0)

# error@1220:8: 'and' on run-time values needs int1, found fp32; compare with zero first

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

# error@1233:5: 'try' is not supported in kernel code

# ----- a class in a kernel
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    class Config:
        size = 4

# error@1248:5: 'class' is not supported in kernel code

# ----- input and output
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    with open("log") as log:
        log.write("here")

# error@1261:10: name 'open' is not defined

# ----- random numbers of Python
# run: kernel x=*fp32 n=i32
import random

import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, random.random())

# error@1276:17: 'random' has no value that is known at compile time
# note@1268:8: module 'random' is neither built in nor a file beside this one or below an import root

# ----- the type of an argument is missing
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    tl.store(x, n)

# error@1288:15: argument 'n' of kernel 'kernel' has no type; give one, such as n=i32
# error@1288:18: constexpr parameter 'BLOCK' of kernel 'kernel' has no value; give one, such as BLOCK=128

# ----- a constexpr is assigned again
# run: kernel x=*fp32 BLOCK:=64
import triton
import triton.language as tl


@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    BLOCK = BLOCK * 2
    i = tl.arange(0, BLOCK)

# error@1303:22: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32; a number that is assigned becomes a run-time value, unless it is written `name: tl.constexpr = ...`

# ----- None as a pointer
# run: kernel x=*fp32 y:=None
import triton
import triton.language as tl


@triton.jit
def kernel(x, y: tl.constexpr):
    tl.store(x, tl.load(y))

# error@1315:25: a tile or a number is needed here, found None

# ----- a pointer is compared with None at run time
# run: kernel x=*fp32
import triton
import triton.language as tl


@triton.jit
def kernel(x):
    if x == None:
        tl.store(x, 1.0)

# error@1327:8: a run-time value is compared with None; write `is None` or `is not None`

# ----- global state
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    global counter
    counter = 1

# error@1340:5: 'global' is not supported in kernel code

# ----- a star as argument
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    tl.store(x, *n)

# error@1353:17: '*' needs a tuple or list, found run-time scalar int32

# ----- an attribute is set on a pointer
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    x.dtype = tl.float16

# error@1365:5: assignment to an attribute is not supported in kernel code

# ----- printf
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def kernel(x, n):
    printf("%d", n)

# error@1377:5: name 'printf' is not defined; did you mean 'print'?

# ----- break in a combining function
# run: kernel x=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def combine(a, b):
    for i in range(3):
        if b > i:
            break
        a += b
    return a


@triton.jit
def kernel(x, n):
    tl.store(x, tl.reduce(tl.load(x + tl.arange(0, 8)), 0, combine))

# error@1398:17: the combining function must not have 'while' loops, nor loops that break or return leaves
