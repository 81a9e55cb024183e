# Operations on tiles: each line is one mistake.

# ----- making tiles
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def k(n, p32):
    x = tl.arange(0, 7)
    x = tl.arange(8, 8)
    x = tl.arange(0, n)
    x = tl.arange(0, 1 << 40)
    x = tl.arange(0, 1 << 70)
    x = tl.arange(0.0, 8)
    x = tl.zeros([2048, 1024], tl.float32)
    x = tl.zeros([48], tl.float32)
    x = tl.zeros([0], tl.float32)
    x = tl.zeros("8", tl.float32)
    x = tl.full([8], 1 << 40, tl.int32)
    x = tl.full([8], -1, tl.uint8)
    x = tl.full([8], tl.arange(0, 8), tl.int32)
    x = tl.full([8], 1, tl.void)
    x = tl.full([8], 1, 8)
    x = tl.full([8], "1", tl.int32)
    x = tl.program_id(3)
    x = tl.num_programs(3)
    x = tl.program_id("x")

# error@11:9: arange length must be a power of two, found 7
# error@12:9: arange end must be greater than start, found 8 and 8
# error@13:22: argument 'end' of tl.arange must be known at compile time (a constexpr), found run-time scalar int32
# error@14:9: arange bounds must fit int32, found 0 and 1099511627776
# error@15:22: argument 'end' of tl.arange does not fit 64 bits
# error@16:19: argument 'start' of tl.arange must be an integer, found float 0.0
# error@17:9: a tile of shape [2048, 1024] has more than 1048576 elements (limit of tile size)
# note@standard.py:64:12: in the source of the library
# error@18:9: dimensions of a tile must be powers of two, found shape [48]
# note@standard.py:64:12: in the source of the library
# error@19:9: dimensions of a tile must be powers of two, found shape [0]
# note@standard.py:64:12: in the source of the library
# error@20:9: argument 'shape' of tl.full must hold integers, found str '8'
# note@standard.py:64:20: in the source of the library
# error@21:9: number 1099511627776 is out of range for int32
# error@22:9: negative number -1 with unsigned type uint8; convert one of the two
# error@23:9: a tile is filled with a scalar, found int32[8]
# error@24:9: no values of type void can be made
# error@25:25: argument 'dtype' of tl.full must be a dtype such as tl.float32, found int 8
# error@26:22: a tile or a number is needed here, found str '1'
# error@27:9: program_id axis must be 0, 1 or 2, found 3
# error@28:9: num_programs axis must be 0, 1 or 2, found 3
# error@29:23: argument 'axis' of tl.program_id must be an integer, found str 'x'

# ----- shapes
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def k(n, p32):
    x = tl.arange(0, 8) + tl.arange(0, 16)
    x = tl.arange(0, 8).reshape(3, 2)
    x = tl.arange(0, 8).reshape(4, 4)
    x = tl.broadcast_to(tl.arange(0, 8), (4,))
    x = tl.trans(tl.arange(0, 8))
    x = tl.permute(tl.zeros([2, 4], tl.int32), (0, 0))
    x = tl.permute(tl.zeros([2, 4], tl.int32), (0, 2))
    x = tl.join(tl.arange(0, 8), tl.zeros([8], tl.float32))
    a, b = tl.split(tl.arange(0, 8))
    x = tl.cat(tl.arange(0, 8), tl.zeros([8], tl.float32))
    x = tl.expand_dims(tl.arange(0, 8), (0, 0))
    x = tl.expand_dims(tl.arange(0, 8), 4)
    x = tl.squeeze(tl.zeros([4, 2], tl.int32), 0)
    x = tl.zeros([8, 8], tl.int32)[:, :, :]
    x = tl.zeros([8, 8], tl.int32)[:, n]
    x = tl.gather(tl.arange(0, 8), tl.zeros([8], tl.float32), 0)
    x = tl.gather(tl.zeros([8, 8], tl.int32), tl.zeros([4, 8], tl.int32), 1)
    x = tl.gather(n, tl.zeros([8], tl.int32), 0)
    x = tl.arange(0, 8).item()
    x = tl.reshape(tl.arange(0, 8), (n, 2))
    x = tl.reshape(tl.arange(0, 8), ("4", 2))

