# run: block_pointers a=*fp16:16 b=*fp16:16 c=*fp32:16 M=i32 N=i32 K=i32 sa=i32:16 sb=i32:16 sc=i32:16
# run: descriptors a=*fp16:16 c=*fp16:16 M=i32 N=i32
# run: closures x=*fp32 n=i32 OP:=double
# run: closures x=*fp32 n=i32 OP:=None
# run: tuples x=*fp32 n=i32
import collections
from typing import NamedTuple

import triton
import triton.language as tl

SCALE = tl.constexpr(2.0)
NAMES: tl.constexpr = ("x", "y")
Pair = collections.namedtuple("Pair", ["left", "right"])


class Limits(NamedTuple):
    low: tl.constexpr = 0
    high: tl.constexpr = 8


@triton.jit
def block_pointers(a, b, c, M, N, K, sa, sb, sc):
    m = tl.program_id(0) * 32
    n = tl.program_id(1) * 32
    pa = tl.make_block_ptr(base=a, shape=(M, K), strides=(sa, 1), offsets=(m, 0), block_shape=(32, 16), order=(1, 0))
    pb = tl.make_block_ptr(b, (K, N), (sb, 1), (0, n), (16, 32), (1, 0))
    acc = tl.zeros((32, 32), dtype=tl.float32)
    for k in range(0, K, 16):
        acc += tl.dot(tl.load(pa, boundary_check=(0, 1), padding_option="zero"), tl.load(pb, boundary_check=(0, 1)))
        pa = tl.advance(pa, (0, 16))
        pb = pb.advance((16, 0))
    pc = tl.make_block_ptr(c, (M, N), (sc, 1), (m, n), (32, 32), (1, 0))
    tl.static_assert(pc.dtype.is_ptr() and pc.type.element_ty == tl.float32)
    tl.store(pc, acc.to(pc.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def descriptors(a, c, M, N):
    d = tl.make_tensor_descriptor(a, shape=[M, N], strides=[N, 1], block_shape=[16, 32])
    e = tl.make_tensor_descriptor(c, [M, N], [N, 1], [16, 32])
    tl.static_assert(d.block_shape == (16, 32) and d.dtype == tl.float16)
    for i in range(0, M, 16):
        t = d.load([i, 0])
        e.store([i, 0], t * 2)
        tl.store_tensor_descriptor(e, [i, 32], tl.load_tensor_descriptor(d, [i, 32]))


@triton.jit
def double(v):
    return v * SCALE


@triton.jit
def closures(x, n, OP: tl.constexpr):
    v = tl.load(x)
    if OP is not None:
        v = OP(v)
    w = OP(v) if OP else v
    tl.static_assert(NAMES[1] == "y", f"{NAMES=} {SCALE:.1f}")
    tl.store(x, w)


@triton.jit
def swap(p):
    return Pair(p.right, p.left)


@triton.jit
def tuples(x, n):
    p = Pair(n, n + 1)
    q = swap(p)
    limits = Limits(high=16)
    for i in range(limits.low, limits.high):
        q = swap(q)
    parts = (q.left, q.right, 3) + (4,)
    tl.store(x, parts[0] + parts[-1] + len(parts) + q.right)
