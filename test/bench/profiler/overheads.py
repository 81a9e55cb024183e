"""What profilers cost: ours, Proton, torch's.

    python overheads.py --output overheads.json            on the GPU: launches, then a step of a model
    python overheads.py --device cpu --output cpu.json     what of it a CPU can run
    python overheads.py model --compiler terrazzo          a model whose kernels Terrazzo compiles

launches: a small kernel, whose host time is told (calls alone) and the whole (until the device has ended), and a kernel that
reads and writes --megabytes, each under Terrazzo and under Triton 3.6. Peers are "terrazzo" and "triton" without a profiler,
then the same with a session that is idle (deactivated), running (records of the device), with records of parts inside of the
kernel, and under torch.profiler. A round starts each profiler for each kernel, launches, and ends it; the figure is the median
of rounds.

CUPTI serves one tool of a process: each tool is measured in a process of its own, in turns with the same launches without it.
One process before compiles the model into torch's cache: workers that still compile beside the first tool would count as its.
A peer whose round takes longer than --patience has that one round.

model: a step of a family of ../torch_compile/models.py, compiled by torch.compile: none, ours, Proton, torch.profiler. With
--compiler terrazzo Terrazzo takes Triton's place, so that Proton is not there.

A peer that cannot run says why, and the others go on. Prints a table; --output writes JSON by ../results/schema.json.
"""

import argparse
import contextlib
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("results", "torch_compile")]

import results  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="profiler-overheads-")


def one_cupti():
    """All profilers get the CUPTI that torch has: two versions in one process disturb each other."""
    import torch

    beside = os.path.dirname(os.path.dirname(os.path.abspath(torch.__file__)))
    found = sorted(glob.glob(os.path.join(beside, "nvidia", "*", "lib", "libcupti.so.*")))
    if found and not os.environ.get("TRITON_CUPTI_LIB_PATH"):
        os.symlink(found[-1], os.path.join(FOLDER, "libcupti.so"))
        os.environ["TRITON_CUPTI_LIB_PATH"] = FOLDER


#===--- Kernels ------------------------------------------------------------------------------------------------------===#


def packages(name):
    """The package, its language, its profiler, and the profiler's language."""
    if name == "terrazzo":
        import terrazzo.triton as triton
        import terrazzo.triton.language as language
        import terrazzo.triton.profiler as profiler
        import terrazzo.triton.profiler.language as parts
    else:
        import triton
        import triton.language as language
        import triton.profiler as profiler
        import triton.profiler.language as parts

        if "terrazzo" in (triton.__file__ or ""):
            raise ImportError("Terrazzo stands in Triton's place")
        parts.enable_semantic("triton")
    return triton, language, profiler, parts


def kernels(name):
    """(add, add with two parts) of a package."""
    triton, language, _, parts = packages(name)
    globals()["tl"], globals()["pl"] = language, parts

    @triton.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        a = tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n)
        tl.store(out + at, a, mask=at < n)

    @triton.jit
    def add_parts(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        with pl.scope("load"):
            a = tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n)
        with pl.scope("store"):
            tl.store(out + at, a, mask=at < n)

    return add, add_parts


#===--- Profilers ----------------------------------------------------------------------------------------------------===#


@contextlib.contextmanager
def session(profiler, name, is_idle=False, **options):
    number = profiler.start(os.path.join(FOLDER, name), **options)
    try:
        if is_idle:
            profiler.deactivate(number)
        yield
    finally:
        profiler.finalize(number)


@contextlib.contextmanager
def torch_session(device):
    from torch.profiler import ProfilerActivity, profile

    kinds = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device == "cuda" else [])
    with profile(activities=kinds):
        yield


def ways(compiler, device, tool):
    """What is measured with the kernels of a package beside a tool: name -> (context, whether the kernel has parts)."""
    profiler = packages(compiler)[2]
    own = "ours" if compiler == "terrazzo" else "Proton"
    all_ways = {
        compiler: (contextlib.nullcontext, False),
        f"{compiler}, {own} idle": (lambda: session(profiler, "idle", is_idle=True), False),
        f"{compiler}, {own}": (lambda: session(profiler, "running"), False),
        f"{compiler}, {own}, trace": (lambda: session(profiler, "running", data="trace"), False),
        f"{compiler}, {own}, parts": (lambda: session(profiler, "parts", backend="instrumentation"), True),
        f"{compiler}, torch.profiler": (lambda: torch_session(device), False),
    }
    chosen = {name: way for name, way in all_ways.items() if f", {tool}" in name}
    return {compiler: all_ways[compiler], **chosen} if chosen else {}


#===--- Rounds -------------------------------------------------------------------------------------------------------===#


