"""Runs recorded launches under Triton and under Terrazzo, in one process.

A worker: reads numbers of records from its standard input, writes one JSON object a
line for each. The supervisor (race.py) starts it again where a launch ended it.

First look (many workers share the device): compiles under both, runs both from the same
memory, compares every byte that either wrote. Timing (one worker alone): the two take
turns; the caches are swept before each launch; a launch's time is what the device's own
records (CUPTI through torch's profiler) say of all its kernels.
"""

import contextlib
import importlib
import json
import math
import os
import statistics
import sys
import time

import torch

import arguments
import kernel_source

SWEEP = 128 << 20  # bytes; more than twice the L2 cache
PEERS = ("triton", "terrazzo")


def package(peer):
    return importlib.import_module("triton" if peer == "triton" else "terrazzo.triton")


class Launch:
    """A record's launch, bound to one compiler and to the record's memory."""

    def __init__(self, record, peer, memory, configuration=None):
        self.triton = package(peer)
        functions = kernel_source.load(record["functions"], self.triton, record["id"])
        self.kernel = functions[0]
        self.named = {name: arguments.make(told, memory, self.triton, functions) for name, told in record["arguments"].items()}
        self.grid = tuple(record["grid"])
        self.named.update({name: kernel_source.decode_constant(value, self.triton, functions) for name, value in record["options"].items()})
        if configuration:
            self.grid = tuple(configuration["grid"])
            self.named.update({n: kernel_source.decode_constant(v, self.triton) for n, v in configuration["values"].items()})
        self.triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))

    def __call__(self):
        return self.kernel[self.grid](**self.named)


def facts(compiled):
    metadata = compiled.metadata
    with contextlib.suppress(Exception):
        compiled._init_handles()
    return {"registers": getattr(compiled, "n_regs", None), "spills": getattr(compiled, "n_spills", None),
            "shared": getattr(metadata, "shared", None)}


def _wide(tensor):
    if tensor.dtype in (torch.float64, torch.float32):
        return tensor
    return tensor.float() if tensor.is_floating_point() else tensor


# Relative error, in the norm, between two compilers of one source: rounding of each product's terms and their order
# differ, and tf32 and fp16 dots round their operands alike.
TOLERANCE = {torch.float64: 1e-6, torch.float32: 2e-3, torch.float16: 5e-3, torch.bfloat16: 2e-2}


def difference(got, expected):
    """0 where both are alike; the relative error in the norm; infinite where one alone is not finite."""
    if not got.numel():
        return 0.0
    if not got.is_floating_point():
        return (got != expected).float().mean().item()
    got, expected = _wide(got), _wide(expected)
    odd = ~(got.isfinite() & expected.isfinite())
    if odd.any():
        same = (got.isnan() & expected.isnan()) | (got == expected)
        if not same[odd].all():
            return math.inf
        got, expected = got.masked_fill(odd, 0), expected.masked_fill(odd, 0)
    scale = expected.double().norm().item()
    error = (got.double() - expected.double()).norm().item()
    return error / scale if scale > 0 else (0.0 if error == 0 else math.inf)


