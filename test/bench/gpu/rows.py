"""What is timed: one Row a line of the table.

A row makes sets of buffers (several, so that the L2 does not hold them), the
launches over a set, what they must give, and the peers that give the same. Sizes
are those of docs/results/figures.md. `configs` are tried by both compilers, and each
takes its own best.
"""

import math

import torch
import torch.nn.functional as F

from fp32_matmul import fp32_matmul_kernel
from launches import Launch, load_example, recorded
from one_kernel_backward import one_kernel_backward

L2_BYTES = 50 << 20


class Work:
    """One set of buffers: launches, the tensors that they write (or add to), peers by name."""

    def __init__(self, launches, outputs, expected=None, peers=None, adds=False, keep=None):
        self.launches, self.outputs, self.expected = launches, outputs, expected
        self.peers, self.adds, self.keep = peers or {}, adds, keep

    def reset(self):
        """What is not written must show; what is added to starts with zeros."""
        for tensor in self.outputs:
            tensor.fill_(0 if self.adds else math.nan if tensor.is_floating_point() else 1)


class Row:
    def __init__(self, name, group, make, bytes=0, flops=0, configs=({},), tolerance=1e-2, quick=False):
        self.name, self.group, self.make = name, group, make
        self.bytes, self.flops, self.configs = bytes, flops, list(configs)
        self.tolerance, self.quick = tolerance, quick

    def sets(self):
        return 1 if not self.bytes else max(1, min(12, math.ceil(5 * L2_BYTES / self.bytes)))


def randn(*shape, dtype=torch.float16):
    return torch.randn(*shape, device="cuda").to(dtype)


def empty(*shape, dtype=torch.float16):
    return torch.empty(*shape, device="cuda", dtype=dtype)


def cdiv(a, b):
    return -(-a // b)


def grid_2d(rows, cols, m="BLOCK_M", n="BLOCK_N"):
    return lambda v: (cdiv(rows, v[m]), cdiv(cols, v[n]))


# The configurations of Triton's tutorial 03: BLOCK_M, BLOCK_N, BLOCK_K, stages, warps.
TUTORIAL_16 = [
    (128, 256, 64, 3, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4),
    (64, 128, 32, 4, 4), (128, 32, 32, 4, 4), (64, 32, 32, 5, 2), (32, 64, 32, 5, 2),
]
TUTORIAL_8 = [
    (128, 256, 128, 3, 8), (256, 128, 128, 3, 8), (256, 64, 128, 4, 4), (64, 256, 128, 4, 4),
    (128, 128, 128, 4, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4), (128, 32, 64, 4, 4),
]
TUTORIAL = TUTORIAL_16 + TUTORIAL_8
QUICK = [(128, 256, 64, 3, 8), (128, 128, 32, 4, 4), (64, 256, 32, 4, 4), (128, 64, 32, 4, 4)]
SKINNY = [(16, n, k, s, 4) for n in (32, 64, 128) for k, s in ((64, 5), (128, 4), (256, 3))]


def tiles(table, **more):
    return [dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, num_stages=s, num_warps=w, **more) for m, n, k, s, w in table]


def matmul(folder, m, n, k, dtype, table, quick=False):
    example = load_example(folder, "matmul")

    def make():
        a, b, c, d = randn(m, k, dtype=dtype), randn(k, n, dtype=dtype), empty(m, n, dtype=dtype), empty(m, n, dtype=dtype)
        across = b.t().contiguous().t()
        args = (a, b, c, m, n, k, a.stride(0), 1, b.stride(0), 1, c.stride(0), 1)
        launch = Launch(example.matmul_kernel, lambda v: (cdiv(m, v["BLOCK_M"]) * cdiv(n, v["BLOCK_N"]),), args,
                        dict(GROUP_M=8))
        peers = {"cuBLAS NN": lambda: torch.mm(a, b, out=d), "cuBLAS NT": lambda: torch.mm(a, across, out=d)}
        return Work([launch], [c], lambda: [a.float() @ b.float()], peers)

    kind = {torch.float16: "fp16", torch.bfloat16: "bf16"}[dtype]
    size = 2 * (m * k + k * n + m * n)
    return Row(f"matmul {kind} {m}x{n}x{k}", "matmul", make, size, 2 * m * n * k, tiles(table), quick=quick)