# error@63:25: shapes [8] and [16] cannot be broadcast to one shape: 8 and 16 at dimension 0
# error@64:9: dimensions of a tile must be powers of two, found shape [3, 2]
# error@65:9: a tile of shape [8] (8 elements) cannot be reshaped to [4, 4] (16)
# error@66:9: a tile of shape [8] cannot be broadcast to [4]
# error@67:9: transposition needs two dimensions, found shape [8]; x[:, None] is a column
# error@68:9: [0, 0] is not a permutation of the dimensions of int32[2, 4]
# error@69:9: [0, 2] is not a permutation of the dimensions of int32[2, 4]
# error@70:9: join needs operands of one type, found int32[8] and fp32[8]
# error@71:12: split needs a tile whose last dimension is 2, found int32[8]
# error@72:9: cat needs two tiles of one type, found int32[8] and fp32[8]
# error@73:9: expand_dims names axis 0 twice
# error@74:9: axis 4 is outside of a tile of 2 dimensions; its axes are 0 to 1
# error@75:9: squeeze needs a dimension of size 1, found shape [4, 2] at axis 0
# error@76:36: too many dimensions in the index of int32[8, 8]
# error@77:36: a tile is indexed only with ':' and None, found run-time scalar int32; use tl.gather or a masked tl.sum to pick elements
# error@78:9: indices of gather must be integers, found fp32[8]
# error@79:9: indices of gather must have the source's shape but at the axis; shapes are [8, 8] and [4, 8], axis 1
# error@80:9: gather needs a tile, found int32
# error@81:9: a scalar is made of a tile with one element, found int32[8]
# error@82:37: argument 'shape' of tl.reshape must be known at compile time (a constexpr), found run-time scalar int32
# error@83:37: argument 'shape' of tl.reshape must hold integers, found str '4'

# ----- block pointers and descriptors have no shape of values
# run: k n=i32 p16=*fp16
import triton
import triton.language as tl


@triton.jit
def k(n, p16):
    q = tl.make_block_ptr(p16, (n,), (1,), (0,), (16,), (0,))
    x = tl.broadcast_to(q, (16,))
    x = tl.broadcast(q, n)
    x = tl.expand_dims(q, 0)
    x = tl.reshape(q, (4, 4))
    x = tl.trans(q)
    x = q + 1
    x = q.to(tl.int64)
    x = tl.where(n > 0, q, q)
    x = tl.join(q, q)
    tl.store(p16, q)
    x = -q
    x = ~q
    x = q == q
    tl.device_print("q", q)
    x = tl.multiple_of(q, 8)
    x = tl.sum(q, 0)

# error@116:9: block pointer fp16[16] cannot be broadcast
# error@117:9: block pointer fp16[16] cannot be broadcast
# error@118:9: block pointer fp16[16] has no dimensions to expand
# error@119:9: block pointer fp16[16] cannot be reshaped
# error@120:9: block pointer fp16[16] cannot be transposed
# error@121:11: operation is not defined on block pointer fp16[16]; pointers only move by integers
# error@122:9: block pointer fp16[16] cannot be converted
# error@123:9: operation is not defined on block pointer fp16[16]; pointers only move by integers
# error@124:9: block pointer fp16[16] cannot be broadcast
# error@125:5: tl.store cannot write block pointer fp16[16]
# error@126:9: unary minus is not defined on block pointer fp16[16]
# error@127:9: '~' needs integers, found block pointer fp16[16]
# error@128:9: operation is not defined on block pointer fp16[16]; pointers only move by integers
# error@129:5: device_print cannot print block pointer fp16[16]
# error@130:9: multiple_of needs a tile or scalar, found block pointer fp16[16]
# error@131:9: block pointer fp16[16] cannot be converted
# note@standard.py:178:13: in the source of the library

# ----- types of operands
# run: k n=i32 p16=*fp16 p32=*fp32 p8=*fp8e5 pi=*i32 pl=*i64 pu=*u32 pc=*i8 pbool=*i1
import triton
import triton.language as tl


