"""Kernels of docs/examples and of Liger on the CPU, beside torch's own operators.

    python -m terrazzo test/bench/cpu/beside_torch.py [--liger FOLDER] [--only WORD] [--rounds 11]
        [--json results/cpu/DATE-beside-torch.json]

One thread each (TERRAZZO_CPU_THREADS=1, which this program sets), timed by the process's
processor time: other programs do not count, but their use of memory does. Samples are
taken in turns. Each result is compared with torch's first. torch runs eagerly: what a user
gets who replaces operators by kernels.

FOLDER is Liger's `src`; without it its rows are left out.
"""

import argparse
import importlib
import os
import statistics
import sys
import time

os.environ["TERRAZZO_CPU_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path[:0] = [os.path.join(ROOT, "test", "bench", "results"), os.path.join(ROOT, "docs", "examples")]

import results  # noqa: E402

ROWS, COLUMNS, VOCABULARY = 1024, 4096, 32000


def randn(*shape, grad=False):
    return torch.randn(*shape).requires_grad_(grad)


def backward(function, *inputs):
    """Only the gradients; the graph is made once."""
    out = function(*inputs)
    grad = torch.randn(out.shape, generator=torch.Generator().manual_seed(1))
    wanted = [value for value in inputs if isinstance(value, torch.Tensor) and value.requires_grad]
    return lambda: torch.autograd.grad(out, wanted, grad, retain_graph=True)


def both(ours, torchs, *inputs):
    return lambda: ours(*inputs), lambda: torchs(*inputs)


def both_backward(ours, torchs, *inputs):
    return backward(ours, *inputs), backward(torchs, *inputs)


def rotated(q, k, cos, sin):
    def half(x):
        low, high = x.chunk(2, dim=-1)
        return torch.cat((-high, low), dim=-1)

    return q * cos[:, None] + half(q) * sin[:, None], k * cos[:, None] + half(k) * sin[:, None]


def of_examples():
    """name -> what makes (ours, torch's)."""
    def module(name):
        return importlib.import_module(name)

    x, w, b = randn(ROWS, COLUMNS), randn(COLUMNS), randn(COLUMNS)
    odd = randn(ROWS, 3001)
    logits, labels = randn(256, VOCABULARY), torch.randint(VOCABULARY, (256,))
    table, ids = randn(VOCABULARY, 1024), torch.randint(VOCABULARY, (4096,))
    ids32 = ids.to(torch.int32)
    grad_out = randn(4096, 1024)
    q, k, v = (randn(8, 1024, 64) for _ in range(3))
    small, counted = randn(2048, 256), torch.randint(256, (1 << 20,), dtype=torch.int32)

    sums, theirs = torch.zeros_like(table), torch.zeros_like(table)

    def add_rows():
        kernel = module("embedding").embedding_bwd
        kernel[(4096, 8)](ids32, grad_out, sums, 1024, -1, BLOCK=128)
        return sums

    def ranked(x, count):
        values, positions = torch.topk(x, count, dim=1)
        return torch.softmax(values, dim=1), positions

    return {
        "vector add": lambda: both(module("vector_add").add, torch.add, x.flatten(), x.flatten()),
        "softmax": lambda: both(module("softmax").softmax, lambda x: torch.softmax(x, 1), x),
        "softmax, 3001 columns": lambda: both(module("softmax").softmax, lambda x: torch.softmax(x, 1), odd),
        "layer norm": lambda: both(lambda *a: module("layer_norm").layer_norm(*a)[0],
                                   lambda x, w, b: F.layer_norm(x, (COLUMNS,), w, b), x, w, b),
        "layer norm, 3001 columns": lambda: both(lambda *a: module("layer_norm").layer_norm(*a)[0],
                                                 lambda x, w, b: F.layer_norm(x, (3001,), w, b),
                                                 odd, w[:3001].clone(), b[:3001].clone()),
        "RMS norm": lambda: both(lambda *a: module("rms_norm").rms_norm(*a)[0],
                                 lambda x, w: F.rms_norm(x, (COLUMNS,), w, 1e-5), x, w),
        "cross entropy with gradient": lambda: (
            lambda: module("cross_entropy").cross_entropy(logits, labels)[0].mean(),
            lambda: with_gradient(logits.detach().requires_grad_(), labels)),
        "embedding": lambda: both(module("embedding").embedding, lambda i, t: F.embedding(i, t), ids32, table),
        "embedding backward, float atomics": lambda: (add_rows, lambda: theirs.index_add_(0, ids, grad_out)),
        "top 8 of 256, softmax": lambda: both(module("topk_softmax").topk_softmax, ranked, small, 8),
        "top 8 of 256 by a sort, softmax": lambda: both(
            lambda x, k: module("topk_softmax").topk_softmax(x, k, sort=True), ranked, small, 8),
        "histogram": lambda: both(module("histogram").histogram, lambda x, n: torch.bincount(x, minlength=n), counted, 256),
        "attention": lambda: both(lambda q, k, v: first(module("attention").attention(q, k, v, False)),
                                  F.scaled_dot_product_attention, q, k, v),
        "attention, causal": lambda: both(
            lambda q, k, v: first(module("attention").attention(q, k, v, True)),
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), q, k, v),
    }


