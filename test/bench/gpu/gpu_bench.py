#!/usr/bin/env python3
"""Times Terrazzo on a GPU beside Triton, the vendor's libraries and a copy.

  gpu_bench.py --bundle FOLDER [--beside FOLDER] [--only WORD,WORD] [--quick] [--out DIR]

One process: every kernel of docs/examples is the same file for both compilers,
both are given the same configurations and keep their own best, results are
checked before they are timed, contenders take turns on random data, and figures
are medians. A ratio above 1 means that Terrazzo is quicker. Writes bench.md,
bench.json and a file of results for each table (files.py); exits 1 if a result
is wrong or Terrazzo failed where Triton did not.
"""

import argparse
import concurrent.futures
import json
import math
import os
import sys
import tempfile
import time
import traceback

os.environ.setdefault("TRITON_CACHE_DIR", tempfile.mkdtemp(prefix="bench-triton-"))

import torch
import triton

import compiles
import files
import rows as table
import timing
from launches import Ours, Triton, bind_all
from terrazzo_api import Library, Session


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--target", default="nvidia")
    parser.add_argument("--only", default="", help="groups, or parts of names: " + ", ".join(
        "matmul fp8 attention backward softmax layernorm rmsnorm crossentropy add examples compile launch".split()))
    parser.add_argument("--quick", action="store_true", help="the main rows, fewer configurations and rounds")
    parser.add_argument("--beside", metavar="FOLDER", help="another bundle: an earlier commit takes turns with this one")
    parser.add_argument("--no-triton", action="store_true", help="beside the libraries alone")
    parser.add_argument("--configs", help="JSON list of configurations instead of each row's own")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--compile-rows", default="", help="parts of names: the cold compiles of these examples alone")
    parser.add_argument("--compile-rounds", type=int, default=5, help="a cold compile is the median of so many")
    parser.add_argument("--out", default=".")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)  # before an hour of rows, not behind it
    options.words = [w for w in options.only.lower().replace(" ", ",").split(",") if w]
    options.rounds = options.rounds or (7 if options.quick else 21)
    return options


def error_of(got, expected):
    """Relative error in the norm; infinite where something is not finite."""
    if not got.is_floating_point():
        return 0.0 if torch.equal(got.long(), expected.long()) else math.inf
    got, expected = got.double().flatten(), expected.double().flatten()
    value = ((got - expected).norm() / expected.norm().clamp_min(1e-30)).item()
    return value if math.isfinite(value) else math.inf


class Failed(Exception):
    pass


def first_line(problem):
    text = str(problem).strip().split("\n")
    return (type(problem).__name__ + ": " if not isinstance(problem, Failed) else "") + (text[0][:160] if text else "")


def candidates(compiler, name, row, work, pool, configs):
    """Contenders over the first set, one a configuration that compiles; problems by configuration."""
    def build(config):
        return bind_all(compiler, [launch.with_config(config) for launch in work.launches])

    found, problems = [], []
    for config, future in [(c, pool.submit(build, c)) for c in configs]:
        try:
            found.append((config, timing.Contender(name, [future.result()], len(work.launches))))
        except Exception as problem:
            problems.append((config, problem))
    return found, problems


def check(contender, row, work, expected):
    work.reset()
    contender.runs[0]()
    torch.cuda.synchronize()
    for i, (got, want) in enumerate(zip(work.outputs, expected)):
        error = error_of(got, want)
        if error > row.tolerance:
            raise Failed(f"wrong result {i}: relative error {error:.2e}, allowed {row.tolerance:.0e}")


def choose(compiler, name, row, works, expected, pool, configs):
    """The best configuration of a compiler, right on the first set, bound to every set."""
    found, problems = candidates(compiler, name, row, works[0], pool, configs)
    good = []
    for config, contender in found:
        try:
            if expected is not None:
                check(contender, row, works[0], expected)
            good.append((config, contender))
        except Failed as problem:
            problems.append((config, problem))
    for config, problem in problems:
        print(f"    {name} {short(config)}: {first_line(problem)}", flush=True)
    if not good:
        raise Failed(first_line(problems[0][1]) if problems else "no configuration")
    best = timing.best_of([c for _, c in good])
    config = next(c for c, contender in good if contender is best)
    runs = [bind_all(compiler, [launch.with_config(config) for launch in work.launches]) for work in works]
    wrong = any(isinstance(p, Failed) for _, p in problems)
    return timing.Contender(name, runs, len(works[0].launches), short(config)), wrong


def short(config):
    letters = dict(BLOCK_M="m", BLOCK_N="n", BLOCK_K="k", BLOCK="b", num_warps="w", num_stages="s", maxnreg="r")
    return " ".join(f"{letters.get(k, k)}{v}" for k, v in config.items())