@triton.jit
def k(n, p16, p32, p8, pi, pl, pu, pc, pbool):
    x = tl.exp(tl.load(p16))
    x = tl.load(p32) & 1
    x = tl.load(p32) // 2
    x = tl.load(pu) // tl.load(pi)
    x = tl.load(pu) + (-1)
    x = tl.load(pc) + 300
    x = tl.load(p8) + tl.load(pi)
    x = tl.load(pi) + (1 << 70)
    x = ~tl.load(p32)
    x = -p32
    x = tl.clamp(tl.load(pi), 0, 3)
    x = tl.fma(tl.load(pi), 2, 3)
    x = tl.umulhi(tl.load(pc), 3)
    x = tl.fdiv(tl.load(pi), tl.load(pi))
    x = tl.math.pow(tl.load(p16), 2.0)
    x = tl.abs(p32)
    x = tl.load(pi) + "1"
    x = tl.load(pi) + None
    x = tl.load(pi) @ tl.load(pi)
    x = tl.load(pi) in (1, 2)
    x = tl.load(pi) < "1"
    x = tl.where(tl.load(pi), p32, 1.0)
    x = tl.maximum(p32, p32)
    x = p32 and n
    x = not n

# error@159:9: tl.exp needs fp32 or fp64, found fp16; convert with .to(tl.float32)
# error@160:22: invalid operands of type fp32: bitwise operations need integers
# error@161:22: '//' is not defined on floats; use '/' and tl.floor
# error@162:21: division and remainder of uint32 and int32 are not defined: they differ in signedness; convert one of the two
# error@163:21: negative number -1 with unsigned type uint32; convert one of the two
# error@164:21: number 300 is out of range for int8
# error@165:21: no common type of fp8e5 and int32; convert one of the two
# error@166:21: integer 1180591620717411303424 does not fit 64 bits
# error@167:9: '~' needs integers, found fp32
# error@168:9: unary minus is not defined on *fp32
# error@169:9: tl.clamp needs floats, found int32
# error@170:9: tl.fma needs floats, found int32
# error@171:9: tl.umulhi needs integers of 32 or 64 bits, found int8
# error@172:9: division of floats on int32; it needs a float operand
# error@174:9: tl.abs needs numbers, found *fp32
# error@175:21: operator '+' is not supported between run-time scalar int32 and str '1'
# error@176:21: operator '+' is not supported between run-time scalar int32 and None
# error@177:21: '@' is not supported on tiles; use tl.dot
# error@178:9: 'in' is not supported on run-time values
# error@179:9: comparison is not supported between run-time scalar int32 and str '1'
# error@180:9: operation is not defined on *fp32; pointers only move by integers
# error@181:9: operation is not defined on *fp32; pointers only move by integers
# error@182:9: 'and' on run-time values needs int1, found int32; compare with zero first
# error@183:9: 'not' on run-time values needs int1, found int32; compare with zero first

# ----- conversions
# run: k n=i32 p32=*fp32 pi=*i32 pl=*i64
import triton
import triton.language as tl


@triton.jit
def k(n, p32, pi, pl):
    x = tl.arange(0, 8).to(tl.float64, bitcast=True)
    x = tl.load(pi).to(tl.float32, fp_downcast_rounding="rtz")
    x = tl.load(p32).to(tl.float16, fp_downcast_rounding="up")
    x = p32.to(tl.int32)
    x = p32.to(tl.float32)
    x = tl.load(p32).to(tl.pointer_type(tl.float32))
    x = tl.load(p32).to(tl.void)
    x = tl.cast(tl.load(p32), "fp99")
    x = tl.float32("1")
    x = tl.load(p32).to(tl.float16, bitcast=n)
    x = tl.load(p32).to(tl.float16, fp_downcast_rounding=1)

