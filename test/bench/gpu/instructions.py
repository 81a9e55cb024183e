#!/usr/bin/env python3
"""Counts the processor's instructions of the examples' cold compiles, or their time. Needs no GPU.

  instructions.py now=build/ci before=../earlier/build/ci [--only WORD,WORD] [--out FILE.json]
  instructions.py now=build/ci before=../earlier/build/ci --rounds 60

Each side is a name and a folder that holds lib/; the first is compared with each other
one. The rows and their arguments are those of gpu_bench.py, on tensors of the CPU. A
side compiles all rows in one process under callgrind: source to machine code, without
a cache. The vendor's assembler is a process of its own and counted by itself. Counts
are the same on a busy machine, but for some 0.1 %.

--rounds N measures time instead, on a machine that does nothing else: medians of N
rounds, and of the N ratios. Each round has a new process of each side, since processes
differ by the places of their memory. The sides take turns at each launch, in a session
of its own and with an empty cache; the assembler is included.

--keep FOLDER keeps each launch's PTX as FOLDER/SIDE/N.ptx. Needs valgrind, PyTorch and
Triton, which is imported and compiles nothing.
"""

import argparse
import datetime
import functools
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [HERE, os.path.join(os.path.dirname(HERE), "results")]
EXAMPLES = os.path.normpath(os.path.join(HERE, "..", "..", "..", "docs", "examples"))

MEASURED = "tz::driver::Driver::compile(tz::runtime::CompileJob const&, tz::runtime::DiagnosticSink&)"


def argument_of(value):
    """A value as JSON; of a tensor what a specialisation looks at, with where it lies beside the others."""
    if hasattr(value, "data_ptr"):
        return {"dtype": str(value.dtype).split(".")[-1], "address": value.data_ptr()}
    if hasattr(value, "block_shape"):
        return {**argument_of(value.base), "padding": getattr(value, "padding", "zero"),
                **{name: list(getattr(value, name)) for name in ("shape", "strides", "block_shape")}}
    if isinstance(value, tuple):
        return {"items": [argument_of(item) for item in value], "names": list(getattr(value, "_fields", []))}
    return value


def launch_of(launch):
    from terrazzo_api import OPTIONS
    values, named = launch.values(), launch.named
    constants = {p.name: values[p.name] for p in launch.kernel.params
                 if p.is_constexpr and (p.name in named or p.num < len(launch.args))}
    return {"path": launch.kernel.fn.__code__.co_filename, "function": launch.kernel.fn.__name__, "constants": constants,
            "options": {k: v for k, v in named.items() if k in OPTIONS},
            "arguments": [argument_of(values[p.name]) for p in launch.kernel.params if not p.is_constexpr]}


def recorded(words):
    """(row, launch) pairs, as data, of the rows that are named."""
    import torch
    from torch.overrides import TorchFunctionMode

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, _, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if kwargs.get("device") is not None:
                kwargs["device"] = "cpu"
            return function(*args, **kwargs)

    import rows
    torch.cuda.get_device_properties = lambda *_: argparse.Namespace(multi_processor_count=132)
    torch.manual_seed(0)
    with OnCpu():
        for row in rows.examples(EXAMPLES):
            if not words or any(word == row.name if "." in word else word in row.name for word in words):
                yield from ((row.name, launch_of(launch)) for launch in row.make().launches)


def counted(command, *options):
    """The instructions of a command by callgrind: one number a dump, in order."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *options, *command],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: {command[0]} failed under valgrind:\n{done.stderr[-2000:]}")
        dumps = sorted((name for name in os.listdir(folder) if name != "out"), key=lambda name: int(name.rpartition(".")[2]))
        found = []
        for name in dumps or ["out"]:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                found.append(int(re.search(r"^(?:totals|summary): (\d+)", file.read(), re.MULTILINE)[1]))
        return found


def assembled(text, arch):
    """The assembler's instructions for a launch's variants, whose texts follow each other."""
    return sum(assembled_variant(variant, arch) for variant in re.split(r"(?=^\.version )", text, flags=re.MULTILINE)[1:])


@functools.cache
def assembled_variant(text, arch):
    """Equal texts are counted once."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        return sum(counted(["ptxas", f"-arch={arch}", file.name, "-o", os.devnull]))