TILES = ((64, 64, 64), (128, 128, 128), (256, 256, 128), (256, 256, 256), (512, 256, 512), (512, 512, 128), (512, 512, 256))


def of_products():
    """The example's kernel, with the tile that is the fastest of a few; torch's are MKL's."""
    def product(side):
        kernel = importlib.import_module("matmul").matmul_kernel
        a, b, c = randn(side, side), randn(side, side), torch.empty(side, side)

        def with_tile(m, n, k):
            grid = (-(-side // m) * -(-side // n),)

            def run():
                kernel[grid](a, b, c, side, side, side, side, 1, side, 1, side, 1, m, n, k, 8, "")
                return c
            return run

        candidates = [with_tile(*tile) for tile in TILES if tile[0] <= max(64, 2 * side)]
        times = [min(taken) for taken in samples(candidates, 3)]
        return candidates[times.index(min(times))], lambda: torch.mm(a, b)

    return {f"product fp32 {side}^3": lambda side=side: product(side) for side in (256, 512, 1000, 1023, 1024, 2048)}


def first(value):
    return value[0] if isinstance(value, (tuple, list)) else value


def of_liger():
    def op(module, name, *more):
        function = getattr(importlib.import_module("liger_kernel.ops." + module), name)
        return lambda *inputs: first(function.apply(*inputs, *more))

    x, y = randn(ROWS, COLUMNS, grad=True), randn(ROWS, COLUMNS, grad=True)
    w, b = randn(COLUMNS, grad=True), randn(COLUMNS, grad=True)
    channels = randn(32, 64, 1024, grad=True)
    cw, cb = randn(64, grad=True), randn(64, grad=True)
    logits, labels = randn(256, VOCABULARY), torch.randint(VOCABULARY, (256,))
    log_p, p = torch.log_softmax(randn(256, VOCABULARY), 1), torch.softmax(randn(256, VOCABULARY), 1)
    q, k = randn(1, 32, 512, 128), randn(1, 8, 512, 128)
    angle = torch.rand(1, 512, 64) * 6
    cos, sin = (torch.cat((f(angle),) * 2, dim=-1) for f in (torch.cos, torch.sin))
    alpha = randn(1, grad=True)

    def written_over(module, function, x, y):
        """Liger's gradients replace its inputs: both make copies."""
        kernel = getattr(importlib.import_module("liger_kernel.ops." + module), module + "_backward")
        inputs, out = (x, y), function(x, y)
        grad = randn(*out.shape)

        def copies():
            return x.detach().clone(), y.detach().clone(), grad.clone()

        def theirs():
            copy = copies()[2]
            return torch.autograd.grad(out, inputs, copy, retain_graph=True)

        return lambda: (lambda: kernel(*copies()), theirs)

    def pair(kind, ours, torchs, *inputs):
        return lambda: kind(ours, torchs, *inputs)

    found = {}
    for name, ours, torchs, inputs in (
        ("RMS norm", op("rms_norm", "LigerRMSNormFunction", 1e-6, 0.0, "llama", False),
         lambda x, w: F.rms_norm(x, (COLUMNS,), w, 1e-6), (x, w)),
        ("layer norm", op("layer_norm", "LigerLayerNormFunction", 1e-6),
         lambda x, w, b: F.layer_norm(x, (COLUMNS,), w, b, 1e-6), (x, w, b)),
        ("SwiGLU", op("swiglu", "LigerSiLUMulFunction"), lambda x, y: F.silu(x) * y, (x, y)),
        ("GeGLU", op("geglu", "LigerGELUMulFunction"), lambda x, y: F.gelu(x, approximate="tanh") * y, (x, y)),
        ("softmax", op("softmax", "LigerSoftmaxFunction"), lambda x: torch.softmax(x, -1), (x,)),
        ("sparsemax", op("sparsemax", "LigerSparsemaxFunction", -1), sparsemax, (randn(128, 4096, grad=True),)),
        ("DyT", op("dyt", "LigerDyTFunction"), lambda x, a, w, b: torch.tanh(x * a) * w + b, (x, alpha, w, b)),
        ("ReLU squared", op("relu_squared", "LigerReLUSquaredFunction"), lambda x: F.relu(x).square(), (x,)),
    ):
        found[name] = pair(both, ours, torchs, *[value.detach() for value in inputs])
        found[name + " backward"] = pair(both_backward, ours, torchs, *inputs)
    for name, module, function in (("SwiGLU", "swiglu", lambda x, y: F.silu(x) * y),
                                   ("GeGLU", "geglu", lambda x, y: F.gelu(x, approximate="tanh") * y)):
        found[name + " backward"] = written_over(module, function, x, y)
    del found["DyT backward"]  # Liger's has none for a CPU
    found["group norm"] = lambda: (
        lambda: op("group_norm", "LigerGroupNormFunction")(channels.detach(), cw.detach(), cb.detach(), 64, 8, 1e-6),
        lambda: F.group_norm(channels.detach(), 8, cw.detach(), cb.detach(), 1e-6))
    found["rotary embedding"] = lambda: (
        lambda: first(importlib.import_module("liger_kernel.ops.rope").rope_forward(q.clone(), k.clone(), cos, sin)),
        lambda: rotated(q, k, cos, sin)[0])
    found["KL divergence"] = pair(both, op("kl_div", "LigerKLDivLossFunction", "batchmean"),
                                  lambda x, y: F.kl_div(x, y, reduction="batchmean"), log_p, p)
    found["cross entropy with gradient"] = lambda: (
        lambda: op("cross_entropy", "LigerCrossEntropyFunction")(logits.clone().requires_grad_(), labels, None),
        lambda: with_gradient(logits.clone().requires_grad_(), labels))
    return found


def with_gradient(x, labels):
    loss = F.cross_entropy(x, labels)
    loss.backward()
    return loss.detach()


def sparsemax(x):
    ordered = torch.sort(x, dim=-1, descending=True).values
    sums = ordered.cumsum(-1) - 1
    counts = torch.arange(1, x.shape[-1] + 1)
    support = (ordered * counts > sums).sum(-1, keepdim=True)
    return torch.relu(x - sums.gather(-1, support - 1) / support)


def tensors(value):
    return [v for v in (value if isinstance(value, (tuple, list)) else (value,)) if isinstance(v, torch.Tensor)]


def difference(ours, torchs):
    """The largest difference, beside the largest number."""
    worst = 0.0
    for a, b in zip(tensors(ours), tensors(torchs)):
        a, b = a.detach().double().flatten(), b.detach().double().flatten()
        worst = max(worst, ((a - b).abs().max() / b.abs().max().clamp(min=1e-30)).item())
    return worst


def samples(runs, rounds):
    """Seconds of processor time of one call, each function's `rounds` times, in turns."""
    repeats, taken = [], [[] for _ in runs]
    for run in runs:
        run()
        start = time.process_time()
        run()
        repeats.append(max(1, int(4e-3 / max(time.process_time() - start, 1e-6))))
    for _ in range(rounds):
        for run, repeat, times in zip(runs, repeats, taken):
            start = time.process_time()
            for _ in range(repeat):
                run()
            times.append((time.process_time() - start) / repeat)
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--liger", help="Liger's folder src")
    parser.add_argument("--only", default="", help="rows whose name contains this word")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", help="file for the samples, by test/bench/results/results.py")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    rows = {name + " (example)": make for name, make in of_examples().items()}
    rows.update(of_products())
    if options.liger:
        sys.path.insert(0, options.liger)
        rows.update((name + " (Liger)", make) for name, make in of_liger().items())
    import terrazzo

    table = results.Results("Kernels on one thread of a CPU beside torch's operators, by processor time",
                            {"terrazzo": terrazzo.__version__, "torch": torch.__version__})
    ratios, failed = [], 0
    for name, make in rows.items():
        if options.only not in name:
            continue
        try:
            ours, torchs = make()
            error = difference(ours(), torchs())
            if not error < 1e-3:
                raise ArithmeticError(f"differs by {error:.1e} of the largest number")
            mine, theirs = samples([ours, torchs], options.rounds)
        except Exception as problem:  # the next row is another kernel
            failed += 1
            print(f"{name:44} {type(problem).__name__}: {str(problem).splitlines()[0][:90] if str(problem) else ''}", flush=True)
            table.row(name, "ms", {}, failed={"terrazzo": str(problem)[:200] or type(problem).__name__})
            continue
        ratio = statistics.median(theirs) / statistics.median(mine)
        ratios.append(ratio)
        table.row(name, "ms", {"terrazzo": [round(t * 1e3, 4) for t in mine], "torch": [round(t * 1e3, 4) for t in theirs]},
                  facts={"error": error})
        print(f"{name:44} {statistics.median(mine) * 1e3:9.3f} ms  torch {statistics.median(theirs) * 1e3:9.3f}  {ratio:5.2f}", flush=True)
    if ratios:
        print(f"{len(ratios)} rows, geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}, "
              f"{sum(r < 1 for r in ratios)} below 1; {failed} without a figure")
    if options.json:
        table.write(options.json)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