# error@218:9: bitcast needs types of one width, found int32[8] and fp64[8]
# error@219:9: fp_downcast_rounding is only for conversions to a narrower float, found int32 to fp32
# error@220:9: fp_downcast_rounding is 'rtne' or 'rtz', found 'up'
# error@221:9: a pointer is converted to int64 or uint64, not to int32
# error@222:9: a pointer is converted to int64 or uint64, not to fp32
# error@223:9: fp32 cannot be converted to a pointer
# error@224:9: cannot convert fp32 to void
# error@225:31: argument 'dtype' of tl.cast must be a dtype such as tl.float32, found str 'fp99'
# error@226:9: str '1' cannot be converted to fp32
# error@227:45: argument 'bitcast' of tensor.to must be known at compile time (a constexpr), found run-time scalar int32
# error@228:58: argument 'fp_downcast_rounding' of tensor.to must be a string, found int 1

# ----- pointers
# run: k n=i32 p16=*fp16 p32=*fp32 pv=*void
import triton
import triton.language as tl


@triton.jit
def k(n, p16, p32, pv):
    x = p32 + 1.5
    x = p32 + p16
    x = p32 * 2
    x = p16 - p32
    x = tl.load(pv)
    tl.store(pv, 1)
    x = tl.load(n)
    x = tl.load(p32 + tl.arange(0, 8)[:, None] + tl.arange(0, 16) + tl.arange(0, 4))

# error@250:13: a pointer moves by integers, found fp32
# error@251:13: two pointers cannot be added or subtracted; convert them to int64 first
# error@252:13: operation is not defined on *fp32; pointers only move by integers
# error@253:13: two pointers cannot be added or subtracted; convert them to int64 first
# error@254:9: a load through *void has no type; convert the pointer
# error@255:5: tl.store through *void has no type; convert the pointer
# error@256:9: tl.load needs a pointer, found int32
# error@257:67: shapes [8, 16] and [4] cannot be broadcast to one shape: 16 and 4 at dimension 1

# ----- load and store
# run: k n=i32 p32=*fp32 kp=*kfp32 pi=*i32
import triton
import triton.language as tl


@triton.jit
def k(n, p32, kp, pi):
    x = tl.load(p32, mask=tl.arange(0, 8) < 4)
    x = tl.load(p32, other=0.0)
    x = tl.load(p32, mask=n)
    x = tl.load(p32 + tl.arange(0, 8), mask=tl.arange(0, 16) < 4)
    x = tl.load(p32 + tl.arange(0, 8), mask=n > 0, other=tl.zeros([16], tl.float32))
    x = tl.load(p32, boundary_check=(0,))
    x = tl.load(p32, cache_modifier=".xy")
    x = tl.load(p32, eviction_policy="never")
    x = tl.load(p32, volatile=n)
    tl.store(p32, 1.0, cache_modifier=".ca")
    tl.store(p32, 1.0, boundary_check=(0,))
    tl.store(kp, 1.0)
    tl.store(p32, tl.arange(0, 8))
    tl.store(p32 + tl.arange(0, 8), tl.arange(0, 16))
    tl.store(p32, 1.0, mask=tl.arange(0, 8) < 4)
    tl.store(p32, p32)
    tl.store(pi, 1 << 40)
    tl.store(n, 1.0)

# error@276:9: mask of shape [8] on a scalar pointer; a scalar access has a scalar mask
# error@277:9: `other` of tl.load needs a mask
# error@278:9: a mask must be int1, found int32
# error@279:9: shapes [8] and [16] cannot be broadcast to one shape: 8 and 16 at dimension 0
# error@280:9: `other` of shape [16] cannot be broadcast to [8], the shape of the pointer
# error@281:9: boundary_check and padding_option are for block pointers; the pointer here is *fp32
# error@282:9: cache_modifier of a load is '.ca', '.cg', '.cv' or '.cs', found '.xy'
# error@283:9: eviction_policy is 'evict_first' or 'evict_last', found 'never'
# error@284:31: argument 'volatile' of tl.load must be known at compile time (a constexpr), found run-time scalar int32
# error@285:5: cache_modifier of a store is '.wb', '.cg', '.cs' or '.wt', found '.ca'
# error@286:5: boundary_check is for block pointers; the pointer here is *fp32
# error@287:5: tl.store writes through the const pointer *const fp32
# error@288:5: tl.store of a tile of shape [8] through a scalar pointer; add offsets to the pointer
# error@289:5: the value of tl.store of shape [16] cannot be broadcast to [8], the shape of the pointer
# error@290:5: mask of shape [8] on a scalar pointer; a scalar access has a scalar mask
# error@291:5: a pointer is converted to int64 or uint64, not to fp32
# error@293:5: tl.store needs a pointer, found int32

