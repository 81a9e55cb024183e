# Host code, records, parameters: what a kernel cannot use, and why.

# ----- values that reading the file does not give
# run: k o=*fp32 n=i32
import collections
import functools
import os

import triton
import triton.language as tl
from packaging import version


class Plain:
    pass


@triton.jit
def jitted(x):
    return x


def raises():
    raise ValueError


def decides():
    if unknown:
        return 1
    return 2


def loops():
    for v in unknown:
        pass
    return 1


def waits():
    while unknown:
        pass
    return 1


for v in unknown:
    looped = 1

while unknown:
    waited = 1

with open("f") as f:
    read = f

one, two = unknown
called = str(unknown)
launched = jitted(1)
made = {"a": 1, **unknown}
picked = unknown[0]
parsed = version.parse("x.y")
numbered = version.parse(3)
divided = triton.cdiv(1.5, 2)
named = os.getenv(3)
started = "abc".startswith(3)
doubled = functools.reduce
spread = str(*unknown)
unnamed = collections.namedtuple(3, 'a')


@triton.jit
def k(o, n):
    a = Plain()
    a = raises()
    a = decides()
    a = loops()
    a = waits()
    a = looped
    a = waited
    a = read
    a = one
    a = called
    a = launched
    a = made
    a = picked
    a = parsed
    a = numbered
    a = divided
    a = named
    a = started
    a = doubled
    a = spread
    a = unnamed
    triton.cdiv(1.5, 2)
    "abc".startswith(3)

# error@71:9: 'Plain' has no value that is known at compile time
# note@14:1: class 'Plain' is not understood by the compiler
# error@72:9: 'raises' cannot be evaluated at compile time; a function of the kernel needs @triton.jit
# note@24:5: the function raises here
# error@73:9: 'decides' cannot be evaluated at compile time; a function of the kernel needs @triton.jit
# note@28:5: condition of 'if' is not known at compile time
# error@74:9: 'loops' cannot be evaluated at compile time; a function of the kernel needs @triton.jit
# note@34:5: loop over an unknown sequence
# error@75:9: 'waits' cannot be evaluated at compile time; a function of the kernel needs @triton.jit
# note@40:5: loop with an unknown condition
# error@76:9: 'looped' has no value that is known at compile time
# note@45:1: set in a loop over an unknown sequence
# error@77:9: 'waited' has no value that is known at compile time
# note@48:1: set in a loop with an unknown condition
# error@78:9: 'read' has no value that is known at compile time
# note@51:1: set by a 'with' statement
# error@79:9: 'one' has no value that is known at compile time
# note@54:12: unpacked from an unknown value
# error@80:9: global 'called' is not a constexpr: a kernel may read it only if it is marked `called: tl.constexpr = ...` or `called = tl.constexpr(...)`
# note@55:1: defined here
# error@81:9: 'launched' has no value that is known at compile time
# note@56:12: kernel 'jitted' is called in host code
# error@82:9: 'made' has no value that is known at compile time
# note@57:19: unknown value in a dictionary
# error@83:9: 'picked' has no value that is known at compile time
# note@58:18: subscript of an unknown value
# error@84:9: 'parsed' has no value that is known at compile time
# note@59:10: no version: 'x.y'
# error@85:9: 'numbered' has no value that is known at compile time
# note@60:12: a version is written as a text
# error@86:9: 'divided' has no value that is known at compile time
# note@61:11: triton.cdiv needs integers, found float 1.5 and int 2
# error@87:9: 'named' has no value that is known at compile time
# note@62:19: a variable's name is a string
# error@88:9: 'started' has no value that is known at compile time
# note@63:28: a string is needed
# error@89:9: 'doubled' has no value that is known at compile time
# note@64:21: module 'functools' is neither built in nor a file beside this one or below an import root
# error@90:9: 'spread' has no value that is known at compile time
# note@65:10: call with unknown arguments
# error@91:9: 'unnamed' has no value that is known at compile time
# note@66:11: namedtuple without a name
# error@92:5: triton.cdiv needs integers, found float 1.5 and int 2
# error@93:22: a string is needed