def fp8_matmul(folder, m, n, k, quick=False):
    example = load_example(folder, "fp8_matmul")

    def make():
        a, b = randn(m, k, dtype=torch.float8_e4m3fn), randn(n, k, dtype=torch.float8_e4m3fn)
        c = empty(m, n, dtype=torch.bfloat16)
        one, two = torch.full((1,), 0.5, device="cuda"), torch.full((1,), 0.25, device="cuda")
        launch = Launch(example.fp8_matmul_kernel, grid_2d(m, n), (a, b, c, one, two, m, n, k), {})
        peers = {"cuBLAS": lambda: torch._scaled_mm(a, b.t(), scale_a=one, scale_b=two, out_dtype=torch.bfloat16)}
        return Work([launch], [c], lambda: [a.float() @ b.float().t() * 0.125], peers)

    return Row(f"matmul fp8 {m}x{n}x{k}", "fp8", make, m * k + k * n + 2 * m * n, 2 * m * n * k,
               tiles(TUTORIAL_8), tolerance=2e-2, quick=quick)


FP32 = [(128, 128, 32, 3, 8), (128, 128, 32, 3, 4), (128, 256, 32, 2, 8), (128, 64, 32, 3, 4), (64, 128, 32, 3, 4)]


# What the parts leave out of a product: two bf16 have 16 of its 24 bits.
FP32_TOLERANCES = {"tf32": 1e-3, "tf32x3": 1e-5, "bf16x3": 1e-4}


def fp32_matmul(m, n, k, precision, quick=False):
    def make():
        a, b, c, d = (empty(rows, columns, dtype=torch.float32).normal_() for rows, columns in ((m, k), (k, n), (m, n), (m, n)))
        launch = Launch(fp32_matmul_kernel, grid_2d(m, n), (a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0)),
                        dict(PRECISION=precision))

        def cublas():
            torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
            torch.mm(a, b, out=d)
            torch.backends.cuda.matmul.allow_tf32 = False

        return Work([launch], [c], lambda: [a.double() @ b.double()], {f"cuBLAS {'tf32' if precision == 'tf32' else 'fp32'}": cublas})

    return Row(f"matmul {precision} {m}x{n}x{k}", "fp32", make, 4 * (m * k + k * n + m * n), 2 * m * n * k, tiles(FP32),
               tolerance=FP32_TOLERANCES[precision], quick=quick)


def heads_of(length):
    return 128 if length <= 4096 else 32


ATTENTION = [dict(BLOCK_M=m, BLOCK_N=n, num_stages=s, num_warps=w)
             for m, n, s, w in ((128, 64, 3, 4), (128, 64, 3, 8), (128, 128, 2, 8), (64, 64, 3, 4), (128, 32, 4, 4))]


def attention(folder, dim, length, causal, quick=False):
    example, heads = load_example(folder, "attention"), heads_of(length)

    def make():
        q, k, v, out = (randn(heads, length, dim) for _ in range(4))
        lse = empty(heads, length, dtype=torch.float32)
        launch = Launch(example.attention_fwd, lambda x: (cdiv(length, x["BLOCK_M"]), heads),
                        (q, k, v, out, lse, dim**-0.5, length, length), dict(HEAD_DIM=dim, CAUSAL=causal, GROUP=example.heads_at_a_time(length, dim)))
        wide = [t.view(1, heads, length, dim) for t in (q, k, v)]
        peers = {f"SDPA {n}": sdpa(backend, wide, causal) for n, backend in BACKENDS}
        expected = lambda: [F.scaled_dot_product_attention(*wide, is_causal=causal).view(heads, length, dim)]
        return Work([launch], [out], expected, peers)

    flops = 4 * heads * length * length * dim // (2 if causal else 1)
    name = f"attention fwd D{dim} {'causal' if causal else 'full'} {length // 1024}k"
    return Row(name, "attention", make, 8 * heads * length * dim, flops, ATTENTION, tolerance=2e-2, quick=quick)


try:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    BACKENDS = [("cuDNN", SDPBackend.CUDNN_ATTENTION), ("FA2", SDPBackend.FLASH_ATTENTION)]
except ImportError:
    BACKENDS = []


def sdpa(backend, wide, causal):
    def run():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(*wide, is_causal=causal)

    return run


# BLOCK_N is what a program owns, keys for dK and dV and queries for dQ, and
# BLOCK_M what it walks over. Three blocks of 128 threads fit with 168 registers.
BACKWARD = [dict(BLOCK_M=m, BLOCK_N=n, num_stages=s, num_warps=w)
            for m, n, s, w in ((64, 64, 2, 4), (32, 64, 3, 4), (64, 128, 2, 8), (32, 128, 2, 8))]
BACKWARD_64 = BACKWARD + [dict(BACKWARD[0], num_stages=s, dq_num_stages=2, maxnreg=168, **more)
                          for s in (2, 3) for more in ({}, dict(dq_maxnreg=128))]


def attention_backward(folder, dim, length, causal, quick=False):
    example, heads = load_example(folder, "attention_backward"), heads_of(length)

    def make():
        q, k, v = (randn(1, heads, length, dim).requires_grad_() for _ in range(3))
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            out = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        d_out = torch.randn_like(out)
        flat = [t.detach().view(heads, length, dim) for t in (q, k, v, out, d_out)]
        lse = lse_of(flat[0], flat[1], dim**-0.5, causal)
        delta, dq, dk, dv = empty(heads, length, dtype=torch.float32), *(torch.empty_like(flat[0]) for _ in range(3))
        fixed, scale = dict(HEAD_DIM=dim, CAUSAL=causal), dim**-0.5
        q_, k_, v_, out_, d_out_ = flat
        launches = [
            Launch(example.attention_bwd_delta, (cdiv(length, 64), heads), (out_, d_out_, delta, length),
                   dict(HEAD_DIM=dim, BLOCK_M=64)),
            Launch(example.attention_bwd_dkdv, lambda x: (cdiv(length, x["BLOCK_N"]), heads),
                   (q_, k_, v_, d_out_, lse, delta, dk, dv, scale, length, length), fixed),
            Launch(example.attention_bwd_dq, lambda x: (cdiv(length, x["BLOCK_M"]), heads),
                   (q_, k_, v_, d_out_, lse, delta, dq, scale, length, length), fixed,
                   renamed=dict(BLOCK_M="BLOCK_N", BLOCK_N="BLOCK_M", dq_num_stages="num_stages", dq_maxnreg="maxnreg")),
        ]

        def peer():
            return torch.autograd.grad(out, (q, k, v), d_out, retain_graph=True)

        lse_2, theirs = lse / math.log(2), [torch.empty_like(q_) for _ in range(3)]

        def tutorial():
            example.attention_bwd_delta[(cdiv(length, 64), heads)](out_, d_out_, delta, length, HEAD_DIM=dim, BLOCK_M=64)
            one_kernel_backward(q_, k_, v_, d_out_, lse_2, delta, *theirs, scale, causal)

        tutorial()
        for name, got, want in zip(("dq", "dk", "dv"), theirs, peer()):
            error = ((got - want.reshape_as(got)).float().norm() / want.float().norm()).item()
            if not error < 3e-2:
                raise RuntimeError(f"the tutorial's form gives a wrong {name}: {error:.2e}")
        expected = lambda: [t.reshape(heads, length, dim) for t in peer()]
        return Work(launches, [dq, dk, dv], expected, {"SDPA cuDNN": peer, "Triton 06": tutorial})

    flops = 10 * heads * length * length * dim // (2 if causal else 1)
    name = f"attention bwd D{dim} {'causal' if causal else 'full'} {length // 1024}k"
    configs = BACKWARD_64 if dim == 64 else BACKWARD
    return Row(name, "backward", make, 16 * heads * length * dim, flops, configs, tolerance=3e-2, quick=quick)