# ----- atomics
# run: k n=i32 p16=*fp16 p32=*fp32 kp=*kfp32 pi=*i32 pc=*i8
import triton
import triton.language as tl


@triton.jit
def k(n, p16, p32, kp, pi, pc):
    x = tl.atomic_add(kp, 1.0)
    x = tl.atomic_add(pc, 1)
    x = tl.atomic_max(p16, 1.0)
    x = tl.atomic_and(p32, 1)
    x = tl.atomic_add(pi, 1, sem="strong")
    x = tl.atomic_add(pi, 1, scope="world")
    x = tl.atomic_cas(pc, 0, 1)
    x = tl.atomic_xchg(n, 1)
    x = tl.atomic_add(pi + tl.arange(0, 8), tl.arange(0, 16))
    x = tl.atomic_add(pi, tl.arange(0, 8))

# error@321:9: tl.atomic_add writes through the const pointer *const fp32
# error@322:9: tl.atomic_add is not defined on int8
# error@323:9: tl.atomic_max is not defined on fp16
# error@324:9: tl.atomic_and is not defined on fp32
# error@325:9: sem is 'acquire', 'release', 'acq_rel' or 'relaxed', found 'strong'
# error@326:9: scope is 'gpu', 'cta' or 'sys', found 'world'
# error@327:9: tl.atomic_cas needs elements of 16, 32 or 64 bits, found int8
# error@328:9: tl.atomic_xchg needs a pointer, found int32
# error@329:9: the value of tl.atomic_add of shape [16] cannot be broadcast to [8], the shape of the pointer
# error@330:9: tl.atomic_add of a tile of shape [8] through a scalar pointer; add offsets to the pointer

# ----- dot
# run: k n=i32
import triton
import triton.language as tl


@triton.jit
def k(n):
    a = tl.zeros([16, 16], tl.float16)
    b = tl.zeros([16, 16], tl.bfloat16)
    f = tl.zeros([16, 16], tl.float32)
    c = tl.zeros([16, 16], tl.int8)
    x = tl.dot(tl.zeros([16, 32], tl.float16), a)
    x = tl.dot(a, f)
    x = tl.dot(tl.zeros([16], tl.float16), tl.zeros([16], tl.float16))
    x = tl.dot(tl.zeros([16, 16], tl.int32), tl.zeros([16, 16], tl.int32))
    x = tl.dot(tl.zeros([2, 16, 16], tl.float16), tl.zeros([4, 16, 16], tl.float16))
    x = tl.dot(b, b, out_dtype=tl.bfloat16)
    x = tl.dot(c, c, out_dtype=tl.float32)
    x = tl.dot(f, f, out_dtype=tl.float16)
    x = tl.dot(a, a, tl.zeros([16, 32], tl.float32))
    x = tl.dot(f, f, input_precision="fp8")
    x = tl.dot(a, a, max_num_imprecise_acc=64)
    x = tl.dot(a, 1.0)
    x = tl.dot(a, a, n)

# error@355:9: dot of fp16[16, 32] and fp16[16, 16]: the inner dimensions 32 and 16 differ
# error@356:9: dot needs operands of one type, found fp16[16, 16] and fp32[16, 16]; convert one of the two
# error@357:9: dot needs two tiles of two (or of three) dimensions, found fp16[16] and fp16[16]
# error@358:9: dot needs tiles of int8 or floats, found int32[16, 16]
# error@359:9: dot of fp16[2, 16, 16] and fp16[4, 16, 16]: the batch dimensions differ
# error@360:9: out_dtype of dot cannot be bf16; convert the result with .to(tl.bfloat16)
# error@363:9: accumulator of dot must be fp32[16, 16], found fp32[16, 32]
# error@364:9: input_precision is 'ieee', 'tf32', 'tf32x3', 'bf16x3' or 'bf16x6', found 'fp8'
# error@366:9: dot needs two tiles of two (or of three) dimensions, found fp16[16, 16] and fp32
# error@367:9: dot of fp16 is summed in fp32 or fp16, not in int32

