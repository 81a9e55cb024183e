# What is evaluated at compile time, names and calls: each line is one mistake.

# ----- compile-time arithmetic
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    a: tl.constexpr = B // 0
    a: tl.constexpr = B % 0
    a: tl.constexpr = 1 << -1
    a: tl.constexpr = 1 >> -1
    a: tl.constexpr = 1.0 / 0
    a: tl.constexpr = 0 ** -1
    a: tl.constexpr = 0.0 ** -1
    a: tl.constexpr = (-1) ** 0.5
    a: tl.constexpr = 2 ** 200
    a: tl.constexpr = 1 << 200
    a: tl.constexpr = (1 << 100) * (1 << 100)
    a: tl.constexpr = 340282366920938463463374607431768211456
    a: tl.constexpr = 1.5 & 1
    a: tl.constexpr = 2.0 << 1
    a: tl.constexpr = B @ B
    a: tl.constexpr = 1.5 @ 2
    a: tl.constexpr = ~1.5
    a: tl.constexpr = -"a"
    a: tl.constexpr = "a" + 1
    a: tl.constexpr = "a" - "b"
    a: tl.constexpr = "a" < 1
    a: tl.constexpr = 1 in 2
    a: tl.constexpr = (-1) ** 0.5
    a: tl.constexpr = "%d" % B
    a: tl.constexpr = 1j
    a: tl.constexpr = b"bytes"
    a: tl.constexpr = tl.arange(0, n + 1)

# error@11:25: division by zero
# error@12:25: division by zero
# error@13:25: negative shift count
# error@14:25: negative shift count
# error@15:27: division by zero
# error@16:25: division by zero
# error@17:27: division by zero
# error@18:28: a negative number to a fractional power is complex; complex numbers are not supported
# error@19:25: result has more than 127 bits (limit of compile-time integers)
# error@20:25: result has more than 127 bits (limit of compile-time integers)
# error@21:34: result has more than 127 bits (limit of compile-time integers)
# error@22:23: integer has more than 127 bits (limit of compile-time integers)
# error@23:27: operator '&' is not supported on floats
# error@24:27: operator '<<' is not supported on floats
# error@25:25: operator '@' is not supported on integers
# error@26:27: operator '@' is not supported on floats
# error@27:23: operator '~' is not supported on float 1.5
# error@28:23: operator '-' is not supported on str 'a'
# error@29:27: operator '+' is not supported between str 'a' and int 1
# error@30:27: operator '-' is not supported between str 'a' and str 'b'
# error@31:23: comparison is not supported between str 'a' and int 1
# error@32:23: 'in' is not supported on int 2
# error@33:28: a negative number to a fractional power is complex; complex numbers are not supported
# error@34:28: '%' formatting is not supported; use an f-string
# error@35:23: complex numbers are not supported in kernel code
# error@36:23: bytes are not supported in kernel code
# error@37:36: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32

# ----- sequences and texts
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    t = (1, 2, 3)
    a = t[3]
    a = t[n]
    a = t["a"]
    a = t[1.5]
    a = t[0:n]
    a = t[0:"a"]
    a = "text"[9]
    a = "text"[n]
    a = t * 1000000
    a = "a" * 1000000
    a = B[0]
    a, b = t
    a, b = n
    a, b = 1
    a = [v for v in n]
    a = [v for v in t for w in t]
    a = {v for v in t}
    a = [v for v in t if n > v]
    a = [v for v in range(1000000)]
    a = list(range(1000000))
    a = list(range(n))
    a = tuple(B)
    a = len(B)
    a = t + [4]
    a = f"{B:>>>}"
    a = f"{n}"
    a = (*n, 1)
    t.x = 1

