# run: reductions x=*fp32 h=*fp16 b=*bf16 i=*i8 o=*fp32
# run: shapes x=*fp32 o=*fp32
# run: sorting x=*fp32 o=*fp32 i=*i32
# run: random o=*fp32 i=*i32 seed=i32 wide=i64
# run: scalars x=*fp32 n=i32 m=i64
# run: scans x=*fp32 h=*bf16 i=*i16 o=*fp32
# run: elementwise x=*fp32 h=*fp16 i=*i32 u=*u32
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    ratio = tl.where(n == 0, 0.0, n_b / n)
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * n_a * ratio, n


@triton.jit
def reductions(x, h, b, i, o):
    r = tl.arange(0, 16)
    t = tl.load(x + r[:, None] * 16 + r[None, :])
    th = tl.load(h + r)
    tb = tl.load(b + r)
    ti = tl.load(i + r)
    tl.static_assert(tl.sum(th, 0).dtype == tl.float16)
    tl.static_assert(tl.sum(ti, 0).dtype == tl.int32)
    tl.static_assert(tl.sum(ti > 0, 0).dtype == tl.uint32)
    tl.static_assert(tl.max(th, 0).dtype == tl.float32)
    tl.static_assert(tl.max(ti, 0).dtype == tl.int32)
    tl.static_assert(tl.max(tb, 0, return_indices=True)[0].dtype == tl.float32)
    tl.static_assert(tl.max(th, 0, return_indices=True)[0].dtype == tl.float16)
    tl.static_assert(tl.sum(t, 1).shape == (16,))
    tl.static_assert(tl.sum(t, 1, keep_dims=True).shape == (16, 1))
    tl.static_assert(tl.sum(t).shape == ())
    tl.static_assert(t.sum(axis=-1).shape == (16,))
    tl.static_assert(tl.sum(th, 0, dtype=tl.float32).dtype == tl.float32)
    v, w = tl.max(t, axis=1, return_indices=True)
    tl.store(o + r, v + w)
    tl.store(o + r, tl.argmax(t, 0) + tl.argmin(t, axis=1))
    tl.store(o, tl.min(t) + tl.xor_sum(r, 0) + tl.argmax(th, 0))
    tl.store(o + r, tl.reduce(t, 1, add))
    m, s, n = tl.reduce((t, t * 0, t * 0 + 1), 1, welford)
    tl.store(o + r, m + s / n)
    tl.store(o + r[:, None] + r[None, :], tl.softmax(t, dim=1))
    tl.store(o, tl.max(r > 3))


@triton.jit
def shapes(x, o):
    r = tl.arange(0, 8)
    t = tl.load(x + r[:, None] * 8 + r)
    a = t.trans() + tl.trans(t, 1, 0) + t.T + tl.permute(t, (1, 0)) + tl.permute(t, 1, 0)
    b = tl.reshape(a, (4, 16)).reshape(64).reshape([2, 4, 8])
    c = tl.broadcast_to(r[None, :], 8, 8) + tl.broadcast_to(r[:, None], (8, 8))
    j = tl.join(a, c.to(tl.float32))
    p, q = tl.split(j)
    f = tl.flip(p, 1) + q.flip(dim=0)
    i = tl.interleave(r, r + 1)
    tl.static_assert(i.shape[0] == 16 and len(b.shape) == 3 and b.numel == 64)
    tl.static_assert(tl.ravel(b).shape == (64,))
    z = tl.zeros_like(f) + tl.zeros([8, 8], tl.int8) + tl.full((8, 8), 3.5, tl.float16)
    g = tl.cat(r, r, can_reorder=True)
    k = tl.gather(f, c % 8, 1)
    e = tl.expand_dims(r, (0, 2)) + r[None, :, None]
    x1, y1 = tl.broadcast(r[:, None], r[None, :])
    tl.store(o + r[:, None] * 8 + r[None, :], f + z + k + x1 + y1)
    tl.store(o + tl.arange(0, 16), i + g)
    tl.store(o + e, e)
    s0, s1 = tl.swizzle2d(tl.program_id(0), tl.program_id(1), 8, 8, 2)
    tl.store(o, s0 + s1)


@triton.jit
def sorting(x, o, i):
    r = tl.arange(0, 16)
    t = tl.load(x + r[:, None] * 16 + r)
    tl.store(o + r[:, None] * 16 + r, tl.sort(t))
    tl.store(o + r[:, None] * 16 + r, tl.sort(t, dim=1, descending=True))
    top = tl.topk(t, 4)
    tl.static_assert(top.shape == (16, 4))
    tl.store(o + r[:, None] + tl.arange(0, 4), top)
    tl.store(i + r, tl.sort(r))
    tl.store(i + tl.arange(0, 8), tl.histogram(r, 8))