# ----- reductions and scans
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def widen(a, b):
    return a.to(tl.float64) + b


@triton.jit
def pair(a, b):
    return a, b


@triton.jit
def tile(a, b):
    return tl.arange(0, 8)


@triton.jit
def text(a, b):
    return "sum"


@triton.jit
def nothing(a, b):
    pass


@triton.jit
def k(n, p32):
    x = tl.sum(tl.arange(0, 8), 1)
    x = tl.sum(n, 0)
    y = tl.load(p32 + tl.arange(0, 8))
    x = tl.reduce(y, 0, widen)
    x = tl.reduce(y, 0, pair)
    x = tl.reduce(y, 0, tile)
    x = tl.reduce(y, 0, text)
    x = tl.reduce(y, 0, nothing)
    x = tl.reduce((y, tl.arange(0, 16)), 0, pair)
    x = tl.reduce(y, 0, 1)
    x = tl.reduce("y", 0, pair)
    x = tl.associative_scan((y, tl.arange(0, 16)), 0, pair)
    x = tl.associative_scan(y, 0, widen)
    x = tl.cumsum(y, 3)
    x = tl.histogram(tl.zeros([8], tl.float32), 8)
    x = tl.histogram(tl.zeros([8], tl.int32), 7)
    x = tl.histogram(tl.zeros([8], tl.int32), 8, mask=tl.zeros([4], tl.int1))
    x = tl.sort(tl.zeros([8, 8], tl.int32), dim=0)
    x = tl.topk(tl.zeros([8], tl.int32), 3)

# error@413:9: axis 1 is outside of a tile of 1 dimension; its only axis is 0
# note@standard.py:179:12: in the source of the library
# error@416:9: the combining function gives fp64 for values of type fp32
# error@417:9: the combine function must return 1 value, found 2
# error@418:9: the combining function gives int32[8] for values of type fp32
# error@419:9: the combine function must return scalars, found str 'sum'
# error@420:9: the combine function must return scalars, found None
# error@421:9: reduce needs tiles of one shape, found fp32[8], int32[16]
# error@422:25: argument 'combine_fn' of tl.reduce must be a jit function, found int 1
# error@423:19: argument 'input' of tl.reduce must be a tile or a tuple of tiles, found str 'y'
# error@424:9: a scan needs tiles of one shape, found fp32[8], int32[16]
# error@425:9: the combining function gives fp64 for values of type fp32
# error@426:9: axis 3 is outside of a tile of 1 dimension; its only axis is 0
# note@standard.py:310:12: in the source of the library
# error@427:9: histogram needs a tile of one dimension of int32 or uint32, found fp32[8]
# error@428:9: dimensions of a tile must be powers of two, found shape [7]
# error@429:9: the mask of shape [4] cannot be broadcast to [8], the shape of the pointer
# error@431:9: static assertion failed: topk: k is no power of two
# note@standard.py:407:5: in the source of the library

# ----- functions of values with effects
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl

scratch: tl.constexpr = 4


@triton.jit
def loud(a, b):
    tl.device_print("a", a)
    return a + b


@triton.jit
def k(n, p32):
    y = tl.load(p32 + tl.arange(0, 8))
    x = tl.reduce(y, 0, loud)
    x = tl.associative_scan(y, 0, loud)

# error@470:9: the combining function must not access memory, print or assert
# error@471:9: the combining function must not access memory, print or assert

# ----- map_elementwise
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def double(a):
    return a * 2


@triton.jit
def k(n, p32):
    x = tl.map_elementwise(double)
    x = tl.map_elementwise(double, "8")
    x = tl.map_elementwise(double, p32)
    x = tl.map_elementwise(n, tl.arange(0, 8))

# error@489:9: map_elementwise needs a tile
# error@490:36: map_elementwise needs tiles, found str '8'
# error@484:14: operation is not defined on *fp32; pointers only move by integers
# note@491:9: in the call of 'double' from here
# error@492:28: the function of map_elementwise must be a jit function, found run-time scalar int32