# error@76:11: index 3 is outside of a tuple of length 3
# error@77:11: a tuple is indexed with a run-time value; the index must be known at compile time
# error@78:11: a tuple has no index str 'a'
# error@79:11: a tuple has no index float 1.5
# error@80:11: slice bounds must be compile-time integers
# error@81:11: slice bounds must be compile-time integers
# error@82:16: index is outside of the string
# error@83:16: str 'text' cannot be subscripted
# error@84:11: sequence is longer than 65536 elements (limit of sequence length)
# error@85:13: sequence is longer than 65536 elements (limit of sequence length)
# error@86:11: int 64 cannot be subscripted
# error@87:5: cannot unpack 3 values into 2 names
# error@88:5: cannot unpack run-time scalar int32 into 2 names
# error@89:5: cannot unpack int 1 into 2 names
# error@90:21: comprehension needs a compile-time sequence, found run-time scalar int32
# error@91:10: only comprehensions with one 'for' over a tuple are supported in kernel code
# error@92:10: only comprehensions with one 'for' over a tuple are supported in kernel code
# error@93:26: condition of a comprehension must be known at compile time
# error@94:21: comprehension needs a compile-time sequence, found range
# error@95:9: sequence is longer than 65536 elements (limit of sequence length)
# error@96:9: range is not known at compile time
# error@97:9: int 64 is not a sequence
# error@98:9: int 64 has no length
# error@100:9: format '>>>' is not supported for int 64
# error@101:12: an f-string holds compile-time values, found run-time scalar int32; tl.device_print("text", x) prints run-time ones
# error@102:10: '*' needs a tuple or list, found run-time scalar int32
# error@103:5: assignment to an attribute is not supported in kernel code

# ----- functions of Python
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    a = int("a")
    a = int(n)
    a = int(None)
    a = float("a")
    a = float(1e10, 2)
    a = abs("a")
    a = min()
    a = max("a", 1)
    a = max(o, n)
    a = bool(n)
    a = sum(n)
    a = sum(("a", 1))
    a = isinstance(n, 1)
    a = getattr(n, "size")
    a = getattr(n, 1)
    a = hasattr(n, 1)
    a = type(n)
    b = a
    a = enumerate(n)
    b = a
    a = zip(n, n)
    b = a
    a = round(1.5)
    a = sorted((1, 2))
    a = map(abs, (1, 2))
    a = open("f")
    a = eval("1")

# error@141:9: str 'a' cannot be made an int
# error@142:9: run-time scalar int32 cannot be made an int; use x.to(tl.int32)
# error@143:9: None cannot be made an int
# error@144:9: str 'a' cannot be made a float
# error@145:21: float takes 1 argument, 2 were given
# error@146:9: abs needs a number
# error@147:9: min needs at least one value
# error@148:9: comparison is not supported between str 'a' and int 1
# error@149:9: operation is not defined on *fp32; pointers only move by integers
# error@150:14: argument 'x' of bool must be known at compile time (a constexpr), found run-time scalar int32
# error@151:9: run-time scalar int32 is not a sequence; use tl.sum(x, axis) to add its elements, tl.max for the largest
# error@152:9: operator '+' is not supported between int 0 and str 'a'
# error@153:23: int 1 is not a type that is known here
# error@154:9: run-time scalar int32 has no attribute 'size'; write x.shape[axis]
# error@155:20: argument 'name' of getattr must be a string, found int 1
# error@156:20: argument 'name' of hasattr must be a string, found int 1
# error@158:9: 'a' has no value that is known at compile time
# note@157:9: type() is not evaluated
# error@160:9: 'a' has no value that is known at compile time
# note@159:9: enumerate of an unknown sequence
# error@162:9: 'a' has no value that is known at compile time
# note@161:9: zip of an unknown sequence
# error@163:9: name 'round' is not defined; did you mean 'tl.rand'?
# error@164:9: name 'sorted' is not defined; did you mean 'tl.sort'?
# error@165:9: name 'map' is not defined; did you mean 'max'?
# error@166:9: name 'open' is not defined
# error@167:9: name 'eval' is not defined

# ----- module math
# run: k o=*fp32 n=i32 B:=64
import math

import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    a = math.sqrt(n)
    a = math.log(n)
    a = math.pow(n, 2)
    a = math.ceil(n)
    a = math.ceil(1e300)
    a = math.gamma(1.0)
    a = math.exp("a")

