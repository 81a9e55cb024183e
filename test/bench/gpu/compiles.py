"""Cold compiles: the kernels of an example, one after the other, beside Triton.

What is counted: from `kernel` as it stands in its file to machine code; for
Terrazzo also reading the file and loading the code, for Triton neither reading
the module, nor its launcher (which a C compiler makes), nor loading. What is
cleared before each time: the folders of both caches, the session, and the module
that holds the kernels, which is imported again. What is warm: this process, the
compiler processes, the files that the machine keeps in memory.

Rounds take turns over both; the figure is the median of the rounds.
"""

import importlib.util
import inspect
import os
import shutil
import statistics
import tempfile
import time

import rows as table
from launches import Launch, Ours, Triton, bind_all
from terrazzo_api import Session


def anew(launches):
    """The same launches of kernels that nobody has compiled yet."""
    modules = {}
    for path in {inspect.getsourcefile(l.kernel.fn) for l in launches}:
        spec = importlib.util.spec_from_file_location("anew_" + os.path.basename(path)[:-3], path)
        modules[path] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[path])
    return [Launch(getattr(modules[inspect.getsourcefile(l.kernel.fn)], l.kernel.fn.__name__), l.grid, l.args, l.named,
                   l.renamed) for l in launches]


def timed(compiler, launches):
    begin = time.perf_counter()
    bind_all(compiler, launches)
    return time.perf_counter() - begin


class Sides:
    """The compilers, each with a cache folder that is emptied before each time."""

    def __init__(self, libraries, target, stream, with_triton):
        """libraries: of Terrazzo, by the name of the side; None: there is none."""
        self.libraries = {name: library for name, library in libraries.items() if library}
        self.target, self.stream = target, stream
        self.folders = {name: tempfile.mkdtemp(prefix=f"compiles-{name}-")
                        for name in [*self.libraries, *["triton"][:with_triton]]}

    def ours(self, name, launches):
        session = Session(self.libraries[name], self.target, self.stream, self.folders[name])
        try:
            return timed(Ours(session), launches)
        finally:
            session.close()

    def triton(self, launches):
        before = os.environ.get("TRITON_CACHE_DIR")
        os.environ["TRITON_CACHE_DIR"] = self.folders["triton"]
        try:
            return timed(Triton(), anew(launches))
        finally:
            os.environ.pop("TRITON_CACHE_DIR")
            if before is not None:
                os.environ["TRITON_CACHE_DIR"] = before

    def round(self, launches, turn):
        """Seconds by side; the sides take turns at being first."""
        found = {}
        for name in sorted(self.folders, reverse=turn % 2):
            for entry in os.scandir(self.folders[name]):
                shutil.rmtree(entry) if entry.is_dir() else os.remove(entry)
            found[name] = self.triton(launches) if name == "triton" else self.ours(name, launches)
        return found

    def close(self):
        for folder in self.folders.values():
            shutil.rmtree(folder, ignore_errors=True)


def measure(sides, row, rounds, first_line, is_first):
    """One record: the medians of a row, and every single time."""
    seconds = {name: [] for name in sides.folders}
    record = {"row": row.name, "kernels": 0, "seconds": {name: None for name in {"terrazzo", "triton", *seconds}}, "all": seconds, "problem": ""}
    try:
        launches = row.make().launches
        record["kernels"] = len(launches)
        if is_first:  # processes start, libraries are opened
            sides.round([l.with_config(dict(num_warps=2)) for l in launches], 0)
        for turn in range(rounds):
            for name, one in sides.round(launches, turn).items():
                seconds[name].append(one)
    except Exception as problem:
        record["problem"] = first_line(problem)
    for name, times in seconds.items():
        if times and not record["problem"]:
            record["seconds"][name] = statistics.median(times)
    return record


def show(record):
    def ms(name):
        times = record["all"].get(name)
        return f"{1e3 * statistics.median(times):.0f} ({1e3 * min(times):.0f}-{1e3 * max(times):.0f})" if times else "-"

    mine, theirs = record["seconds"]["terrazzo"], record["seconds"]["triton"]
    ratio = f"{mine / theirs:.2f}" if mine and theirs else "-"
    earlier = f"{ms('earlier')} the earlier one " if "earlier" in record["all"] else ""
    return (f"| compile {record['row']} | {record['kernels']} | {ms('terrazzo')} | {ms('triton')} | {ratio} "
            f"| {earlier}{record['problem']} |")


def summary(records, rounds):
    shares = [(r["row"], r["seconds"]["terrazzo"] / r["seconds"]["triton"]) for r in records
              if r["seconds"]["terrazzo"] and r["seconds"]["triton"]]
    if not shares:
        return "Cold compiles: nothing to compare"
    pairs = [r["seconds"]["terrazzo"] / r["seconds"]["earlier"] for r in records if r["seconds"].get("earlier")]
    beside = f"; {statistics.geometric_mean(pairs):.3f} of the earlier one's" if pairs else ""
    above = ", ".join(f"{name} {share:.2f}" for name, share in shares if share > 0.5)
    mean = statistics.geometric_mean(share for _, share in shares)
    return (f"Cold compiles of {len(shares)} rows, medians of {rounds}: geometric mean {mean:.2f} of Triton's time, "
            f"above 0.5: {above or 'none'}{beside}")


def compile_rows(folder, libraries, target, stream, options, first_line):
    sides = Sides(libraries, target, stream, not options.no_triton)
    words = [w for w in options.compile_rows.lower().split(",") if w]
    records = []
    for row in table.examples(folder):
        if words and not any(w in row.name.lower() for w in words):
            continue
        records.append(measure(sides, row, options.compile_rounds, first_line, not records))
        print(show(records[-1]), flush=True)
    sides.close()
    return records