def copy_contender(size):
    """A copy that reads and writes as many bytes as the row in all."""
    count = max(1, min(8, math.ceil(250e6 / size)))
    pairs = [(torch.empty(size // 8, device="cuda").uniform_(), torch.empty(size // 8, device="cuda"))
             for _ in range(count)]
    return timing.Contender("copy", [lambda p=p: p[1].copy_(p[0]) for p in pairs])


def run_row(row, options, ours, earlier, triton_side, pool):
    works = [row.make() for _ in range(row.sets())]
    configs = json.loads(options.configs) if options.configs else row.configs
    contenders, failures = [], []
    record = {"row": row.name, "group": row.group, "bytes": row.bytes, "flops": row.flops, "ms": {}, "samples": {}, "config": {}}
    expected = works[0].expected() if works[0].expected else None
    if triton_side:
        try:
            theirs, _ = choose(triton_side, "triton", row, works, expected, pool, configs)
            contenders.append(theirs)
            if expected is None:  # Triton's result is the reference
                works[0].reset()
                theirs.runs[0]()
                torch.cuda.synchronize()
                expected = [t.clone() for t in works[0].outputs]
        except Exception as problem:
            record["triton_problem"] = first_line(problem)
            print(f"    triton: {first_line(problem)}", flush=True)
    try:
        mine, wrong = choose(ours, "terrazzo", row, works, expected, pool, configs)
        contenders.insert(0, mine)
        failures += ["some configurations gave wrong results"] if wrong else []
    except Exception as problem:
        failures.append(first_line(problem))
    if earlier:
        try:
            contenders.append(choose(earlier, "earlier", row, works, expected, pool, configs)[0])
        except Exception as problem:
            print(f"    earlier: {first_line(problem)}", flush=True)
    del expected
    for name in works[0].peers:
        try:
            works[0].peers[name]()
            torch.cuda.synchronize()
            contenders.append(timing.Contender(name, [w.peers[name] for w in works]))
        except Exception as problem:
            print(f"    {name}: {first_line(problem)}", flush=True)
    if row.bytes and not row.flops:
        contenders.append(copy_contender(row.bytes))
    timing.measure(contenders, options.rounds, 2 if options.quick else 8)
    for c in contenders:
        record["ms"][c.name] = c.ms
        record["samples"][c.name] = c.samples
        if c.note:
            record["config"][c.name] = c.note
    record["failures"] = failures
    record["library"] = best_peer(record)
    return record


def rate(record, name):
    ms = record["ms"].get(name)
    if ms is None:
        return "-"
    if record["flops"]:
        return f"{record['flops'] / ms * 1e-9:.0f}"
    return f"{record['bytes'] / ms * 1e-9:.2f}" if record["bytes"] else f"{1e3 * ms:.1f} us"


def ratio(record, name):
    mine, theirs = record["ms"].get("terrazzo"), record["ms"].get(name)
    return theirs / mine if mine and theirs else None


def is_library(name):
    return name not in ("terrazzo", "earlier", "triton", "copy") and not name.startswith("Triton")


def best_peer(record):
    peers = {n: t for n, t in record["ms"].items() if is_library(n)}
    return min(peers, key=peers.get) if peers else None


def show(value):
    return "-" if value is None else f"{value:.2f}"


def line(record):
    peer = best_peer(record)
    configs = record["config"]
    note = "; ".join(record["failures"] + ([record["triton_problem"]] if "triton_problem" in record else []))
    chosen = " / ".join(configs[n] for n in ("terrazzo", "triton") if configs.get(n))
    if "earlier" in record["ms"]:
        chosen += f"; {show(ratio(record, 'earlier'))} x the earlier one"
        chosen += f" ({configs['earlier']})" if configs.get("earlier") != configs.get("terrazzo") else ""
    for name in record["ms"]:
        if name.startswith("Triton"):  # other kernels than ours
            chosen += f"; {name}: {rate(record, name)}, {show(ratio(record, name))}"
    ms = record["ms"].get("terrazzo")
    return (f"| {record['row']} | {'-' if ms is None else f'{ms:.4f}'} | {rate(record, 'terrazzo')} | {rate(record, 'triton')} "
            f"| {rate(record, peer) + ' ' + peer if peer else '-'} | {rate(record, 'copy')} | {show(ratio(record, 'triton'))} "
            f"| {show(ratio(record, peer) if peer else None)} | {show(ratio(record, 'copy'))} | {chosen}{' **' + note + '**' if note else ''} |")


HEADER = """| row | ms | Terrazzo | Triton | best library | copy | / Triton | / library | / copy | configuration ours / Triton's |
|---|---|---|---|---|---|---|---|---|---|"""


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def beside_earlier(records):
    """How the rows stand to those of the other bundle; "" where there is none."""
    ratios = {r["row"]: ratio(r, "earlier") for r in records if ratio(r, "earlier")}
    if not ratios:
        return ""
    slower = sorted((r, n) for n, r in ratios.items() if r < 0.97)
    return (f"Beside the earlier one: geometric mean {geometric(ratios.values()):.3f} of {len(ratios)} rows, "
            f"least {min(ratios.values()):.3f}, below 0.97: {', '.join(f'{n} {r:.3f}' for r, n in slower) or 'none'}")


def launch_row(folder, ours, options):
    """Host time of a launch of six arguments that keeps the GPU busy for nothing."""
    row = table.vector_add(folder, 1 << 10)
    work = row.make()
    launches = [l.with_config(dict(BLOCK=1024)) for l in work.launches]
    sides = {"terrazzo": ours} if options.no_triton else {"terrazzo": ours, "triton": Triton()}
    record = {name: timing.host_us(bind_all(side, launches)) for name, side in sides.items()}
    print("host time of a launch from Python, us: " + ", ".join(f"{n} {t:.2f}" for n, t in record.items()), flush=True)
    return record


def main():
    options = arguments()
    folder = os.path.join(options.bundle, "examples")
    if not os.path.isdir(folder):
        folder = os.path.join(options.bundle, "docs", "examples")
    sys.path.insert(0, folder)

    everything = list(table.all_rows(folder, options.quick))
    groups = {r.group for r in everything}

    def wanted(row):
        if options.quick and not row.quick and not (row.group == "examples" and options.words):
            return False
        return not options.words or any(w == row.group if w in groups else w in row.name.lower() for w in options.words)

    chosen = [r for r in everything if wanted(r)]
    if options.list:
        print("\n".join(f"{r.group:14} {r.name}" for r in chosen))
        return 0
    torch.manual_seed(0)
    torch.empty(1, device="cuda")
    library = Library(options.bundle)
    session_of = lambda side: Session(side, options.target, torch.cuda.current_stream().cuda_stream)
    ours, triton_side = Ours(session_of(library)), None if options.no_triton else Triton()
    other = Library(options.beside) if options.beside else None
    earlier = Ours(session_of(other)) if other else None
    begin = time.time()
    text = [f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Triton {triton.__version__}, "
            f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, rates in TFLOP/s or TB/s, ratios above 1: Terrazzo is quicker",
            ""]
    print(text[0], flush=True)
    results = {"device": torch.cuda.get_device_name(), "rows": [], "compile": [], "launch": None}
    if "compile" in options.words or (not options.words and not options.quick):
        results["compile"] = compiles.compile_rows(folder, {"terrazzo": library, "earlier": other}, options.target,
                                                  torch.cuda.current_stream().cuda_stream, options, first_line)
        text += [compiles.show(c) for c in results["compile"]] + [""]
    if "launch" in options.words or not options.words:
        results["launch"] = launch_row(folder, ours, options)
    print("\n" + HEADER, flush=True)
    text += HEADER.split("\n")
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for row in chosen:
            try:
                record = run_row(row, options, ours, earlier, triton_side, pool)
            except Exception as problem:
                traceback.print_exc()
                record = {"row": row.name, "group": row.group, "bytes": row.bytes, "flops": row.flops, "ms": {},
                          "config": {}, "failures": [first_line(problem)]}
            results["rows"].append(record)
            bad += bool(record["failures"])
            text.append(line(record))
            print(text[-1], flush=True)
            torch.cuda.empty_cache()
            try:
                torch.cuda.synchronize()
            except Exception as problem:
                print(f"the device is lost: {first_line(problem)}", flush=True)
                break
    ratios = [r for r in (ratio(x, "triton") for x in results["rows"] if x["group"] == "examples") if r]
    if ratios:
        text.append(f"\nExamples: geometric mean {geometric(ratios):.2f} x Triton, least {min(ratios):.2f}, {len(ratios)} rows")
        print(text[-1])
    if beside_earlier(results["rows"]):
        text.append(beside_earlier(results["rows"]))
        print(text[-1])
    if results["compile"]:
        text.append("\n" + compiles.summary(results["compile"], options.compile_rounds))
        print(text[-1])
    if results["launch"]:
        text.append("\nHost time of a launch from Python: " + ", ".join(f"{n} {t:.2f} us" for n, t in results["launch"].items()))
    with open(os.path.join(options.out, "bench.md"), "w") as out:
        out.write("\n".join(text) + "\n")
    with open(os.path.join(options.out, "bench.json"), "w") as out:
        json.dump(results, out, indent=1)
    kept = files.Files(options.out, options.bundle, options.beside)
    kept.records(results["rows"])
    kept.compiles(results["compile"])
    kept.beside(results["rows"], results["compile"])
    print(f"{len(results['rows'])} rows, {bad} failed, {time.time() - begin:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