class Peer:
    """runs: functions of a number of launches or steps, each of which gives measure -> seconds; each has its own sessions."""

    def __init__(self, name, context, runs, patience):
        self.name, self.context, self.runs, self.patience = name, context, runs, patience
        self.samples, self.failure, self.is_long = {}, None, False

    def round(self, counts):
        """One sample of each measure. counts: of launches or steps, for each of the runs."""
        if self.failure or self.is_long:
            return
        begin = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)  # records that are missing make a figure worthless
                for run, count in zip(self.runs, counts):
                    with self.context():
                        run(count)  # compiles, and fills what is made once
                        for name, value in run(count).items():
                            self.samples.setdefault(name, []).append(value)
        except Exception as error:  # noqa: BLE001 - whatever a profiler raises
            self.failure = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:300]
        self.is_long = time.perf_counter() - begin > self.patience
        print(f"  {self.name}: {self.failure or f'{time.perf_counter() - begin:.1f} s'}", file=sys.stderr, flush=True)


def turns(peers, rounds, counts):
    for turn in range(rounds):
        print(f"round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
        for peer in peers if turn % 2 else peers[::-1]:
            peer.round(counts)


def add_rows(document, peers, names):
    """names: measure -> (row, unit, factor)."""
    for measure, (row, unit, factor) in names.items():
        document.row(row, unit, {p.name: [v * factor for v in p.samples.get(measure, [])] for p in peers},
                     failed={p.name: p.failure for p in peers if p.failure})


def show(document):
    """Each row: the median of each peer, and what it is above the first peer of its compiler."""
    for row in document.document["rows"]:
        print(f"\n{row['name']} ({row['unit']}):")
        for peer in document.document["peers"]:
            name = peer["name"]
            if name in row.get("failed", {}):
                print(f"  {name:34s} failed: {row['failed'][name]}")
            elif name in row["samples"]:
                median, low = (of(row["samples"][name]) for of in (statistics.median, min))
                base = row["samples"].get(name.partition(",")[0])
                above = f"  {median - statistics.median(base):+9.3f}  {median / statistics.median(base):7.3f} x" if base else ""
                print(f"  {name:34s} {median:10.3f}  (least {low:.3f}){above}")


#===--- Launches -----------------------------------------------------------------------------------------------------===#


def launches(document_of, options):
    import torch

    device, sync = options.device, torch.cuda.synchronize if options.device == "cuda" else lambda: None
    counts = (options.launches, max(1, options.launches // 10))
    length = options.megabytes * (1 << 20) // 12  # two arrays read, one written, of fp32
    small = [torch.rand(1024, device=device) for _ in range(3)]
    large = [torch.rand(length, device=device) for _ in range(3)]
    made = []
    for compiler in ("terrazzo", "triton"):
        try:
            both, named = kernels(compiler), ways(compiler, device, options.tool)
        except ImportError as error:
            print(f"no {compiler}: {error}")
            continue
        for name, (context, has_parts) in named.items():
            made.append(Peer(name, context, runners(both[has_parts], small, large, length, sync), options.patience))
    document = document_of({peer.name: "" for peer in made})
    turns(made, options.rounds, counts)
    add_rows(document, made, {
        "host": ("a launch of a small kernel, the host's time", "us", 1e6),
        "whole": ("a launch of a small kernel, until all have ended", "us", 1e6),
        "large": (f"a launch that moves {options.megabytes} MiB, until all have ended", "us", 1e6)})
    return document


def runners(kernel, small, large, length, sync):
    def seconds(grid, arguments, count):
        sync()
        begin = time.perf_counter()
        for _ in range(count):
            kernel[grid](*arguments, BLOCK=1024)
        called = time.perf_counter()
        sync()
        return (called - begin) / count, (time.perf_counter() - begin) / count

    return (lambda count: dict(zip(("host", "whole"), seconds((1,), (*small, 1024), count))),
            lambda count: {"large": seconds((-(-length // 1024),), (*large, length), count)[1]})


#===--- A model ------------------------------------------------------------------------------------------------------===#


def model(document_of, options):
    import models

    if options.compiler == "terrazzo":
        import terrazzo

        terrazzo.install_as_triton()
    import torch

    device, sync = options.device, torch.cuda.synchronize if options.device == "cuda" else lambda: None
    torch.manual_seed(0)
    family = models.FAMILIES[options.family]
    network, inputs, _ = family.make()
    network = network.to(device).eval()
    arguments, named = inputs(family.sizes[0])
    to = lambda value: value.to(device) if isinstance(value, torch.Tensor) else value  # noqa: E731
    arguments, named = [to(a) for a in arguments], {k: to(v) for k, v in named.items()}
    compiled = torch.compile(network)

    def run(counts):
        with torch.no_grad():
            sync()
            begin = time.perf_counter()
            for _ in range(counts):
                compiled(*arguments, **named)
            sync()
            return {"step": (time.perf_counter() - begin) / counts}

    contexts = {options.compiler: contextlib.nullcontext}
    for compiler, own in (("terrazzo", "ours"), ("triton", "Proton")):
        if compiler == "triton" and options.compiler == "terrazzo":
            continue
        try:
            profiler = packages(compiler)[2]
        except ImportError as error:
            print(f"no {own}: {error}")
            continue
        contexts[f"{options.compiler}, {own} idle"] = lambda profiler=profiler: session(profiler, "idle", is_idle=True)
        contexts[f"{options.compiler}, {own}"] = lambda profiler=profiler: session(profiler, "running")
    contexts[f"{options.compiler}, torch.profiler"] = lambda: torch_session(device)
    made = [Peer(name, context, (run,), options.patience) for name, context in contexts.items()
            if name == options.compiler or f", {options.tool}" in name]
    if options.tool == COMPILATION:
        run(3)
    if len(made) == 1:
        return document_of({})
    run(3)  # from the cache
    document = document_of({peer.name: "" for peer in made})
    turns(made, options.rounds, (options.steps,))
    add_rows(document, made, {"step": (f"a step of {options.family}, kernels by {options.compiler}", "ms", 1e3)})
    return document


#===--- The command --------------------------------------------------------------------------------------------------===#


def versions(peers):
    import torch

    found = {"torch.profiler": torch.__version__}
    for name in ("terrazzo", "triton"):
        try:
            found[name] = __import__(name).__version__
        except (ImportError, AttributeError):
            pass
    def of(peer):
        base, _, how = peer.partition(", ")
        tool = {"ours": "terrazzo", "Proton": "triton"}.get(how.split(" ")[0].rstrip(","), how)
        return " ".join(dict.fromkeys(found.get(one, "") for one in (base, tool) if found.get(one)))
    return {peer: of(peer) for peer in peers}


TOOLS = ("ours", "Proton", "torch.profiler")
COMPILATION = "no tool"


def each_tool(options):
    """Measures each in a process of its own; rows of one name become one."""
    whole, faults = None, 0
    if options.what != "launches":
        print("== compilation of the model", file=sys.stderr, flush=True)
        given = [one for one in sys.argv[1:] if one not in ("model", "both")]
        compiled = subprocess.run([sys.executable, os.path.abspath(__file__), "model", *given, "--tool", COMPILATION,
                                   "--output", os.path.join(FOLDER, "compiled.json")])
        faults += compiled.returncode != 0
    for tool in TOOLS:
        print(f"== {tool}", file=sys.stderr, flush=True)
        file = os.path.join(FOLDER, tool + ".json")
        try:
            subprocess.run([sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--tool", tool, "--output", file], timeout=options.limit)
            with open(file, encoding="utf-8") as text:
                found = json.load(text)
        except (subprocess.TimeoutExpired, OSError) as error:
            print(f"{tool} told nothing: {error}")
            faults += 1
            continue
        if whole is None:
            whole = results.Results("What profilers cost", {}, found["machine"])
            whole.document = {**found, "command": list(sys.argv)}
            continue
        into = whole.document
        into["peers"] += [peer for peer in found["peers"] if peer["name"] not in {known["name"] for known in into["peers"]}]
        for row in found["rows"]:
            same = next((one for one in into["rows"] if one["name"] == row["name"]), None)
            if not same:
                into["rows"].append(row)
                continue
            for peer, samples in row["samples"].items():
                same["samples"].setdefault(peer, []).extend(samples)
            same.setdefault("failed", {}).update(row.get("failed", {}))
    if whole is None:
        return 1
    show(whole)
    if options.output:
        whole.write(options.output)
    return int(bool(faults) or any(row.get("failed") for row in whole.document["rows"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("launches", "model", "both"), default="both")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--launches", type=int, default=500, help="of the small kernel in a round; a tenth of the large one")
    parser.add_argument("--megabytes", type=int, default=192)
    parser.add_argument("--family", default="llama", help="of ../torch_compile/models.py")
    parser.add_argument("--steps", type=int, default=50, help="of the model in a round")
    parser.add_argument("--compiler", choices=("triton", "terrazzo"), default="triton", help="of the model's kernels")
    parser.add_argument("--patience", type=float, default=8, help="seconds of a round after which a peer has no second one (default 8)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each tool (default 600)")
    parser.add_argument("--output", metavar="FILE.json")
    parser.add_argument("--tool", choices=(*TOOLS, COMPILATION), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.tool:
        return each_tool(options)
    import torch

    one_cupti()
    facts = None
    if options.device == "cuda":
        facts = results.machine(torch.cuda.get_device_name(), results.driver())
    documents = []

    def document_of(peers):
        made = results.Results("What profilers cost", versions(peers), facts)
        documents.append(made)
        return made

    if options.what != "model":
        launches(document_of, options)
    if options.what != "launches":
        model(document_of, options)
    first = documents[0].document
    for other in documents[1:]:
        known = {peer["name"] for peer in first["peers"]}
        first["peers"] += [peer for peer in other.document["peers"] if peer["name"] not in known]
        first["rows"] += other.document["rows"]
    documents[0].write(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