# ----- records and aggregates
# run: k o=*fp32 n=i32
from typing import NamedTuple

import triton
import triton.language as tl


class Pair(NamedTuple):
    first: int
    second: int


@triton.aggregate
class Half:
    first: tl.tensor

    def __init__(self, first):
        self.first = first


@triton.aggregate
class Order:
    first: tl.tensor
    second: tl.tensor

    def __init__(self, first):
        self.second = self.first
        self.first = first


made = Half(1)


@triton.jit
def k(o, n):
    a = Pair(1, 2, 3)
    a = Pair(1, third=2)
    a = Pair(1)
    a = Pair(1, 2)["first"]
    a = max(Pair, 1)
    a = max(Pair, Pair)
    a = Half("text")
    a = Half((1, 2))
    a = made
    a = Order(n)
    a = [1, 2]
    [1, 2].append(3)
    [1, 2].extend([3])
    b = (*n,)
    c = *n

# error@176:20: too many values for Pair
# error@177:23: Pair has no field 'third'
# error@178:9: field 'second' of Pair has no value
# error@179:20: a named tuple has no index str 'first'
# error@180:9: comparison is not supported between class 'Pair' and int 1
# error@181:9: comparison is not supported between class 'Pair' and class 'Pair'
# error@182:9: field 'first' of Half is a tensor, found str 'text'
# error@183:9: field 'first' of Half is a tensor, found tuple of 2 values
# error@184:9: 'made' has no value that is known at compile time
# note@171:8: aggregate Half is made outside of a kernel
# error@167:28: field 'first' of Order is not set yet
# note@185:9: in the call of '__init__' from here
# error@187:5: a list cannot change in kernel code; make a new one with `+`
# error@188:5: a list can only be extended by a list in host code
# error@189:10: '*' needs a tuple or list, found run-time scalar int32
# error@190:9: a starred expression here is not supported in kernel code

# ----- a module is not imported
# run: k o=*fp32
from triton import jit


@jit
def k(o):
    triton.language.store(o, 1.0)

# error@216:5: name 'triton' is not defined; write `import triton`

# ----- parameters and their types
# run: k o=*fp32 p=fp99 t=tensordesc<fp16> u=void c:=nothing
# run: stars a=*fp32
# run: missing a=*fp32
import triton
import triton.language as tl


@triton.jit
def k(o, p, t, u, c: tl.constexpr):
    pass


@triton.jit
def stars(a, *rest):
    pass


@triton.jit
def missing(a, b: tl.constexpr = unknown):
    pass

# error@229:10: argument 'p' has type 'fp99', which is no type of an argument; examples are *fp16, i32, fp32
# error@229:13: argument 't' has type 'tensordesc<fp16>'; a tensor descriptor is written as tensordesc<fp16[64, 64]>
# error@229:16: argument 'u' has type 'void', which is no type of an argument; examples are *fp16, i32, fp32
# error@229:19: value nothing of parameter 'c' is neither a constant nor a name of this file
# error@234:15: a kernel has no '*' parameters
# error@239:34: default of parameter 'b' is not known at compile time
# note@239:34: name 'unknown' is not defined

# ----- noinline is told of
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit(noinline=True)
def helper(a):
    return a + 1


@triton.jit
def k(o, n):
    tl.store(o, helper(n))
    missing

# remark@263:17: 'helper' is marked noinline and is inlined all the same: a kernel has no calls on any target
# error@264:5: name 'missing' is not defined

# ----- outer calls are not shown for ever
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def f1(a):
    return a + missing


@triton.jit
def f2(a):
    return f1(a)


@triton.jit
def f3(a):
    return f2(a)


@triton.jit
def f4(a):
    return f3(a)


@triton.jit
def f5(a):
    return f4(a)


@triton.jit
def f6(a):
    return f5(a)


@triton.jit
def f7(a):
    return f6(a)


@triton.jit
def f8(a):
    return f7(a)


@triton.jit
def f9(a):
    return f8(a)


@triton.jit
def k(o, n):
    f9(n)