# error@207:19: math.sqrt needs a number known at compile time, found run-time scalar int32; use tl.sqrt for run-time values
# error@208:9: math.log needs numbers known at compile time; use tl.log for run-time values
# error@209:9: math.pow needs numbers known at compile time
# error@210:9: math.ceil needs a finite number known at compile time; use tl.ceil for run-time values
# error@211:9: math.ceil needs a finite number known at compile time
# error@212:14: module 'math' has no name 'gamma'
# error@213:18: math.exp needs a number known at compile time, found str 'a'

# ----- types
# run: k o=*fp32 n=i32
import triton
import triton.language as tl


@triton.jit
def k(o, n):
    a = tl.pointer_type(n)
    a = tl.pointer_type(tl.pointer_type(tl.float32))
    a = tl.block_type(tl.float32, (n,))
    a = tl.block_type(n, (8,))
    a = tl.dtype("fp99")
    a = tl.dtype(n)
    a = tl.float32.element_ty
    a = tl.float32.size
    a = tl.core.get_int_dtype(24, True)
    a = tl.constexpr(n)
    a = tl.tuple(n)
    a = tl.tensor(n)
    a = tl.float32(1, 2)
    a = n.dtype.element_ty
    a = o.dtype.element_typ
    a = o.shap

# error@231:25: argument 'element_ty' of tl.pointer_type must be a dtype such as tl.float32, found run-time scalar int32
# error@232:25: a pointer to *fp32 is not supported
# error@233:35: argument 'shape' of tl.block_type must be known at compile time (a constexpr), found run-time scalar int32
# error@234:23: argument 'element_ty' of tl.block_type must be a dtype such as tl.float32, found run-time scalar int32
# error@235:18: no dtype has the name 'fp99'
# error@236:18: argument 'name' of tl.dtype must be a string, found run-time scalar int32
# error@237:20: dtype fp32 has no element_ty: it is neither a pointer nor a block type
# error@238:20: dtype fp32 has no attribute 'size'; write x.shape[axis]
# error@239:31: no integer type has int24
# error@240:22: tl.constexpr needs a value known at compile time, found run-time scalar int32
# error@241:9: tl.tuple needs a sequence
# error@242:9: tl.tensor is a type and is not called
# error@243:9: dtype fp32 cannot be called
# error@244:17: dtype int32 has no element_ty: it is neither a pointer nor a block type
# error@245:17: dtype *fp32 has no attribute 'element_typ'
# error@246:11: run-time scalar *fp32 has no attribute 'shap'

# ----- calls
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl

options = {"a": 1}
numbers: tl.constexpr = 3


@triton.jit
def two(a, b=2):
    return a + b


@triton.jit
def defaults(a, b=missing):
    return a


def host(a, b):
    return a + b


@triton.jit
def k(o, n, B: tl.constexpr):
    x = two(*B)
    x = two(**B)
    x = two(*n)
    x = two(n, 1, 2)
    x = two(c=1)
    x = two()
    x = two(n, a=n)
    x = defaults(n)
    x = host(1)
    x = host(1, 2, 3)
    x = host("a", 2)
    x = B(1)
    x = "a"(1)
    x = None(1)
    x = triton(1)
    x = tl.float32
    x = x(1, 2, 3)
    x = two.run(n)
    x = two.nothing

# error@290:13: '*' needs a tuple or list, found int 64
# error@291:13: '**' needs a dictionary, found int 64
# error@292:13: '*' needs a tuple or list, found run-time scalar int32
# error@293:19: 'two' takes 2 arguments, 3 were given
# note@275:5: function 'two' is defined here
# error@294:15: 'two' has no parameter 'c'
# note@275:5: function 'two' is defined here
# error@295:9: 'two' needs a value for parameter 'a'
# note@275:5: function 'two' is defined here
# error@296:18: parameter 'a' of 'two' is given twice
# note@275:5: function 'two' is defined here
# error@297:9: default of parameter 'b' of 'defaults' is not known at compile time
# note@280:5: function 'defaults' is defined here
# error@298:9: 'host' needs a value for parameter 'b'
# note@284:5: function 'host' is defined here
# error@299:20: 'host' takes 2 arguments, 3 were given
# note@284:5: function 'host' is defined here
# error@300:9: 'host' cannot be evaluated at compile time; a function of the kernel needs @triton.jit
# note@285:14: operator '+' is not supported between str 'a' and int 2
# error@301:9: int 64 cannot be called
# error@302:9: str 'a' cannot be called
# error@303:9: None cannot be called
# error@304:9: module 'triton' cannot be called
# error@306:9: dtype fp32 cannot be called
# error@307:13: function 'two' has no attribute 'run'
# error@308:13: function 'two' has no attribute 'nothing'