# ----- hints
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def k(n, p32):
    x = tl.multiple_of(tl.arange(0, 8), [8, 8])
    x = tl.multiple_of(tl.arange(0, 8), 0)
    x = tl.max_contiguous("8", 8)
    x = tl.max_constancy(tl.arange(0, 8), n)
    tl.assume(tl.arange(0, 8) > 0)
    tl.assume(tl.load(p32))
    tl.assume(n)

# error@508:9: multiple_of needs one value a dimension: 2 for int32[8]
# error@509:9: values of multiple_of must be positive, found [0]
# error@511:43: argument 'values' of tl.max_constancy must be known at compile time (a constexpr), found run-time scalar int32
# error@512:5: tl.assume needs a scalar condition, found int1[8]

# ----- block pointers
# run: k n=i32 p16=*fp16 pi=*i32 pv=*void kp=*kfp16
import triton
import triton.language as tl


@triton.jit
def k(n, p16, pi, pv, kp):
    q = tl.make_block_ptr(p16, (n,), (1,), (0,), (16, 16), (1, 0))
    q = tl.make_block_ptr(p16, (n, n), (n, 1), (0,), (16, 16), (1, 0))
    q = tl.make_block_ptr(p16, (n, n), (n, 1), (0, 0), (16, 16), (1, 1))
    q = tl.make_block_ptr(n, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(pv, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(p16, (n, n), (n, 1.5), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(p16, n, (n, 1), (0, 0), (16, 16), (1, 0))
    q = tl.make_block_ptr(p16, (n, n), (n, 1), (0, 0), (n, 16), (1, 0))
    q = tl.make_block_ptr(p16, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    x = tl.load(q, mask=True)
    x = tl.load(q, boundary_check=(2,))
    x = tl.load(q, boundary_check=(0,), padding_option="one")
    tl.store(q, tl.zeros([16, 16], tl.float16), mask=True)
    tl.store(q, tl.zeros([32, 16], tl.float16))
    tl.store(q, q)
    q = tl.advance(q, (1,))
    q = tl.advance(p16, (1, 1))
    w = tl.make_block_ptr(pi, (n,), (1,), (0,), (16,), (0,))
    x = tl.load(w, boundary_check=(0,), padding_option="nan")
    c = tl.make_block_ptr(kp, (n,), (1,), (0,), (16,), (0,))
    tl.store(c, tl.zeros([16], tl.float16))
    x = tl.atomic_add(w, 1)
    x = w.load((0,))

# error@529:9: make_block_ptr needs offsets and order as long as block_shape, found 1, 2 and 2
# error@530:9: make_block_ptr needs offsets and order as long as block_shape, found 1, 2 and 2
# error@531:9: order of make_block_ptr must be a permutation of the dimensions, found [1, 1]
# error@532:9: base of make_block_ptr must be a pointer, found int32
# error@533:9: base of make_block_ptr is *void; convert the pointer
# error@534:9: strides of make_block_ptr must be integer scalars, found fp32
# error@535:32: argument 'shape' of tl.make_block_ptr must be a tuple, found run-time scalar int32
# error@536:56: argument 'block_shape' of tl.make_block_ptr must be known at compile time (a constexpr), found run-time scalar int32
# error@538:9: a load of a block pointer takes boundary_check and padding_option, not mask and other
# error@539:9: boundary_check names dimension 2 of block pointer fp16[16, 16]
# error@540:9: padding_option is 'zero' or 'nan', found 'one'
# error@541:5: a store to a block pointer takes boundary_check, not mask
# error@542:5: a tile of shape [32, 16] cannot be broadcast to [16, 16]
# error@543:5: tl.store cannot write block pointer fp16[16, 16]
# error@544:9: advance needs one offset a dimension, found 1 for block pointer fp16[16, 16]
# error@545:9: advance needs a block pointer, found *fp16
# error@547:9: padding_option 'nan' needs floats, found block pointer int32[16]
# error@549:5: tl.store writes through a const pointer
# error@550:9: tl.atomic_add needs a pointer, found block pointer int32[16]
# error@551:9: load is a method of tensor descriptors; use tl.load

# ----- tensor descriptors
# run: k n=i32 p16=*fp16 pi=*i32 kp=*kfp16
import triton
import triton.language as tl


@triton.jit
def k(n, p16, pi, kp):
    d = tl.make_tensor_descriptor(p16, [n, n], [n, 1], [16, 4])
    d = tl.make_tensor_descriptor(p16, [n, n], [n, 2], [16, 16])
    d = tl.make_tensor_descriptor(p16, [], [], [])
    d = tl.make_tensor_descriptor(pi, [n], [1], [16], padding_option="nan")
    d = tl.make_tensor_descriptor(pi, [n], [1], [16], padding_option="one")
    d = tl.make_tensor_descriptor(p16, [n, n], [n, 1], [16, 16])
    x = d.load([0])
    x = d.load([0, 0.5])
    d.store([0, 0], tl.zeros([16, 32], tl.float16))
    x = tl.load(d)
    tl.store(d, 1.0)
    x = tl.load_tensor_descriptor(p16, [0, 0])
    c = tl.make_tensor_descriptor(kp, [n, n], [n, 1], [16, 16])
    c.store([0, 0], tl.zeros([16, 16], tl.float16))

# error@582:9: the last dimension of block_shape must span at least 16 bytes, found 8
# error@583:9: the last stride of a tensor descriptor must be 1
# error@584:9: make_tensor_descriptor needs 1 to 5 dimensions, found 0
# error@585:9: padding_option 'nan' needs floats, found *int32
# error@586:9: padding_option is 'zero' or 'nan', found 'one'
# error@588:9: one offset a dimension is needed, found 1 for tensor descriptor fp16[16, 16]
# error@589:9: offsets of a tensor descriptor must be integer scalars, found fp32
# error@590:5: a tile of shape [16, 32] cannot be broadcast to [16, 16]
# error@591:9: tl.load needs a pointer, found tensor descriptor fp16[16, 16]; use its method .load or .store
# error@592:5: tl.store needs a pointer, found tensor descriptor fp16[16, 16]; use its method .load or .store
# error@593:9: a tensor descriptor is needed, found *fp16
# error@595:5: the descriptor's store writes through a const pointer

# ----- print and assert
# run: k n=i32 p32=*fp32 B:=64
import triton
import triton.language as tl


@triton.jit
def k(n, p32, B: tl.constexpr):
    tl.device_print(n)
    tl.device_print("x", "y")
    tl.static_assert(B == 32, "B must be 32")
    tl.static_assert(B == 32)
    tl.static_assert(n == 32)
    tl.device_assert(B == 32, "B must be 32")
    tl.device_assert("B")
    tl.device_assert(n > 0, n)
    assert B == 32, "B must be 32"
    assert B == 32

# error@618:21: argument 'prefix' of tl.device_print must be a string, found run-time scalar int32
# error@620:5: static assertion failed: B must be 32
# error@621:5: static assertion failed
# error@622:22: argument 'cond' of tl.static_assert must be known at compile time (a constexpr), found run-time scalar int1
# error@623:22: assertion is false at compile time
# error@625:29: argument 'msg' of tl.device_assert must be a string, found run-time scalar int32
# error@626:5: assertion failed at compile time: B must be 32
# error@627:5: assertion failed at compile time

# ----- operations that no target has
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def k(n, p32):
    x = tl.extra.cuda.smid()
    x = tl.make_tensor_descriptor
    x = tl.load
    x = tl.load + 1
    tl.load = 1

# error@646:23: module 'triton.language.extra.cuda' has no name 'smid'
# error@649:17: operator '+' is not supported between function and int 1
# error@650:5: assignment to an attribute is not supported in kernel code

# ----- more dimensions than a tile may have
# run: k n=i32 p32=*fp32
import triton
import triton.language as tl


@triton.jit
def k(n, p32):
    x = tl.reshape(tl.arange(0, 2), [1] * 32 + [2])

# error@664:9: a tile has at most 32 dimensions, this one would have 33
