"""Autotuning a matrix product over 18 configurations: Terrazzo's autotune beside Triton's, from cold caches.

    autotune.py [--size 4096] [--rounds 2]      a table; each in a fresh process with an empty cache
    autotune.py --package PACKAGE --size N      one measurement in this process

Both run the same kernel and list: the sixteen configurations of Triton's matmul
tutorial and two more, of which some need more shared memory than there is. The
time is that of the first call: compiling, timing, choosing. Then the best
configuration is timed once more by torch's events, and checked.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

# BLOCK_M, BLOCK_N, BLOCK_K, stages, warps
CONFIGURATIONS = [
    (128, 256, 64, 3, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4), (64, 128, 32, 4, 4),
    (128, 32, 32, 4, 4), (64, 32, 32, 5, 2), (32, 64, 32, 5, 2), (128, 256, 128, 3, 8), (256, 128, 128, 3, 8),
    (256, 64, 128, 4, 4), (64, 256, 128, 4, 4), (128, 128, 128, 4, 4), (128, 64, 64, 4, 4), (64, 128, 64, 4, 4),
    (128, 32, 64, 4, 4), (128, 256, 64, 4, 8), (256, 128, 64, 3, 8),
]


def tuned(package):
    if package == "terrazzo":
        import terrazzo.triton as triton
        import terrazzo.triton.language as tl
    else:
        import triton
        import triton.language as tl
    globals()["tl"] = tl
    configurations = [triton.Config({"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, num_stages=stages, num_warps=warps)
                      for m, n, k, stages, warps in CONFIGURATIONS]

    @triton.autotune(configurations, key=["M", "N", "K"])
    @triton.jit
    def matmul(a, b, c, M, N, K, stride_am, stride_bk, stride_cm,
               BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
        rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
        group = tl.program_id(0) // (8 * columns)
        height = tl.minimum(rows - group * 8, 8)
        i = group * 8 + tl.program_id(0) % (8 * columns) % height
        j = tl.program_id(0) % (8 * columns) // height
        at_m = (i * BLOCK_M + tl.arange(0, BLOCK_M)) % M
        at_n = (j * BLOCK_N + tl.arange(0, BLOCK_N)) % N
        at_k = tl.arange(0, BLOCK_K)
        a_at = a + at_m[:, None] * stride_am + at_k[None, :]
        b_at = b + at_k[:, None] * stride_bk + at_n[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BLOCK_K)):
            left = tl.load(a_at, mask=at_k[None, :] < K - k * BLOCK_K, other=0.0)
            right = tl.load(b_at, mask=at_k[:, None] < K - k * BLOCK_K, other=0.0)
            total = tl.dot(left, right, total)
            a_at += BLOCK_K
            b_at += BLOCK_K * stride_bk
        out_m = i * BLOCK_M + tl.arange(0, BLOCK_M)
        out_n = j * BLOCK_N + tl.arange(0, BLOCK_N)
        tl.store(c + out_m[:, None] * stride_cm + out_n[None, :], total.to(tl.float16),
                 mask=(out_m[:, None] < M) & (out_n[None, :] < N))

    return matmul


def one(package, size):
    import torch

    a, b = (torch.rand(size, size, device="cuda", dtype=torch.float16) - 0.5 for _ in range(2))
    c = torch.empty_like(a)
    torch.mm(a, b)
    torch.cuda.synchronize()
    kernel = tuned(package)

    def call():
        grid = lambda meta: (-(-size // meta["BLOCK_M"]) * -(-size // meta["BLOCK_N"]),)  # noqa: E731
        kernel[grid](a, b, c, size, size, size, size, size, size)

    start = time.perf_counter()
    call()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    error = ((c - torch.mm(a, b)).float().norm() / c.float().norm()).item()
    assert error < 1e-2, error
    events = [(torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) for _ in range(100)]
    for first, last in events:
        first.record()
        call()
        last.record()
    torch.cuda.synchronize()
    best = statistics.median(first.elapsed_time(last) for first, last in events)
    finite = sum(row[0] != float("inf") if isinstance(row, list) else True for row in kernel.configs_timings.values())
    print(f"{seconds:.3f}\t{best * 1e3:.1f}\t{finite}\t{kernel.best_config}")


def child(package, size):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--package", package, "--size", str(size)],
                              capture_output=True, text=True,
                              env={**os.environ, "TRITON_CACHE_DIR": folder, "TERRAZZO_CACHE_DIR": folder})
    if done.returncode:
        sys.exit(done.stderr)
    seconds, best, finite, config = done.stdout.strip().splitlines()[-1].split("\t")
    print(f"{package:9s} {size}^3: {float(seconds):7.2f} s, {finite} of {len(CONFIGURATIONS)} can run; best {best} us: {config}",
          flush=True)
    return float(seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--package", choices=("terrazzo", "triton"))
    options = parser.parse_args()
    if options.package:
        one(options.package, options.size)
        return
    found = {"terrazzo": [], "triton": []}
    for _ in range(options.rounds):
        for package, times in found.items():
            times.append(child(package, options.size))
    ours, theirs = (statistics.median(times) for times in found.values())
    print(f"autotune {options.size}^3: terrazzo {ours:.2f} s, triton {theirs:.2f} s, {theirs / ours:.2f} x")


if __name__ == "__main__":
    main()