def lse_of(q, k, scale, causal):
    """Logarithms of the rows' sums, a few thousand rows at a time."""
    heads, length, _ = q.shape
    lse = empty(heads, length, dtype=torch.float32)
    keys = torch.arange(length, device="cuda")
    for head in range(heads):
        for first in range(0, length, 4096):
            rows = slice(first, min(length, first + 4096))
            scores = (q[head, rows].float() @ k[head].float().t()) * scale
            if causal:
                scores.masked_fill_(keys[None, :] > keys[rows, None], -math.inf)
            lse[head, rows] = torch.logsumexp(scores, dim=1)
    return lse


WARPS = [dict(num_warps=w) for w in (4, 8, 16)]


def softmax(folder, rows, cols, dtype=torch.float32, quick=False):
    example = load_example(folder, "softmax")

    def make():
        x, out = randn(rows, cols, dtype=dtype), empty(rows, cols, dtype=dtype)
        launch = Launch(example.softmax_kernel, (rows,), (out, x, cols, cols, cols),
                        dict(BLOCK=1 << (cols - 1).bit_length()))
        return Work([launch], [out], lambda: [torch.softmax(x, dim=1)], {"torch": lambda: torch.softmax(x, dim=1)})

    return Row(f"softmax fp32 {rows}x{cols}", "softmax", make, 2 * 4 * rows * cols, 0, WARPS, 1e-4, quick)


BLOCKS = [dict(BLOCK=b, num_warps=w) for b, w in ((1024, 4), (2048, 4), (2048, 8), (4096, 8), (8192, 8), (8192, 16))]


def layer_norm(folder, rows, cols, quick=False):
    example = load_example(folder, "layer_norm")

    def make():
        x, y, w, b = randn(rows, cols), empty(rows, cols), randn(cols), randn(cols)
        mean, rstd = empty(rows, dtype=torch.float32), empty(rows, dtype=torch.float32)
        launch = Launch(example.layer_norm_fwd, (rows,), (x, y, w, b, mean, rstd, cols, cols, 1e-5), {})
        torchs = lambda: F.layer_norm(x, (cols,), w, b, 1e-5)
        return Work([launch], [y], lambda: [torchs()], {"torch": torchs})

    return Row(f"layer norm fp16 {rows}x{cols}", "layernorm", make, 4 * rows * cols, 0, BLOCKS, quick=quick)


def rms_norm(folder, rows, cols, quick=False):
    example = load_example(folder, "rms_norm")

    def make():
        x, y, w = randn(rows, cols), empty(rows, cols), randn(cols)
        rstd = empty(rows, dtype=torch.float32)
        launch = Launch(example.rms_norm_fwd, (rows,), (x, y, w, rstd, cols, cols, 1e-6), {})
        torchs = lambda: F.rms_norm(x, (cols,), w, 1e-6)
        return Work([launch], [y], lambda: [torchs()], {"torch": torchs})

    return Row(f"rms norm fp16 {rows}x{cols}", "rmsnorm", make, 4 * rows * cols, 0, BLOCKS, quick=quick)