class Row:
    def __init__(self, record, device="cuda", small=False):
        self.record = record
        self.memory = arguments.Memory(record["storages"], device, small=small)
        # Both peers share the memory; what is made first decides the content, the second makes the same again.
        self.launches, self.problems, self.results = {}, {}, {}

    def outputs(self):
        seen = {}
        for told in self.record["arguments"].values():
            for tensor in arguments.tensors(told):
                seen.setdefault(json.dumps([tensor["storage"], tensor["offset"], tensor["dtype"], tensor["shape"], tensor["strides"]]), tensor)
        return list(seen.values())

    def views(self):
        return [self._view(told) for told in self.outputs()]

    def _view(self, told):
        room = self.memory._rooms[told["storage"]]
        dtype = getattr(torch, told["dtype"])
        size = torch.empty((), dtype=dtype).element_size()
        usable = room[:room.numel() // size * size].view(dtype)
        return usable.as_strided(told["shape"], told["strides"], usable.storage_offset() + told["offset"])

    def compile(self, peer, configuration=None):
        """Makes the launch, runs it once; keeps a copy of what it wrote."""
        start = time.perf_counter()
        launch = Launch(self.record, peer, self.memory, configuration)
        if self.memory._saved is None:
            self.memory.save()
        else:
            self.memory.reset()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        compiled = launch()
        torch.cuda.synchronize()
        result = {"first_call_s": round(time.perf_counter() - begin, 4), "made_s": round(begin - start, 4), **facts(compiled)}
        self.launches[peer] = launch
        return result

    def written(self):
        changed = set(self.memory.changed())
        return {i: view.clone() for i, (told, view) in enumerate(zip(self.outputs(), self.views())) if told["storage"] in changed}

    def compare(self):
        """Runs both from the same memory. Triton against itself says what is not determined."""
        results = []
        for peer in ("triton", "triton", "terrazzo"):
            self.memory.reset()
            self.launches[peer]()
            torch.cuda.synchronize()
            results.append(self.written())
        theirs, again, ours = results
        told = self.outputs()
        worst, verdict = 0.0, "equal"
        for i in sorted(set(theirs) | set(ours)):
            view = self.views()[i]
            self.memory.reset()
            left, right = ours.get(i, view), theirs.get(i, view)
            noise = difference(again.get(i, view), right)
            error = difference(left, right)
            dtype = getattr(torch, told[i]["dtype"])
            limit = TOLERANCE.get(dtype, 0.0 if not dtype.is_floating_point else 6e-2)
            if error > max(limit, 4 * noise):
                # Whole numbers that come of rounded ones (quantised values, arguments of maxima) may differ by a step in a few places.
                near = not dtype.is_floating_point and error < 1e-3
                verdict = "not determined" if noise > limit else "near" if near and verdict != "different" else "different"
            worst = max(worst, error)
        return {"comparison": verdict, "error": worst if math.isfinite(worst) else "inf",
                "written": sorted(set(theirs) | set(ours))}


def first_look(record):
    row = Row(record)
    result = {"id": record["id"], "kernel": record["kernel"]}
    for peer in PEERS:
        try:
            result[peer] = row.compile(peer)
        except Exception as problem:
            result[peer] = {"problem": f"{type(problem).__name__}: {str(problem).strip()}"[:600]}
            check_device()
    if all("problem" not in result[peer] for peer in PEERS):
        result.update(row.compare())
        if result["comparison"] == "different":
            result["small_values"] = compare_small(record)
    return result


def compare_small(record):
    """The verdict with small numbers. Drawn ones may overflow, or cancel, sooner in one order of sums than in another."""
    row = Row(record, small=True)
    for peer in PEERS:
        row.compile(peer)
    return row.compare()["comparison"]


def check_device():
    """After a fault of the device nothing runs in this process any more."""
    try:
        torch.cuda.synchronize()
        torch.zeros(1, device="cuda").item()
    except Exception:
        raise SystemExit("the device's context is lost")


def _events(profile):
    found = []
    for event in profile.profiler.kineto_results.events():
        if event.device_type() == torch.autograd.DeviceType.CUDA:
            found.append((event.start_ns(), event.duration_ns(), event.name()))
    return sorted(found)


def sample(launches, resets, rounds):
    """Device microseconds of each launch of each round, by peer; the kernels' names."""
    from torch.profiler import ProfilerActivity, profile
    sweep = torch.empty(SWEEP, dtype=torch.int8, device="cuda")
    order = list(launches)
    with profile(activities=[ProfilerActivity.CUDA]) as taken:
        for number in range(rounds):
            for peer in order if number % 2 == 0 else reversed(order):
                torch.cuda._sleep(1)
                sweep.zero_()
                resets()
                torch.cuda._sleep(1)
                launches[peer]()
        torch.cuda._sleep(1)
        torch.cuda.synchronize()
    segments, inside = [], None
    for _, duration, name in _events(taken):
        if "spin_kernel" in name:
            if inside is not None:
                segments.append(inside)
            inside = []
        elif inside is not None:
            inside.append((duration, name))
    segments.append(inside or [])
    samples, names = {peer: [] for peer in order}, {peer: [] for peer in order}
    turn = 0
    for number in range(rounds):
        for peer in order if number % 2 == 0 else reversed(order):
            at = 2 * turn + 1
            turn += 1
            if at < len(segments) and segments[at]:
                samples[peer].append(sum(duration for duration, _ in segments[at]) / 1000)
                names[peer] = [name[:80] for _, name in segments[at]]
    return samples, names


def timing(record, rounds):
    row = Row(record)
    result = {"id": record["id"], "kernel": record["kernel"]}
    for peer in PEERS:
        result[peer] = row.compile(peer)
    changed = row.memory.changed()

    def resets():
        row.memory.reset(changed)
    # What a launch leaves behind is put back only where there is something: an output is simply written again.
    samples, names = sample(row.launches, resets, 3)
    guess = max(statistics.median(values) if values else 0 for values in samples.values())
    count = rounds if guess < 2000 else max(7, int(rounds * 2000 / guess))
    if guess < 8:
        count = max(count, 101)
    samples, names = sample(row.launches, resets, count)
    for peer in PEERS:
        result[peer].update({"us": round(statistics.median(samples[peer]), 3), "samples": [round(s, 3) for s in samples[peer]],
                             "kernels": names[peer]})
    result["ratio"] = round(result["triton"]["us"] / result["terrazzo"]["us"], 4)
    return result


def main():
    mode, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what kernels print is no result
    for line in sys.stdin:
        name = line.strip()
        with open(os.path.join(folder, name)) as file:
            record = json.load(file)
        try:
            result = first_look(record) if mode == "look" else timing(record, rounds)
        except torch.cuda.OutOfMemoryError as problem:
            result = {"id": record["id"], "kernel": record["kernel"], "problem": f"OutOfMemory: {problem}"[:200]}
        except Exception as problem:
            result = {"id": record["id"], "kernel": record["kernel"], "problem": f"{type(problem).__name__}: {problem}"[:600]}
        out.write(json.dumps({"file": name, **result}) + "\n")
        if "problem" in result:
            check_device()
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