# error@277:16: name 'missing' is not defined
# note@282:12: in the call of 'f1' from here
# note@287:12: in the call of 'f2' from here
# note@292:12: in the call of 'f3' from here
# note@297:12: in the call of 'f4' from here
# note@302:12: in the call of 'f5' from here
# note@307:12: in the call of 'f6' from here
# note@312:12: in the call of 'f7' from here
# note@317:12: in the call of 'f8' from here
# note: outer calls are not shown

# ----- a file without kernels
# run: k o=*fp32
x = 1

# error@0:0: no kernel 'k' in this file
# note: the file defines no jit function

# ----- what other libraries call otherwise
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def k(o, n):
    a = tl.load(o + tl.arange(0, 8))
    b = tl.matmul(a, a)
    b = tl.tanh(a)
    b = tl.concat(a, a)
    b = a.mean()
    b = a.pow(2)
    b = a.transpose(0, 1)
    b = a.ndim
    b = tl.ones([8])
    b = a.any()
    b = a.all()
    b = tl.thread_id(0)
    b = tl.syncthreads()

# error@351:12: module 'triton.language' has no name 'matmul'; write tl.dot(a, b)
# error@352:12: module 'triton.language' has no name 'tanh'; write 2 * tl.sigmoid(2 * x) - 1
# error@353:12: module 'triton.language' has no name 'concat'; write tl.cat(a, b) or tl.join(a, b)
# error@354:11: tile fp32[8] has no attribute 'mean'; write tl.sum(x, axis) / n
# error@355:11: tile fp32[8] has no attribute 'pow'; write tl.exp2(y * tl.log2(x))
# error@356:11: tile fp32[8] has no attribute 'transpose'; write tl.trans(x)
# error@357:11: tile fp32[8] has no attribute 'ndim'; write len(x.shape)
# error@358:12: module 'triton.language' has no name 'ones'; write tl.full(shape, value, dtype)
# error@359:11: tile fp32[8] has no attribute 'any'; write tl.max(x, axis) of integers
# error@360:11: tile fp32[8] has no attribute 'all'; write tl.min(x, axis) of integers
# error@361:12: module 'triton.language' has no name 'thread_id'; write tl.arange(0, N): a program works on whole tiles
# error@362:12: module 'triton.language' has no name 'syncthreads'; write tl.debug_barrier()

# ----- details of operations
# run: k o=*fp32 n=i32 ph=*fp16 p8=*fp8e5
import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def one(a, b, c, d):
    return a


@triton.jit
def k(o, n, ph, p8):
    a = tl.zeros([16, 16], tl.float8e5)
    x = tl.dot(a, a, max_num_imprecise_acc=64)
    x = tl.reduce(n, 1, add)
    x = tl.associative_scan((n, n), 0, one)
    y = tl.arange(0, 8)
    x = tl.reduce((y, y), 0, one)
    x = tl.math.pow(n, 2)
    x = tl.math.pow(tl.load(ph), tl.load(ph))
    q = tl.make_block_ptr(o, (n, n), (n,), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(o, (0.5, n), (n, 1), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(o, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    q = tl.advance(q, (0.5, 0))
    tl.extra.libdevice.pow(n, 2)
    a = tl.core.extern_elementwise("", "", n, n, True)

# error@396:9: max_num_imprecise_acc (64) is larger than the inner dimension 16
# error@397:9: axis 1 is outside of a scalar
# error@398:9: axis 0 is outside of a tile of 0 dimensions; a scalar has no axes
# error@400:9: the combine function must return 2 values, found 1
# error@401:9: pow needs fp32 or fp64, found int32
# error@402:9: pow needs fp32 or fp64, found fp16
# error@403:9: make_block_ptr needs shape, strides and block_shape of one length, found 2, 1 and 2
# error@404:9: shape of make_block_ptr must be integer scalars, found fp32
# error@406:9: offsets of a block pointer must be integer scalars, found fp32
# error@407:5: pow needs fp32 or fp64, found int32
# error@408:9: extern_elementwise needs a list of args and a dictionary of symbols
