#!/usr/bin/env python3
"""Kernels that others wrote, under Triton and under Terrazzo, unmodified.

  race.py record --out records -- pytest ~/src/Library/tests     any program that runs under Triton
  race.py record --out records -- python ~/src/Library/bench.py
  race.py record --without-gpu --out records -- python test/bench/race/shapes/liger.py ~/src/Liger-Kernel
  race.py corpus liger --root ~/src/Liger-Kernel --out records   the commands that corpora.json has for it
  race.py check records                                          without a GPU: whether Triton compiles each
  race.py merge records/* --out all --keep 4                     of each kernel the largest launches, in one folder
  race.py replay records --out results [--jobs 8]                both compilers, in turns
  race.py replay records/kernel-1a2b3c4d.json                    one launch, alone
  race.py report results/race.json [--markdown] [--plot race.svg]
  race.py list records                                           a line for each launch, for a committed list

record needs Triton, torch and, unless --without-gpu is given, a GPU. The programs in shapes/
call a library's functions at sizes of models. Each distinct launch becomes one file that replays
alone: it holds the kernel's functions, the arguments' shapes, strides, alignments and
the values that matter, the grid and the options. Those files hold other people's source:
they stay out of the repository.

replay needs both compilers in one Python. It looks at all launches first, --jobs at a
time (compiles, compares results), then times those that both can run, one at a time. A
crash or a time-out costs its own row. The result is one JSON file; a ratio above 1 means
that Terrazzo is quicker. Exit status 1 if a row is wrong or fails under Terrazzo alone.
"""

import argparse
import concurrent.futures
import contextlib
import glob
import hashlib
import json
import math
import os
import queue
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import rows

HERE = os.path.dirname(os.path.abspath(__file__))


