"""Whether samples of instructions are where the time goes, and what sampling costs: ours, Proton's and ncu's.

    python samples.py --output samples.json                  on the GPU, all; each in a process of its own
    python samples.py --device cpu --peers ours --interval 3000000

Each kernel has one statement that takes nearly all of its time, marked "# hot". It runs without a profiler and under
mode="pcsampling:interval=..."; told are the share of its samples that are at the hot statement's line, and how much longer
it took. ncu (Nsight Compute's command) runs our kernels and collects its section SourceCounters, which has samples; what it
adds to a launch is all that a program waits for, replays and reading included. Its samples are not read. A loop's own line is
another statement. Prints a table; --output writes JSON by ../results/schema.json.
"""

import argparse
import inspect
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "results")]

import results  # noqa: E402


def kernels(package):
    """name -> kernel(x, y, n, BLOCK)."""
    if package in ("ours", "ncu"):
        import terrazzo.triton as triton
        import terrazzo.triton.language as language
    else:
        import triton
        import triton.language as language
    globals()["tl"] = language

    @triton.jit
    def functions(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + at)
        for _ in range(n):
            v = tl.exp(tl.sin(v) * tl.cos(v)) * 0.25 + tl.log(v * v + 1.5)  # hot
        tl.store(y + at, v)

    @triton.jit
    def quotients(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + at)
        d = tl.load(x + at + BLOCK * tl.num_programs(0)) + 1.25
        for _ in range(n):
            v = tl.div_rn(tl.div_rn(v + 3.0, d), tl.div_rn(v + 5.0, d)) + tl.div_rn(v, d)  # hot
        tl.store(y + at, v)

    @triton.jit
    def gather(x, y, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        where = at
        for _ in range(n):
            where = (tl.load(x + where) * 1048576.0).to(tl.int32) & 0xFFFFF  # hot
        tl.store(y + at, where.to(tl.float32))

    @triton.jit
    def updates(x, y, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        for _ in range(n // 8 + 1):
            tl.atomic_add(y + at, 1.0)  # hot
        tl.store(y + at + BLOCK, tl.load(x + at))

    @triton.jit
    def product(x, y, n, BLOCK: tl.constexpr):
        N: tl.constexpr = 64
        at = tl.arange(0, N)
        a = tl.load(x + at[:, None] * N + at[None, :])
        c = a
        for _ in range(n):
            c = tl.dot(c, a, input_precision="ieee") * 0.01  # hot
        tl.store(y + at[:, None] * N + at[None, :], c)

    return {"functions": functions, "quotients": quotients, "gather": gather, "updates": updates, "product": product}


NAMES = ("functions", "quotients", "gather", "updates", "product")


def hot_line(kernel):
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, text in enumerate(lines) if "# hot" in text)


def samples_by_line(node, found):
    """Adds samples of this file's lines, by number; those of others under their name. Names: FILE:LINE@KERNEL, or FILE:KERNEL@LINE."""
    count = node["metrics"].get("num_samples", 0)
    if count:
        name = node["frame"]["name"]
        path, _, place = name.rpartition(":")
        number = next((int(part) for part in place.split("@") if part.isdigit()), None)
        key = str(number) if number and os.path.basename(path) == os.path.basename(__file__) else name
        found[key] = found.get(key, 0) + count
    for child in node["children"]:
        samples_by_line(child, found)


def reasons(node, found):
    for name, value in node["metrics"].items():
        if name.startswith("stalled_") and value:
            found[name[8:]] = found.get(name[8:], 0) + value
    for child in node["children"]:
        reasons(child, found)


def measure(package, options):
    """One peer, in this process; prints JSON."""
    import torch

    if package == "Proton":
        import triton.profiler as profiler
    else:
        import terrazzo.triton.profiler as profiler
    device, sync = options.device, torch.cuda.synchronize if options.device == "cuda" else lambda: None
    programs, block = options.programs, 1024
    x = torch.rand(max(1 << 20, 2 * programs * block), device=device)
    y = torch.zeros_like(x)
    folder = tempfile.mkdtemp(prefix="profiler-samples-")
    found = {}
    for name, kernel in kernels(package).items():
        def seconds(launches, kernel=kernel):
            sync()
            begin = time.perf_counter()
            for _ in range(launches):
                kernel[(programs,)](x, y, options.turns, BLOCK=block)
            sync()
            return (time.perf_counter() - begin) / launches

        def tell(what, name=name):
            print(f"{package}, {name}: {what}", file=sys.stderr, flush=True)

        try:
            tell("without samples")
            seconds(1)
            launches = max(3, int(options.seconds / max(seconds(2), 1e-6)))
            plain = [seconds(launches) for _ in range(3)]
            tell("with samples")
            if package == "ncu":
                torch.cuda.profiler.start()
                sampled = [seconds(1) for _ in range(3)]
                torch.cuda.profiler.stop()
                found[name] = {"plain": plain, "sampled": sampled, "samples": 0}
                print("RESULT " + json.dumps(found), flush=True)
                continue
            session = profiler.start(os.path.join(folder, name), mode=f"pcsampling:interval={options.interval}",
                                     **({"backend": "cupti"} if package == "Proton" else {}))
            seconds(1)  # compiles with lines
            sampled = [seconds(launches) for _ in range(3)]
            profiler.finalize(session)
            with open(os.path.join(folder, name + ".hatchet"), encoding="utf-8") as file:
                root = json.load(file)[0]
            by_line, why = {}, {}
            samples_by_line(root, by_line)
            reasons(root, why)
            total = sum(by_line.values())
            found[name] = {"plain": plain, "sampled": sampled, "samples": total, "lines": by_line, "reasons": why,
                           "share": 100 * by_line.get(str(hot_line(kernel)), 0) / total if total else None}
            tell(f"{found[name]['share']} % of {total} samples, {statistics.median(sampled) / statistics.median(plain):.2f} x the time")
        except Exception as error:  # noqa: BLE001 - whatever a profiler raises
            found[name] = {"failed": f"{type(error).__name__}: {error}"[:300]}
        print("RESULT " + json.dumps(found), flush=True)  # the last one counts


def before(peer):
    """The command that runs a peer's process."""
    if peer != "ncu":
        return []
    report = os.path.join(tempfile.mkdtemp(prefix="profiler-samples-"), "report")
    return ["ncu", "--clock-control", "none", "--profile-from-start", "off", "--section", "SourceCounters", "--force-overwrite", "--export", report]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--peers", default="ours,Proton,ncu", help="a comma list of ours, Proton, ncu")
    parser.add_argument("--interval", type=int, default=65536, help="cycles between two samples of a core")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each of three runs")
    parser.add_argument("--programs", type=int, default=264)
    parser.add_argument("--turns", type=int, default=500, help="of each kernel's loop")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each peer (default 600)")
    parser.add_argument("--output", metavar="FILE.json")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure, options)
        return 0
    import torch

    facts = results.machine(torch.cuda.get_device_name(), results.driver()) if options.device == "cuda" else None
    peers, told = options.peers.split(","), {}
    for peer in peers:
        try:
            done = subprocess.run([*before(peer), sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--measure", peer],
                                  stdout=subprocess.PIPE, timeout=options.limit)
            output, end = done.stdout, f"status {done.returncode}"
        except subprocess.TimeoutExpired as error:
            output, end = error.stdout or b"", f"no end after {options.limit:.0f} s"
        except OSError as error:
            output, end = b"", f"{peer}: {error.strerror}"
        text = output.decode(errors="replace")
        told[peer] = next((json.loads(line[7:]) for line in reversed(text.split("\n")) if line.startswith("RESULT {")), {})
        for name in NAMES:
            told[peer].setdefault(name, {"failed": end})
    versions = {"ours": "terrazzo", "Proton": "triton", "ncu": "the command's"}
    document = results.Results("Samples of instructions: the share at the hot line, and what sampling costs",
                               {peer: versions.get(peer, "") for peer in peers}, facts)
    for name in NAMES:
        failed, shares, slower, more = {}, {}, {}, {}
        for peer in peers:
            one = told[peer][name]
            if "failed" not in one and (one["samples"] or peer == "ncu"):
                slower[peer] = [after / statistics.median(one["plain"]) for after in one["sampled"]]
            if "failed" in one or not one["samples"]:
                failed[peer] = one.get("failed", "its samples are not read" if peer == "ncu" else "there are no samples")
                print(f"{name:12s} {peer:8s} {failed[peer]}" + (f"; {statistics.median(slower[peer]):.1f} x the time" if peer in slower else ""))
                continue
            shares[peer] = [one["share"]]
            more[peer] = {"samples": one["samples"], "lines": one["lines"], "reasons": one["reasons"]}
            why = ", ".join(f"{key} {value}" for key, value in sorted(one["reasons"].items(), key=lambda item: -item[1])[:4])
            print(f"{name:12s} {peer:8s} {one['share']:6.2f} % of {one['samples']:8d} samples at the hot line; "
                  f"{statistics.median(slower[peer]):6.3f} x the time; {why}")
        document.row(f"{name}: samples at the hot line", "%", shares, better="more", failed=failed or None, facts=more or None)
        unsampled = {peer: why for peer, why in failed.items() if peer not in slower}
        document.row(f"{name}: time while sampled", "x", slower, failed=unsampled or None)
    if options.output:
        document.write(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