# ----- names
# run: k o=*fp32 n=i32
import os

import triton
import triton.language as tl
import missing.module as gone
from missing import other
from triton.language import arrange
from triton.language.extra import libdevice
import triton.nothing

if unknown:
    choice: tl.constexpr = 1
else:
    choice: tl.constexpr = 2

value = unknown + 1
table = {"a": 1}
part = table["b"]
sequence = [1, 2]
item = sequence[5]


@triton.jit
def k(o, n):
    a = gone.f(n)
    a = other(n)
    a = arrange(n)
    a = libdevice.sinn(n)
    a = libdevice.sin
    a = choice
    a = value
    a = part
    a = item
    a = os.path.join("a", "b")
    a = table["b"]
    a = lod(o)
    a = tl.laod(o)
    a = triton.language.nothing
    a = print.x

# error@363:9: 'gone' has no value that is known at compile time
# note@343:8: module 'missing.module' is neither built in nor a file beside this one or below an import root
# error@364:9: 'other' has no value that is known at compile time
# note@344:21: module 'missing' is neither built in nor a file beside this one or below an import root
# error@365:9: 'arrange' has no value that is known at compile time
# note@345:29: module 'triton.language' has no name 'arrange'; did you mean 'arange'?
# error@366:19: module 'triton.language.extra.libdevice' has no name 'sinn'; did you mean 'sin'?
# error@368:9: 'choice' has no value that is known at compile time
# note@349:1: set under a condition that is not known at compile time
# error@369:9: 'value' has no value that is known at compile time
# note@354:17: operand is not known at compile time: name 'unknown' is not defined
# error@370:9: 'part' has no value that is known at compile time
# note@356:14: dictionary has no key 'b'
# error@371:9: 'item' has no value that is known at compile time
# note@358:17: index 5 is outside of a list of length 2
# error@372:12: 'os.path' is not known at compile time: it is the host's
# error@373:9: global 'table' is not a constexpr: a kernel may read it only if it is marked `table: tl.constexpr = ...` or `table = tl.constexpr(...)`
# note@355:1: defined here
# error@374:9: name 'lod' is not defined; did you mean 'tl.load'?
# error@375:12: module 'triton.language' has no name 'laod'; did you mean 'load'?
# error@376:25: module 'triton.language' has no name 'nothing'
# error@377:15: function has no attribute 'x'

# ----- text of messages
# run: k o=*fp32 n=i32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(o, n, B: tl.constexpr):
    tl.static_print(n)
    tl.static_assert(B < 64, f"B is {B}")
    tl.static_assert(B < 64, "B is " + str(B) + " and " + str((1, 2.5, None, tl.float32)))

# warning@410:5: static_print: run-time scalar int32
# error@411:5: static assertion failed: B is 64
# error@412:5: static assertion failed: B is 64 and (1, 2.5, None, fp32)

# ----- functions of Python's math outside of their domain
# run: k o=*fp32
import math
import triton
import triton.language as tl


@triton.jit
def k(o):
    a: tl.constexpr = math.sqrt(-1)
    a: tl.constexpr = math.log(0)
    a: tl.constexpr = math.log(8, 1)
    a: tl.constexpr = math.exp(1000)
    a: tl.constexpr = math.pow(-8, 1 / 3)

# error@427:23: math.sqrt gives no finite number here
# error@428:23: math.log gives no finite number here
# error@429:23: math.log gives no finite number here
# error@430:23: math.exp gives no finite number here
# error@431:23: math.pow gives no finite number here