def compiled(libraries, target, launches, folder):
    """For each launch the compiler's instructions and the assembly."""
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(launches, file)
        file.flush()
        command = [sys.executable, "-S", os.path.join(HERE, "replayed_compiles.py"), libraries, target, file.name, folder]
        # Of each compilation two dumps: what was before it, and itself.
        counts = counted(command, f"--dump-before={MEASURED}", f"--dump-after={MEASURED}", "--dump-line=no")[1::2]
    texts = []
    for number in range(len(launches)):
        with open(os.path.join(folder, f"{number}.ptx"), encoding="utf-8") as file:
            texts.append(file.read())
    return list(zip(counts, texts, strict=True))


class Compiler:
    """A process of a side, asked for the seconds of one launch after the other."""

    def __init__(self, libraries, target, launches, cache):
        self.process = subprocess.Popen([sys.executable, "-S", os.path.join(HERE, "replayed_compiles.py"), libraries, target,
                                         launches, "--cache", cache], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, launch):
        try:
            self.process.stdin.write(f"{launch}\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended, and gives no answer
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"error: a compiling process ended with status {self.process.wait()}")
        return float(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def timed(pairs, sides, target, rounds):
    """{row: {side: the milliseconds of each round}}. A launch is compiled by all sides before the next one is."""
    rows = {row: {side: [0.0] * rounds for side in sides} for row, _ in pairs}
    with tempfile.TemporaryDirectory() as folder:
        launches = os.path.join(folder, "launches.json")
        with open(launches, "w", encoding="utf-8") as file:
            json.dump([launch for _, launch in pairs], file)
        for number in range(rounds):
            compilers = {side: Compiler(path, target, launches, os.path.join(folder, side)) for side, path in sides.items()}
            for compiler in compilers.values():
                compiler.seconds(0)  # what a process does once
            for launch, (row, _) in enumerate(pairs):
                for side in sorted(sides, reverse=(number + launch) % 2):
                    rows[row][side][number] += 1e3 * compilers[side].seconds(launch)
            for compiler in compilers.values():
                compiler.close()
            print(f"    {number + 1} of {rounds} rounds", file=sys.stderr, flush=True)
    return rows


def table_of_times(rows, sides):
    first, *others = sides
    print("| row | " + " | ".join(f"{side}, ms" for side in sides) + "".join(f" | {first} / {side}" for side in others) + " |")
    print("|---" * (1 + len(sides) + len(others)) + "|")
    ratios = {side: [] for side in others}
    for row, found in rows.items():
        medians = {side: statistics.median(found[side]) for side in sides}
        for side in others:
            ratios[side].append(statistics.median(mine / theirs for mine, theirs in zip(found[first], found[side], strict=True)))
        print(f"| {row} | " + " | ".join(f"{medians[side]:.1f} (from {min(found[side]):.1f})" for side in sides)
              + "".join(f" | {ratios[side][-1]:.3f}" for side in others) + " |")
    for side in others:
        print(f"{first} / {side}: geometric mean {statistics.geometric_mean(ratios[side]):.3f}, most {max(ratios[side]):.3f}")


def table(rows, sides):
    first, *others = sides
    print("| row | lines of PTX | " + " | ".join(f"{side}, million (assembler)" for side in sides)
          + "".join(f" | {first} / {side}" for side in others) + " |")
    print("|---" * (2 + len(sides) + len(others)) + "|")
    for row, found in rows.items():
        cells = [f"{sum(found[side][:2]) / 1e6:.0f} ({found[side][1] / 1e6:.0f})" for side in sides]
        ratios = [f"{sum(found[first][:2]) / sum(found[side][:2]):.3f}" for side in others]
        print(f"| {row} | {', '.join(str(found[side][2]) for side in sides)} | {' | '.join(cells + ratios)} |")
    for side in others:
        ratios = [sum(found[first][:2]) / sum(found[side][:2]) for found in rows.values()]
        print(f"{first} / {side}: geometric mean {statistics.geometric_mean(ratios):.3f}, most {max(ratios):.3f}")


def entries_of_counts(rows, sides):
    return [{"name": row, "unit": "million instructions", "better": "less",
             "samples": {side: [round(sum(found[side][:2]) / 1e6, 1)] for side in sides},
             "facts": {side: {"assembler": round(found[side][1] / 1e6, 1), "ptx_lines": found[side][2]} for side in sides}}
            for row, found in rows.items()]


def entries_of_times(rows, sides):
    return [{"name": row, "unit": "ms", "better": "less", "samples": {side: [round(t, 2) for t in found[side]] for side in sides}}
            for row, found in rows.items()]


def document(entries, what, sides, commits):
    from results import commit, machine
    return {"format": "terrazzo-bench", "version": 1,
            "what": f"{what} of the example kernels' cold compiles, source to machine code, beside other builds",
            "machine": machine(), "commit": commit(), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": [os.path.relpath(sys.argv[0], os.path.join(HERE, "..", "..", "..")), *sys.argv[1:]],
            "peers": [{"name": side, "version": commits.get(side, "0.1.0")} for side in sides], "rows": entries}


def write(path, results):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sides", nargs="+", metavar="NAME=FOLDER[@COMMIT]")
    parser.add_argument("--target", default="nvidia:sm_90a")
    parser.add_argument("--only", default="", help="names of rows (softmax.softmax), or parts of them without a dot")
    parser.add_argument("--rounds", type=int, help="measure time, the median of so many processes of each side")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the PTX of each launch")
    parser.add_argument("--out", metavar="FILE.json", help="write a file of results")
    given = parser.parse_args()
    for program in ("ptxas",) if given.rounds else ("valgrind", "ptxas"):
        if not shutil.which(program):
            sys.exit(f"error: {program} is not in the PATH; it counts instructions, or is what is counted")
    sides, commits = {}, {}
    for side in given.sides:
        name, is_given, folder = side.partition("=")
        if not is_given:
            parser.error(f"'{side}' is no side: NAME=FOLDER, where FOLDER/lib has libterrazzo.so.0")
        sides[name], _, version = folder.partition("@")
        if version:
            commits[name] = f"commit {version}"
    os.environ.update(TERRAZZO_COMPILE_WORKER="off", TERRAZZO_CACHE_DIR="off")
    pairs = list(recorded([word for word in given.only.split(",") if word]))
    if given.rounds:
        rows = timed(pairs, sides, given.target, given.rounds)
        table_of_times(rows, list(sides))
        write(given.out, document(entries_of_times(rows, list(sides)), "Times", sides, commits))
        return
    rows = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, folder in sides.items():
            print(f"{name}: {len(pairs)} launches", file=sys.stderr, flush=True)
            # The first one is compiled twice: what a process does once is in the first count, which is left out.
            launches = [launch for _, launch in pairs]
            done = compiled(folder, given.target, launches[:1] + launches, os.path.join(given.keep or temporary, name))[1:]
            for (row, _), (count, text) in zip(pairs, done, strict=True):
                found = rows.setdefault(row, {}).setdefault(name, [0, 0, 0])
                found[0] += count
                found[1] += assembled(text, given.target.partition(":")[2])
                found[2] += text.count("\n")
    table(rows, list(sides))
    write(given.out, document(entries_of_counts(rows, list(sides)), "Instructions", sides, commits))


if __name__ == "__main__":
    main()