@contextlib.contextmanager
def recording(options):
    """The environment in which every Python process records, also workers of pytest-xdist and torch's own."""
    folder = os.path.abspath(os.path.expanduser(options.out))
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as site:
        with open(os.path.join(site, "sitecustomize.py"), "w") as file:
            file.write(f"import sys\nsys.path.append({HERE!r})\nimport recorder_start\n")
        yield folder, {**os.environ, "RACE_OUT": folder, "RACE_KEEP": str(options.keep), "RACE_CONFIGS": str(options.configs),
                       "RACE_QUICK": "1" if options.quick else "0", "RACE_WITHOUT_GPU": "1" if options.without_gpu else "0",
                       "PYTHONPATH": os.pathsep.join([site, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}


def pretend_installed(site, distribution, version):
    """A program that runs from its sources may ask importlib.metadata for its own version."""
    folder = os.path.join(site, f"{distribution.replace('-', '_')}-{version}.dist-info")
    os.mkdir(folder)
    with open(os.path.join(folder, "METADATA"), "w") as file:
        file.write(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")


def record(options):
    options.keep = options.keep or 8
    with recording(options) as (folder, environment):
        status = subprocess.run(options.command, env=environment).returncode
    return recorded(folder, f"the program's status was {status}")


def corpus(options):
    """Runs a corpus' commands, several at a time, each for a limited time."""
    with open(os.path.join(HERE, "corpora.json")) as file:
        corpora = json.load(file)["corpora"]
    if options.name not in corpora:
        sys.exit(f"race: no corpus {options.name!r} in corpora.json; there are: {', '.join(sorted(corpora))}")
    told, root = corpora[options.name], os.path.abspath(os.path.expanduser(options.root))
    options.keep = options.keep or told.get("keep", 8)
    commands = []
    for command in told["commands"]:
        for path in sorted(glob.glob(os.path.join(root, command["each"]))) if "each" in command else [""]:
            commands.append((command, [word.format(python=sys.executable, root=root, file=path, shapes=os.path.join(HERE, "shapes")) for word in command["run"]]))
    until = time.time() + options.seconds if options.seconds else math.inf
    with recording(options) as (folder, environment):
        for distribution, version in told.get("distributions", {}).items():
            pretend_installed(environment["PYTHONPATH"].partition(os.pathsep)[0], distribution, version)
        paths = [os.path.join(root, path) for path in told.get("python_path", ["."])]
        environment["PYTHONPATH"] = os.pathsep.join([environment["PYTHONPATH"], *paths])

        def run(command, words):
            log = os.path.join(folder, f"{options.name}-{hashlib.sha256(repr(words).encode()).hexdigest()[:12]}.log")
            return run_logged(command, words, log), words, log

        def run_logged(command, words, log):
            if time.time() >= until:
                return "not begun"
            with open(log, "w") as out:
                out.write(" ".join(words) + "\n")
                out.flush()
                process = subprocess.Popen(words, cwd=os.path.join(root, command.get("folder", ".")), env=environment, stdout=out,
                                           stderr=subprocess.STDOUT, start_new_session=True)
                try:
                    return process.wait(min(command.get("seconds", 120), until - time.time()))
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    return "stopped"
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = list(pool.map(lambda work: run(*work), commands))
    for status, words, log in done:
        if status not in (0, "not begun"):
            print(f"race: {status}: {' '.join(words)[-120:]}: {last_words(log)}")
    statuses = [status for status, _, _ in done]
    counts = {status: statuses.count(status) for status in dict.fromkeys(statuses)}
    return recorded(folder, f"{options.name}: commands by status: " + ", ".join(f"{status}: {count}" for status, count in counts.items()))


def last_words(log):
    """The last line that speaks of an error, else the last one."""
    with open(log, errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    of_errors = [line for line in lines if re.search(r"\b\w*(Error|Exception|error)\b", line)]
    return (of_errors or lines)[-1][:200]


def merge(options):
    """Every process that records keeps its own largest launches; here the largest of all of them."""
    kernels, corrupt = {}, []
    for folder in options.records:
        for name in sorted(os.listdir(folder)):
            if not name.endswith(".json"):
                continue
            path = os.path.join(folder, name)
            try:
                with open(path) as file:
                    record = json.load(file)
                kernels.setdefault(name.rpartition("-")[0], {})[record["id"]] = record["bytes"], path
            except (ValueError, KeyError) as problem:
                corrupt.append(f"{path}: {type(problem).__name__}: {problem}")
    os.makedirs(options.out, exist_ok=True)
    kept = 0
    for launches in kernels.values():
        for _, path in sorted(launches.values(), reverse=True)[:options.keep]:
            shutil.copyfile(path, os.path.join(options.out, os.path.basename(path)))
            kept += 1
    for line in corrupt:
        print(f"race: left out: {line}", file=sys.stderr)
    print(f"race: {kept} launches of {len(kernels)} kernels in {options.out}")
    return 0 if kept else 1


def recorded(folder, said):
    made = [name for name in os.listdir(folder) if name.endswith(".json")]
    refused = os.path.join(folder, "refused.jsonl")
    lost = sum(1 for _ in open(refused)) if os.path.exists(refused) else 0
    print(f"race: {len(made)} launches in {folder}, {lost} refused; {said}")
    return 0 if made else 1


class Worker:
    """A process that replays one record after the other; it is started anew when it ends."""

    def __init__(self, mode, folder, rounds, environment):
        self.command = [sys.executable, os.path.join(HERE, "replay.py"), mode, folder, str(rounds)]
        self.environment, self.process, self.errors = environment, None, None

    def run(self, name, limit):
        if self.process is None or self.process.poll() is not None:
            self.errors = tempfile.TemporaryFile()
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                            env=self.environment)
        try:
            self.process.stdin.write(name.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return self._ended(name)
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            if not ready.select(limit):
                self.process.kill()
                self.process.wait()
                return {"file": name, "problem": f"no end after {limit} s"}
        line = self.process.stdout.readline()
        return json.loads(line) if line.endswith(b"\n") else self._ended(name)

    def _ended(self, name):
        status = self.process.wait()
        self.errors.seek(0)
        said = self.errors.read()[-400:].decode(errors="replace").strip()
        return {"file": name, "problem": f"the process ended with status {status}: {said}"}

    def close(self):
        if self.process is not None and self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()


class Progress:
    def __init__(self, what, total):
        self.what, self.total, self.done, self.shown = what, total, 0, sys.stderr.isatty()

    def step(self):
        self.done += 1
        if self.shown:
            sys.stderr.write(f"\r\033[K{self.what} {self.done}/{self.total}")
            sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\r\033[K")


def in_turns(mode, folder, names, jobs, rounds, limit, until, environment):
    """Results by name. What is not begun when the clock passes `until` has none."""
    results, waiting = {}, queue.Queue()
    progress, lock = Progress("comparing" if mode == "look" else "timing", len(names)), threading.Lock()
    for name in names:
        waiting.put(name)

    def work():
        worker = Worker(mode, folder, rounds, environment)
        while time.time() < until:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                break
            result = worker.run(name, limit)
            with lock:
                results[name] = result
                progress.step()
        worker.close()
    threads = [threading.Thread(target=work) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    progress.end()
    return results


def versions_and_machine():
    import torch
    import triton
    import terrazzo
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout
    return ({"triton": triton.__version__, "terrazzo": terrazzo.__version__},
            rows.results.machine(torch.cuda.get_device_properties(0).name, driver.strip().partition("\n")[0]))


def replay(options):
    begin = time.time()
    folder, names = options.records, None
    if os.path.isfile(folder):
        folder, names = os.path.split(os.path.abspath(folder))[0], [os.path.basename(folder)]
    # By the identity at the end of the name: what is not reached in time is a random part.
    names = names or sorted((n for n in os.listdir(folder) if n.endswith(".json")), key=lambda n: n.rpartition("-")[2])
    if options.filter:
        names = [n for n in names if any(word in n for word in options.filter.split(","))]
    if options.shard:
        part, parts = map(int, options.shard.split("/"))
        names = names[part - 1::parts]
    if not names:
        sys.exit(f"race: no record in {options.records}")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    caches = tempfile.mkdtemp(prefix="race-")
    environment.setdefault("TRITON_CACHE_DIR", os.path.join(caches, "triton"))
    environment.setdefault("TERRAZZO_CACHE_DIR", os.path.join(caches, "terrazzo"))
    until = begin + options.seconds if options.seconds else math.inf
    looked = in_turns("look", folder, names, options.jobs, 0, options.limit, begin + options.seconds * 0.6 if options.seconds else math.inf, environment)
    timed_names = [n for n in names if n in looked and "comparison" in looked[n]]
    timed = {} if options.no_timing else in_turns("time", folder, timed_names, 1, options.rounds, options.limit, until, environment)
    found = []
    for name in names:
        row = {"file": name, **looked.get(name, {"problem": "not reached"})}
        for key, value in timed.get(name, {}).items():
            if key in ("triton", "terrazzo"):
                row[key] = {**value, **{k: v for k, v in row.get(key, {}).items() if k in ("first_call_s", "made_s")}}
            else:
                row[key] = value
        with open(os.path.join(folder, name)) as file:
            recorded = json.load(file)
        row.update(kernel=recorded["kernel"], bytes=recorded["bytes"], grid=recorded["grid"], label=label(recorded))
        found.append(row)
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, "race.json")
    rows.write(path, "recorded launches under both compilers, device time", *versions_and_machine(), found)
    print(f"race: {path}")
    from report import summary
    print(summary(rows.read(path), options.worst))
    return 1 if any(is_wrong(row) or failed_alone(row) for row in found) else 0


def is_wrong(row):
    """Where results are alike with small numbers, others overflowed or cancelled in one order of sums and not in another."""
    return row.get("comparison") == "different" and row.get("small_values") not in ("equal", "near")


def failed_alone(row):
    return "problem" in row.get("terrazzo", {}) and "problem" not in row.get("triton", {})


_SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "bool": "i1",
          "int8": "i8", "uint8": "u8", "float8_e4m3fn": "f8", "float8_e5m2": "f8e5", "int16": "i16"}


def label(recorded):
    """The launch in one line: the largest tensors' types and shapes, and the options."""
    import arguments
    told = [t for argument in recorded["arguments"].values() for t in arguments.tensors(argument)]
    told.sort(key=lambda t: -math.prod(t["shape"]))
    shapes = [f"{_SHORT.get(t['dtype'], t['dtype'])}{t['shape']}" for t in told[:2]]
    options = recorded["options"]
    return " ".join(shapes + [f"{short}{options[name]}" for short, name in (("w", "num_warps"), ("s", "num_stages")) if name in options])


def listing(options):
    for name in sorted(n for n in os.listdir(options.records) if n.endswith(".json")):
        with open(os.path.join(options.records, name)) as file:
            recorded = json.load(file)
        print(recorded["id"], recorded["kernel"], label(recorded), "grid", "x".join(map(str, recorded["grid"])))
    return 0


def add_recording(sub):
    sub.add_argument("--out", required=True)
    sub.add_argument("--keep", type=int, help="launches of one kernel in one process, the largest (8, or what corpora.json has)")
    sub.add_argument("--configs", type=int, default=0, help="an autotuner tries so many configurations at most (0: all)")
    sub.add_argument("--without-gpu", action="store_true", help="the program's tensors are the CPU's; launches are noted and not run")
    sub.add_argument("--quick", action="store_true", help="triton.testing.do_bench runs its function twice, whatever it is asked for")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    sub = commands.add_parser("record", help="run a program under Triton and record its launches")
    add_recording(sub)
    sub.add_argument("command", nargs=argparse.REMAINDER)
    sub = commands.add_parser("corpus", help="record a known corpus")
    sub.add_argument("name")
    sub.add_argument("--root", required=True, help="a checkout of it")
    add_recording(sub)
    sub.add_argument("--jobs", type=int, default=4, help="commands at a time")
    sub.add_argument("--seconds", type=int, default=0, help="stop after so long (0: no limit)")
    sub = commands.add_parser("merge", help="the largest launches of several folders in one")
    sub.add_argument("records", nargs="+", help="folders")
    sub.add_argument("--out", required=True)
    sub.add_argument("--keep", type=int, default=4, help="launches of one kernel")
    sub = commands.add_parser("replay", help="run records under both compilers")
    sub.add_argument("records")
    sub.add_argument("--out", default=os.environ.get("OUT", "."))
    sub.add_argument("--jobs", type=int, default=8, help="processes of the first look")
    sub.add_argument("--rounds", type=int, default=25)
    sub.add_argument("--limit", type=int, default=90, help="seconds for one record")
    sub.add_argument("--seconds", type=int, default=0, help="begin no record after so long (0: no limit)")
    sub.add_argument("--filter", default="", help="parts of file names, separated by commas")
    sub.add_argument("--shard", default="", help="K/N: the K-th of N parts")
    sub.add_argument("--worst", type=int, default=40, help="rows printed")
    sub.add_argument("--no-timing", action="store_true")
    sub = commands.add_parser("report", help="tables and a plot from a result")
    sub.add_argument("results", nargs="+")
    sub.add_argument("--markdown", action="store_true")
    sub.add_argument("--worst", type=int, default=40)
    sub.add_argument("--plot")
    sub = commands.add_parser("check", help="whether Triton compiles each record for an H100; no GPU is needed")
    sub.add_argument("records")
    sub.add_argument("--bytes", type=float, default=4e9, help="tensors of one record, at most")
    sub.add_argument("--remove", action="store_true", help="remove those that it does not, with the reason printed")
    sub = commands.add_parser("list", help="one line a record")
    sub.add_argument("records")
    options = parser.parse_args()
    if options.what == "record":
        options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
        if not options.command:
            parser.error("record: no program; write it behind --")
        return record(options)
    if options.what == "corpus":
        return corpus(options)
    if options.what == "merge":
        return merge(options)
    if options.what == "replay":
        return replay(options)
    if options.what == "check":
        from check import check
        return check(options)
    if options.what == "list":
        return listing(options)
    from report import main as report
    return report(options)


if __name__ == "__main__":
    sys.exit(main())