def cross_entropy(folder, rows, cols, quick=False):
    example = load_example(folder, "cross_entropy")

    def make():
        x, grad = randn(rows, cols, dtype=torch.bfloat16), empty(rows, cols, dtype=torch.bfloat16)
        labels, loss = torch.randint(0, cols, (rows,), device="cuda"), empty(rows, dtype=torch.float32)
        launch = Launch(example.cross_entropy_kernel, (rows,), (x, labels, loss, grad, cols, cols, -100, 1.0 / rows), {})
        expected = lambda: [F.cross_entropy(x.float(), labels, reduction="none")]
        return Work([launch], [loss], expected)

    # The second pass reads what the first brought into the L2, where it fits.
    return Row(f"cross entropy bf16 {rows}x{cols}", "crossentropy", make, 4 * rows * cols, 0, BLOCKS, quick=quick)


def vector_add(folder, n, quick=False):
    example = load_example(folder, "vector_add")

    def make():
        x, y, out = randn(n, dtype=torch.float32), randn(n, dtype=torch.float32), empty(n, dtype=torch.float32)
        launch = Launch(example.add_kernel, lambda v: (cdiv(n, v["BLOCK"]),), (x, y, out, n), {})
        return Work([launch], [out], lambda: [x + y], {"torch": lambda: torch.add(x, y, out=out)})

    configs = [dict(BLOCK=b, num_warps=w) for b, w in ((1024, 4), (2048, 4), (4096, 8))]
    return Row(f"vector add fp32 {n >> 20}M", "add", make, 12 * n, 0, configs, 1e-6, quick)


def example_row(folder, name, function, make_args, bytes=0, flops=0, tolerance=2e-2, adds=False):
    """An example as its own host function launches it."""
    example = load_example(folder, name)

    def make():
        args, named = make_args()
        launches, result = recorded(example, function, *args, **named)
        outputs = [t for t in (result if isinstance(result, (tuple, list)) else [result]) if torch.is_tensor(t)]
        return Work(launches, outputs, adds=adds, keep=args)

    return Row(f"{name}.{function}", "examples", make, bytes, flops, tolerance=tolerance)


