"""Records of gpu_bench.py as files of results (test/bench/results/schema.json).

One file a table: examples, products, attention, memory-bound, cold-compiles; and
beside, all rows that an earlier bundle has as well. Samples are those of the run.
"""

import collections
import os
import sys

import torch
import triton

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(os.path.dirname(HERE), "results")]

from results import Results, driver, machine

WHAT = {
    "examples": "The example kernels, each with the configurations of both compilers' best",
    "products": "Matrix products by the pointer kernels of the examples",
    "attention": "Attention, forward and backward",
    "memory-bound": "Kernels that memory bounds",
    "beside": "Kernels and cold compiles beside an earlier commit",
    "cold-compiles": "Cold compiles of the example kernels, source to machine code",
}
TABLES = {"examples": "examples", "matmul": "products", "fp8": "products", "fp32": "products",
          "attention": "attention", "backward": "attention"}


def version_of(bundle):
    """(version, commit) of a bundle; its VERSION begins with the commit."""
    try:
        with open(os.path.join(bundle, "VERSION"), encoding="utf-8") as file:
            return "0.1.0", file.read().split()[0]
    except (OSError, IndexError):
        return "0.1.0", "unknown"


def unique(names):
    """The same names; of equal ones each has its number."""
    total, seen = collections.Counter(names), collections.Counter()
    for name in names:
        seen[name] += 1
        yield f"{name} {seen[name]}" if total[name] > 1 else name


def samples_of(record):
    """Peer -> samples; the best library stands for all of them."""
    known = {n: record["samples"][n] for n in ("terrazzo", "triton") if n in record["samples"]}
    if record.get("library"):
        known["library"] = record["samples"][record["library"]]
    return known


def in_unit(record, samples):
    """(unit, better, samples): a product's rate, or else the time."""
    if record["group"] == "examples" or not record["flops"]:
        return "ms", "less", samples
    return "TFLOP/s", "more", {n: [record["flops"] / ms * 1e-9 for ms in times] for n, times in samples.items()}


class Files:
    def __init__(self, folder, bundle, earlier):
        """earlier: the other bundle, or None."""
        version, commit = version_of(bundle)
        os.environ.setdefault("TERRAZZO_BENCH_COMMIT", commit)
        self.folder = folder
        self.machine = machine(torch.cuda.get_device_name(), driver())
        self.peers = {"triton": triton.__version__, "terrazzo": version, "library": f"of torch {torch.__version__}"}
        if earlier:
            self.peers["earlier"] = "commit " + version_of(earlier)[1]

    def write(self, name, rows):
        """rows: (name, unit, better, samples, facts). Peers that no row has are left out."""
        present = {peer for row in rows for peer in row[3]}
        if not present:
            return
        made = Results(WHAT[name], {p: v for p, v in self.peers.items() if p in present}, self.machine)
        for row, unit, better, samples, facts in rows:
            short = {peer: [float(f"{x:.4g}") for x in values] for peer, values in samples.items()}
            made.row(row, unit, short, better=better, facts=facts)
        made.write(os.path.join(self.folder, name + ".json"))

    def records(self, records):
        tables = collections.defaultdict(list)
        for record in records:
            if record.get("samples"):
                tables[TABLES.get(record["group"], "memory-bound")].append(record)
        for table, found in tables.items():
            self.write(table, [(name, *in_unit(r, samples_of(r)), {"configurations": r["config"]} if r["config"] else None)
                               for name, r in zip(unique([r["row"] for r in found]), found)])

    def compiles(self, records):
        found = [r for r in records if not r["problem"]]
        self.write("cold-compiles", [
            (name, "ms", "less", {peer: [1e3 * s for s in r["all"][peer]] for peer in ("terrazzo", "triton") if r["all"].get(peer)},
             None) for name, r in zip(unique([r["row"] for r in found]), found)])

    def beside(self, records, compiles):
        """Rows of both bundles: device times, then cold compiles."""
        def pairs(found, samples, what, scale):
            both = [r for r in found if r.get(samples, {}).get("earlier") and r[samples].get("terrazzo")]
            for name, r in zip(unique([r["row"] for r in both]), both):
                yield (f"{name}: {what}", "ms", "less",
                       {peer: [scale * x for x in r[samples][peer]] for peer in ("terrazzo", "earlier")}, None)

        self.write("beside", [*pairs(records, "samples", "device time", 1), *pairs(compiles, "all", "cold compile", 1e3)])
