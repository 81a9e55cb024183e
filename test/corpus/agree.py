#!/usr/bin/env python3
"""Do Triton and the reference interpreter mean the same by a kernel?

  test/corpus/agree.py pack OUT [--tz build/ci/bin/tz] [--filter RE] [--every 4] [--examples]
  test/corpus/agree.py check OUT [--jobs 16] [--differences differences.txt]

`pack` runs cases of the conformance suite (`tz conform --show`), or with
--examples those of test/driver/examples, in the interpreter and writes kernel
texts, inputs and results to the folder OUT. `check` needs no Terrazzo: it runs
OUT under Triton on the GPU at hand and sorts the cases:

  same     every element equal (any NaN equals any NaN)
  near     within a few roundings of the element, or of the largest one
  differs  anything else: a difference of meaning, or one that the language leaves open
  refused  Triton does not compile or launch it

Neither side is right by definition: docs/reference/language.md says which differences are
meant. Exit status of `check`: 0 if nothing differs.
"""
import argparse
import base64
import collections
import contextlib
import glob
import importlib.util
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
EXAMPLES = os.path.join(ROOT, "docs", "examples")
HOST = {"cdiv": lambda a, b: -(-a // b), "next_power_of_2": lambda n: 1 << (n - 1).bit_length(), "min": min, "max": max}
NUMBER = re.compile(r"(?:([iufb]f?\d+|bool):)?(.*)", re.S)
# Of one element, for the few roundings of a function or a sum.
ROUNDINGS = {"float64": 1e-13, "float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2, "float8_e4m3fn": 0.13, "float8_e5m2": 0.26}
TF32 = 1e-2  # of dots of fp32 operands, where Triton's default rounds them
SECONDS = 180  # a case may take, the start of its process included
RESULT = "agree: "  # begins a result's line; Triton prints, too
TORCH = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "f8e4m3": "float8_e4m3fn", "f8e4m3fn": "float8_e4m3fn",
         "f8e5m2": "float8_e5m2", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2fnuz": "float8_e5m2fnuz"}


# ---- pack ----

def from_suite(options):
    """(name, kernel text, words after `tz run FILE::kernel`) of the conformance suite."""
    shown = subprocess.run([options.tz, "conform", "--target", "interp", "--show", "--filter", options.filter],
                           capture_output=True, text=True, check=True).stdout
    for name, text, command in re.findall(r"^# (\S+)\n(.*?)^# tz run (.*?)$", shown, re.S | re.M):
        words = shlex.split(command)
        yield name, text, words[0].split("::")[1], words[1:]


def from_examples(options):
    for test in sorted(glob.glob(os.path.join(ROOT, "test", "driver", "examples", "*.test"))):
        for line in open(test):
            ran = re.search(r"RUN: tz run %examples/(\S+?)::(\S+) ([^|%]*)", line)
            if ran and re.search(options.filter, ran.group(1)) and "-large" not in test:
                words, kept = shlex.split(ran.group(3)), []
                while words:
                    word = words.pop(0)
                    if word in ("--target", "--compare", "--repeat", "--flops", "--bytes"):
                        words.pop(0)
                    else:
                        kept.append(word)
                text = open(os.path.join(EXAMPLES, ran.group(1))).read()
                yield f"{ran.group(1)}::{ran.group(2)}", text, ran.group(2), kept


def pack_one(tz, case, folder, number):
    name, text, kernel, words = case
    given = collections.defaultdict(dict)
    for flag, value in zip(words, words[1:]):
        if flag in ("--arg", "--constexpr", "--option"):
            key, _, what = value.partition("=")
            given[flag][key] = what
    if "ptrs:" in " ".join(words):
        return None  # addresses are made on the other machine
    arrays = [key for key, what in given["--arg"].items() if what.endswith("]")]
    # The same arguments given to a kernel that does nothing are the inputs.
    head = re.search(r"^def " + kernel + r"\((.*?)\):$", text, re.S | re.M).group(1)
    idle = f"import triton\nimport triton.language as tl\n\n@triton.jit\ndef {kernel}({head}):\n    pass\n"
    contents = []
    for part, body in (("in", idle), ("out", text)):
        path = os.path.join(folder, f"{number}_{part}.py")
        with open(path, "w") as file:
            file.write(body)
        saves = [word for key in arrays for word in ("--save", f"{key}={path}.{key}")]
        done = subprocess.run([tz, "run", f"{path}::{kernel}", *words, "--target", "interp", *saves],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return f"{name}: {done.stdout.strip()[:300]}"
        contents.append({key: base64.b64encode(open(f"{path}.{key}", "rb").read()).decode() for key in arrays})
    return {"name": name, "text": text, "kernel": kernel, "args": given["--arg"], "constexpr": given["--constexpr"],
            "options": given["--option"], "grid": words[words.index("--grid") + 1], "in": contents[0], "out": contents[1]}


def pack(options):
    os.makedirs(options.folder, exist_ok=True)
    cases = list(from_examples(options) if options.examples else from_suite(options))[::options.every]
    packed = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool, \
            open(os.path.join(options.folder, "cases.jsonl"), "w") as out:
        for one in pool.map(lambda case: pack_one(options.tz, case[1], folder, case[0]), enumerate(cases)):
            if isinstance(one, dict):
                out.write(json.dumps(one) + "\n")
                packed += 1
            elif one:
                print(one)
    print(f"{packed} of {len(cases)} cases packed")
    return 0 if packed else 1


# ---- check ----

def evaluate(text, names):
    return eval(text, {"__builtins__": {}}, {**HOST, **names})  # noqa: S307: expressions of our own tests


def constants(case, module, tl):
    """What `tz run --constexpr` reads: a number, True, None, a type, a function of the file, else text."""
    types = {"fp16": tl.float16, "bf16": tl.bfloat16, "fp32": tl.float32, "fp64": tl.float64}
    values = {}
    for key, text in case["constexpr"].items():
        default = re.search(key + r"\s*:\s*tl\.constexpr\s*=\s*[\"']", case["text"])
        if default:
            values[key] = text
        elif text in types:
            values[key] = types[text]
        elif hasattr(module, text):
            values[key] = getattr(module, text)
        else:
            try:
                values[key] = evaluate(text, values)
            except (NameError, SyntaxError):
                values[key] = getattr(tl, text, text)
    return values


def launch(case, folder):
    """The buffers after the launch, by name."""
    import torch
    import triton
    import triton.language as tl
    if not hasattr(triton, "aggregate"):  # public since 3.7
        triton.aggregate = tl.core._aggregate
    path = os.path.join(folder, re.sub(r"\W", "_", case["name"]) + ".py")
    with open(path, "w") as file:
        file.write(case["text"])
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, EXAMPLES)
    spec.loader.exec_module(module)
    values, args = constants(case, module, tl), {}
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.uint8, device="cuda"))
    pending = []
    for key, text in case["args"].items():
        if key in case["in"]:
            kind = text[:-1].split(":")[-1].split("[")[0]
            dtype = getattr(torch, TORCH.get(kind) or re.sub("^u", "uint", re.sub("^i", "int", kind)))
            raw = bytearray(base64.b64decode(case["in"][key]))
            args[key] = torch.frombuffer(raw, dtype=torch.uint8).clone().view(dtype).cuda()
        elif text == "None":
            args[key] = None
        else:
            pending.append((key, NUMBER.fullmatch(text).group(2)))
    numbers = dict(values)
    for _ in range(len(pending) + 1):  # numbers may use those that come later
        for key, text in pending:
            if key not in numbers:
                try:
                    numbers[key] = args[key] = evaluate(text, numbers)
                except NameError:
                    pass
    grid = [evaluate(text, numbers) for text in re.split(r",(?![^(]*\))", case["grid"])]
    function = getattr(module, case["kernel"])
    while not isinstance(function, triton.runtime.JITFunction):
        for key, value in (function.configs[0].kwargs if hasattr(function, "configs") else {}).items():
            values.setdefault(key, value)
        function = function.fn
    known = {parameter.name for parameter in function.params}
    function[tuple(grid)](**{k: v for k, v in {**args, **values}.items() if k in known},
                          **{key: evaluate(value, {}) for key, value in case["options"].items()})
    torch.cuda.synchronize()
    return {key: args[key].cpu() for key in case["out"]}


def roundings(case, kind):
    """What is near for a result of this type: the kernel may compute in a narrower one, of an argument, and round dots of fp32 to TF32."""
    kinds = [kind] + [TORCH[found] for text in case["args"].values() for found in re.findall(r":(\w+)\[", text) if found in TORCH]
    largest = max(ROUNDINGS.get(one, 0.26) for one in kinds)
    is_tf32 = "tl.dot(" in case["text"] and "ieee" not in str(case["constexpr"]) + case["text"]
    return max(largest, TF32) if is_tf32 else largest


def compare(case, buffers):
    """(class, sentence)"""
    import torch
    worst, told = "same", ""
    for key, got in buffers.items():
        raw = bytearray(base64.b64decode(case["out"][key]))
        wanted = torch.frombuffer(raw, dtype=torch.uint8).clone().view(got.dtype)
        kind = str(got.dtype).replace("torch.", "")
        if not got.dtype.is_floating_point:
            bad = (got.view(wanted.dtype) != wanted).nonzero().flatten()
            if len(bad):
                at = int(bad[0])
                return "differs", f"{key}[{at}] is {got[at].item()}, the interpreter has {wanted[at].item()}; {len(bad)} of {len(got)}"
            continue
        x, y = got.double(), wanted.double()
        equal = (x == y) | (x.isnan() & y.isnan())
        if bool(equal.all()):
            continue
        error = (x - y).abs().nan_to_num(math.inf, math.inf)
        largest = y[y.isfinite()].abs().max().item() if bool(y.isfinite().any()) else 0.0
        allowed = roundings(case, kind)
        smallest = torch.finfo(got.dtype).tiny  # denormals may be zero
        near = equal | (error <= allowed * torch.maximum(y.abs(), torch.full_like(y, smallest))) | (error <= allowed * largest * 0.1)
        if not bool(near.all()):
            bad = (~near).nonzero().flatten()
            at = int(bad[0])
            return "differs", f"{key}[{at}] is {x[at].item()!r}, the interpreter has {y[at].item()!r}; {len(bad)} of {len(got)}"
        worst, told = "near", f"{key}: {error[~equal].max().item():.3g} of {largest:.3g}"
    return worst, told


def work():
    """Cases from standard input, a line each; a result for each to standard output. Ends when the device's context is lost."""
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            case, lost = json.loads(line), False
            try:
                what, told = compare(case, launch(case, folder))
            except Exception as error:  # whatever Triton raises is a result here
                said = [part.strip() for part in str(error.__cause__ or error).splitlines() if part.strip()]
                what, told = "refused", f"{type(error).__name__}: {' | '.join(said[-2:])[-200:]}"
                lost = type(error).__name__ == "AcceleratorError" or "CUDA" in str(error) or "illegal" in str(error)
            print(RESULT + json.dumps([case["name"], what, told]), flush=True)
            if lost:
                return 0
    return 0


def check_part(lines):
    """Results of these cases. Who crashes, hangs or loses the device costs itself alone: the rest goes on in a new process."""
    results = []
    while len(results) < len(lines):
        before = len(results)
        with tempfile.TemporaryFile("w+") as told, \
                subprocess.Popen([sys.executable, os.path.abspath(__file__), "work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=told, text=True) as child:
            def feed(rest=lines[before:]):
                with contextlib.suppress(BrokenPipeError):
                    child.stdin.writelines(rest)
                    child.stdin.close()
            threading.Thread(target=feed, daemon=True).start()
            watchdog = threading.Timer(SECONDS, child.kill)
            watchdog.start()
            for line in child.stdout:
                if line.startswith(RESULT):
                    results.append(tuple(json.loads(line[len(RESULT):])))
                    watchdog.cancel()
                    watchdog = threading.Timer(SECONDS, child.kill)
                    watchdog.start()
            status = child.wait()
            watchdog.cancel()
            if status and len(results) < len(lines):
                told.seek(0)
                last = told.read().strip().split("\n")[-1][-200:]
                results.append((json.loads(lines[len(results)])["name"], "refused", f"the process ended with status {status}: {last}"))
            elif len(results) == before:
                raise SystemExit("agree.py: the child process gives no result")
    return results


def check(options):
    lines = open(os.path.join(options.folder, "cases.jsonl")).readlines()
    parts = [lines[i:i + 25] for i in range(0, len(lines), 25)]
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(check_part, part) for part in parts]):
            results += done.result()
            if len(results) % 500 < 25:
                print(f"  {len(results)} of {len(lines)}", file=sys.stderr, flush=True)
    table = collections.defaultdict(collections.Counter)
    for name, what, _ in results:
        table[name.split("/")[0]][what] += 1
    classes = ("same", "near", "differs", "refused")
    print(f"{'':32}" + "".join(f"{c:>9}" for c in classes))
    for family, counts in sorted(table.items()):
        print(f"{family:32}" + "".join(f"{counts[c]:9}" for c in classes))
    totals = collections.Counter(what for _, what, _ in results)
    print(f"{'all':32}" + "".join(f"{totals[c]:9}" for c in classes))
    with open(options.differences, "w") as file:
        for name, what, told in sorted(results):
            if what in ("differs", "refused"):
                file.write(f"{what} {name}: {told}\n")
    return 1 if totals["differs"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    first = parts.add_parser("pack", help="run in the interpreter, write OUT")
    first.add_argument("--tz", default=os.path.join(ROOT, "build", "ci", "bin", "tz"))
    first.add_argument("--filter", default="", help="names (or files) that match this regular expression")
    first.add_argument("--every", type=int, default=1, help="take one case of so many")
    first.add_argument("--examples", action="store_true", help="the runs of test/driver/examples instead of the suite")
    second = parts.add_parser("check", help="run OUT under Triton")
    parts.add_parser("work")  # check's child process
    second.add_argument("--differences", default="differences.txt", help="where what differs or was refused is written")
    for part in (first, second):
        part.add_argument("folder", metavar="OUT")
        part.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    return work() if options.part == "work" else {"pack": pack, "check": check}[options.part](options)


if __name__ == "__main__":
    sys.exit(main())