@triton.jit
def random(o, i, seed, wide):
    r = tl.arange(0, 64)
    tl.store(o + r, tl.rand(seed, r) + tl.randn(seed, r, n_rounds=7))
    a, b, c, d = tl.randint4x(seed, r)
    tl.store(i + r, a ^ b ^ c ^ d)
    tl.store(i + r, tl.randint(wide, r + wide))
    u, v, w, x = tl.rand4x(seed, r)
    p, q, s, t = tl.randn4x(seed, r)
    tl.store(o + r, u + v + w + x + p + q + s + t)
    tl.store(o, tl.rand(seed, 0))
    tl.store(o, tl.rand(seed, seed))


@triton.jit
def scalars(x, n, m):
    a = tl.cdiv(n, 16) + triton.cdiv(n, 4) + min(n, 3) + max(n, m)
    b = n % 3 - n // 3 + (n << 2) + (n >> 1) + (-n) + ~n + (n & 1) + (n | 2) + (n ^ 3)
    c = n / 3 + 1.0
    d = (n > 1) & (n < 5) | (n == 7)
    e = not d
    f = d and n > 3 or e
    g = n if n > m else 5
    h = tl.sigmoid(c) + abs(c) + c.to(tl.float64)
    tl.store(x, a + b + c + h)
    tl.store(x + g, f)
    tl.device_assert(n > 0, "n is positive")
    assert n > 0, "again"
    tl.device_print("n", n, c)
    print("n", n)
    tl.debug_barrier()
    tl.store(x, tl.multiple_of(n, 8) + tl.max_contiguous(n, 4))
    tl.store(x, float("inf") if m > 3 else -float("inf"))
    if n is not None and isinstance(n, tl.tensor):
        tl.store(x, 1)


@triton.jit
def scans(x, h, i, o):
    r = tl.arange(0, 16)
    t = tl.load(x + r[:, None] * 16 + r)
    tl.static_assert(tl.cumsum(tl.load(h + r), 0).dtype == tl.float32)
    tl.static_assert(tl.cumsum(tl.load(i + r), 0).dtype == tl.int32)
    tl.store(o + r[:, None] * 16 + r, tl.cumsum(t, axis=1, reverse=True) + tl.cumprod(t, 0))
    tl.store(o + r[:, None] * 16 + r, tl.associative_scan(t, 0, add))


@triton.jit
def elementwise(x, h, i, u):
    r = tl.arange(0, 16)
    t = tl.load(x + r)
    th = tl.load(h + r)
    ti = tl.load(i + r)
    tu = tl.load(u + r)
    tl.static_assert((th + 1.5).dtype == tl.float16)
    tl.static_assert((th / 2).dtype == tl.float32)
    tl.static_assert((th + ti).dtype == tl.float16)
    tl.static_assert((ti + tu).dtype == tl.uint32)
    tl.static_assert((ti / 2).dtype == tl.float32)
    tl.static_assert((ti * 1.0).dtype == tl.float32)
    tl.static_assert(tl.maximum(th, 0.0).dtype == tl.float32)
    tl.static_assert(tl.where(ti > 0, th, 0.0).dtype == tl.float16)
    tl.static_assert((ti.to(tl.int8) + 5).dtype == tl.int8)
    a = tl.exp(t) + tl.exp2(t) + tl.log(t) + tl.log2(t) + tl.sin(t) + tl.cos(t)
    b = tl.sqrt(t) + tl.rsqrt(t) + tl.erf(t) + tl.floor(t) + tl.ceil(t) + tl.abs(t)
    c = tl.fma(t, t, 1.0) + tl.clamp(t, 0.0, 1.0) + tl.fdiv(t, 3.0) + tl.div_rn(t, t)
    d = libdevice.tanh(t) + tl.math.pow(t, 2.0) + tl.math.exp(t) + libdevice.log1p(t)
    e = tl.minimum(t, 3.0, propagate_nan=tl.PropagateNan.ALL) + tl.math.rsqrt(t)
    f = tl.where(libdevice.isnan(t) | libdevice.isinf(t), 0.0, t)
    tl.store(x + r, a + b + c + d + e + f, mask=r < 7)
    tl.store(u + r, tl.umulhi(tu, 12345) + tu % 7 + (tu >> 3))
    tl.store(x + r, ti.to(tl.float32, bitcast=True))
    tl.store(h + r, t)
    tl.store(h + r, t.to(tl.float8e4nv).to(tl.float16) + t.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.atomic_add(x + r, t, mask=r < 3)
    old = tl.atomic_max(i + r, ti, sem="relaxed", scope="cta") + tl.atomic_cas(i, 0, 1)
    tl.atomic_xchg(i + r, old)