def examples(folder):
    def row(*args, **named):
        return example_row(folder, *args, **named)

    n, half = 1 << 24, torch.float16
    yield row("vector_add", "add", lambda: ((randn(n, dtype=torch.float32), randn(n, dtype=torch.float32)), {}), 12 * n)
    yield row("softmax", "softmax", lambda: ((randn(8192, 4096, dtype=torch.float32),), {}), 8 * 8192 * 4096)
    yield row("matmul", "matmul", lambda: ((randn(2048, 2048), randn(2048, 2048)), {}), 6 * 2048**2, 2 * 2048**3)
    yield row("layer_norm", "layer_norm", lambda: ((randn(8192, 4096), randn(4096), randn(4096)), {}), 4 * 8192 * 4096)

    def backward():
        x, w = randn(4096, 4096), randn(4096)
        mean, rstd = x.float().mean(1), x.float().var(1, unbiased=False).add(1e-5).rsqrt()
        return (randn(4096, 4096), x, w, mean, rstd), dict(programs=264)

    yield row("layer_norm", "layer_norm_backward", backward, 6 * 4096 * 4096)
    yield row("rms_norm", "rms_norm", lambda: ((randn(8192, 4096), randn(4096)), {}), 4 * 8192 * 4096)

    def rms_backward():
        x, w = randn(4096, 4096), randn(4096)
        return (randn(4096, 4096), x, w, x.float().square().mean(1).add(1e-6).rsqrt()), dict(programs=264)

    yield row("rms_norm", "rms_norm_backward", rms_backward, 6 * 4096 * 4096)

    def entropy():
        return (randn(4096, 32768, dtype=torch.bfloat16), torch.randint(0, 32768, (4096,), device="cuda")), {}

    example = load_example(folder, "cross_entropy")

    def entropy_work():
        (x, labels), _ = entropy()
        launches, _ = recorded(example, "cross_entropy", x, labels)
        loss, grad = launches[0].args[2], launches[0].args[3]
        return Work(launches, [loss, grad], lambda: [F.cross_entropy(x.float(), labels, reduction="none")])

    yield Row("cross_entropy.cross_entropy", "examples", entropy_work, 4 * 4096 * 32768, tolerance=2e-2)
    qkv = lambda: ((randn(64, 2048, 64), randn(64, 2048, 64), randn(64, 2048, 64), False), {})
    yield row("attention", "attention", qkv, 8 * 64 * 2048 * 64, 4 * 64 * 2048**2 * 64)

    def attention_grads():
        q, k, v, d_out = (randn(32, 1024, 64) for _ in range(4))
        out = F.scaled_dot_product_attention(q, k, v)
        return (q, k, v, out, lse_of(q, k, 0.125, False), d_out, False), {}

    yield row("attention_backward", "attention_backward", attention_grads, 16 * 32 * 1024 * 64, 10 * 32 * 1024**2 * 64, 3e-2)

    def fp8(*shape):
        return randn(*shape, dtype=torch.float8_e4m3fn)

    one = lambda: torch.full((1,), 0.5, device="cuda")
    size, flops = 4 * 2048**2, 2 * 2048**3
    yield row("fp8_matmul", "fp8_matmul", lambda: ((fp8(2048, 2048), one(), fp8(2048, 2048), one()), {}), size, flops)
    yield row("fp8_matmul", "fp8_block_matmul", lambda: (
        (fp8(2048, 2048), torch.rand(2048, 16, device="cuda"), fp8(2048, 2048), torch.rand(16, 16, device="cuda")), {}),
        size, flops)
    powers = lambda: torch.randint(120, 134, (1024, 32), device="cuda", dtype=torch.uint8)
    yield row("fp8_matmul", "mx_matmul", lambda: ((fp8(1024, 1024), powers(), fp8(1024, 1024), powers()), {}),
              4 * 1024**2, 2 * 1024**3)
    yield row("skinny_matmul", "skinny_matmul", lambda: ((randn(16, 8192), randn(8192, 8192)), {}), 2 * 8192**2,
              2 * 16 * 8192**2)
    yield row("descriptor_matmul", "matmul", lambda: ((randn(2048, 2048), randn(2048, 2048)),
                                                      dict(bias=randn(2048, dtype=torch.float32))), 6 * 2048**2, flops)
    yield row("grouped_gemm", "grouped_gemm", lambda: (
        ([(randn(1024, 512), randn(512, 1024)) for _ in range(4)] + [(randn(333, 777), randn(777, 512))],), {}),
        0, 2 * (4 * 1024 * 512 * 1024 + 333 * 777 * 512))

    def experts():
        gate, choice = torch.softmax(torch.randn(512, 8, device="cuda"), dim=1).topk(2, dim=1)
        return (randn(512, 1024), randn(8, 1024, 1024), choice, gate.contiguous()), {}

    yield row("moe_gemm", "moe", experts, 2 * 8 * 1024**2, 2 * 1024 * 1024**2)

    def quarter():
        def words(*shape):
            return torch.randint(-(2**31), 2**31, shape, device="cuda", dtype=torch.int64).to(torch.int32)

        return (randn(64, 4096), words(512, 4096), randn(32, 4096).abs(), words(32, 512), 128), {}

    yield row("int4_matmul", "int4_matmul", quarter, 4096**2 // 2, 2 * 64 * 4096**2)

    def blocks():
        return torch.rand(64, 64, device="cuda") < 0.2

    def sddmm():
        return (randn(2048, 512), randn(512, 2048), blocks(), 0.125), {}

    yield row("block_sparse", "sddmm", sddmm, flops=2 * 2048 * 2048 * 512 // 5)

    def spmm():
        mask = blocks()
        return (randn(int(mask.sum()), 32, 32), mask, randn(2048, 1024), 2048), {}

    yield row("block_sparse", "spmm", spmm, flops=2 * 2048 * 2048 * 1024 // 5)
    yield row("conv2d", "conv2d", lambda: ((randn(16, 56, 56, 64), randn(3, 3, 64, 128), randn(128)), dict(pad=1)),
              flops=2 * 16 * 56 * 56 * 9 * 64 * 128)
    yield row("dropout", "dropout", lambda: ((randn(n, dtype=torch.float32), 0.3, 123), {}), 8 * n)
    table = lambda: (torch.randint(0, 32000, (16384,), device="cuda"), randn(32000, 1024))
    yield row("embedding", "embedding", lambda: (table(), {}), 4 * 16384 * 1024)

    def embedding_grads():
        return (torch.randint(0, 32000, (16384,), device="cuda"), randn(16384, 1024), 32000), {}

    yield row("embedding", "embedding_backward", embedding_grads, 6 * 16384 * 1024, adds=True)
    yield row("histogram", "histogram", lambda: (
        (torch.randint(0, 64, (1 << 22,), device="cuda", dtype=torch.int32), 64), {}), 4 << 22, adds=True)

    def cell():
        return (randn(256, 512), randn(256, 512), randn(256, 512, dtype=torch.float32), randn(2048, 512),
                randn(2048, 512), randn(2048, dtype=torch.float32)), {}

    yield row("lstm_cell", "lstm_cell", cell, flops=2 * 256 * 2048 * 1024)

    def scan():
        return (randn(4096, 16, 64), torch.rand(4096, 16, device="cuda") * 0.1, -torch.rand(16, device="cuda"),
                randn(4096, 64), randn(4096, 64), torch.randn(16, device="cuda")), {}

    yield row("mamba_chunk_scan", "mamba_scan", scan)
    yield row("topk_softmax", "topk_softmax", lambda: ((randn(8192, 1000, dtype=torch.float32), 8), {}), 4 * 8192 * 1000)
    yield row("topk_softmax", "topk_softmax", lambda: ((randn(8192, 1000, dtype=torch.float32), 8), dict(sort=True)),
              4 * 8192 * 1000)


def all_rows(folder, quick):
    """Every row; with `quick` fewer configurations."""
    table = QUICK if quick else TUTORIAL
    half, brain = torch.float16, torch.bfloat16
    yield matmul(folder, 4096, 4096, 4096, half, table, quick=True)
    yield matmul(folder, 8192, 8192, 8192, half, table, quick=True)
    yield matmul(folder, 4096, 4096, 4096, brain, table)
    yield matmul(folder, 8192, 8192, 8192, brain, table)
    yield matmul(folder, 5000, 5000, 5000, half, table, quick=True)
    yield matmul(folder, 8192, 8192, 512, half, table)
    yield matmul(folder, 512, 512, 16384, half, table)
    yield matmul(folder, 16, 8192, 8192, half, SKINNY[::2] if quick else SKINNY)
    yield fp8_matmul(folder, 8192, 8192, 8192, quick=True)
    yield fp8_matmul(folder, 4096, 4096, 4096)
    for precision in ("tf32", "tf32x3", "bf16x3"):
        yield fp32_matmul(4096, 4096, 4096, precision)
    for length in (4096, 16384):
        for dim in (64, 128):
            for causal in (False, True):
                yield attention(folder, dim, length, causal, quick=length == 4096)
    for length in (4096, 16384):
        for dim in (64, 128):
            for causal in (False, True):
                yield attention_backward(folder, dim, length, causal, quick=length == 4096 and dim == 128)
    for cols in (1024, 4096, 8192, 16384):
        yield softmax(folder, 8192, cols, quick=cols == 4096)
    for cols in (1024, 4096, 8192, 16384):
        yield layer_norm(folder, 8192, cols, quick=cols == 4096)
    for cols in (1024, 4096, 8192, 16384):
        yield rms_norm(folder, 8192, cols, quick=cols == 4096)
    for cols in (32768, 131072):
        yield cross_entropy(folder, 4096, cols, quick=cols == 32768)
    for n in (1 << 20, 1 << 24, 1 << 27):
        yield vector_add(folder, n, quick=n == 1 << 24)
    yield from examples(folder)
