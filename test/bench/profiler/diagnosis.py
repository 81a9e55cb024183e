#!/usr/bin/env python3
"""What `tz analyze` says of kernels that others wrote, and what the cures that it names give.

    diagnosis.py records/*.json --output diagnosis.json          launches that ../race/race.py recorded
    diagnosis.py records/a-1b2c3d4e.json --try num_warps=16      that change too, whatever the rules say

Each launch is profiled with samples of instructions, and the rules of tz analyze are applied. Of each rule that speaks, the
changes that its cure names (cures.py) are tried: the launch must give what it gave, and one with other tiles is launched under
the check of bounds first. All that do are timed in turns with the launch as it is; the quickest, and the launch, once more:
these are the samples of the row. A gain below 3 % is none.

Times are the device's, by a trace of the profiler; on a GPU caches are swept before each launch. A launch that ends the process
costs its own row. Needs torch and a GPU (--device cpu: what of it a CPU can run). --seconds is a limit of the whole: what did
not fit is told.
"""

import argparse
import dataclasses
import json
import linecache
import os
import selectors
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "results"), os.path.join(os.path.dirname(HERE), "race")]

import cures  # noqa: E402
import results  # noqa: E402

LEAST_GAIN = 1.03


class Source:
    """Statements of a kernel whose text is in its record."""

    def at(self, place, kernel):
        file, _, line = place.rpartition(":")
        return linecache.getline(file, int(line)).strip() if line.isdigit() else None


class Diagnosis:
    """One launch. Uses the worker's device alone."""

    def __init__(self, path, options):
        import replay
        import torch

        self.replay, self.torch, self.options = replay, torch, options
        with open(path, encoding="utf-8") as file:
            self.record = json.load(file)
        self.row = replay.Row(self.record, options.device)
        self.folder = tempfile.mkdtemp(prefix="diagnosis-")
        self.launches = {}

    def synchronize(self):
        import terrazzo

        if self.options.device == "cuda":
            self.torch.cuda.synchronize()
        terrazzo.synchronize()

    def make(self, name, record):
        """A launch, whose memory is that of the others."""
        made = self.replay.Launch(record, "terrazzo", self.row.memory)
        if self.row.memory._saved is None:
            self.row.memory.save()
        self.row.memory.reset()
        self.launches[name] = made
        return made

    def run(self, launch):
        """What it writes."""
        self.row.memory.reset()
        launch()
        self.synchronize()
        return self.row.written()

    def profile(self):
        """(what the rules say, the time of a launch in us)."""
        import terrazzo.triton.profiler as proton
        from terrazzo.profiler import analyze

        launch = self.launches["as it is"]
        launch.kernel.launch_metadata = lambda grid, metadata, arguments: {"name": self.record["kernel"], "bytes": self.record["bytes"]}
        path = os.path.join(self.folder, "samples")
        session = proton.start(path, mode=f"pcsampling:interval={self.options.interval}", hook="triton")
        begin, count = time.perf_counter(), 0
        while count < 3 or (time.perf_counter() - begin < self.options.sampled_s and count < 20000):
            launch()
            count += 1
            if count % 16 == 0:
                self.synchronize()
        self.synchronize()
        proton.finalize(session)
        launch.kernel.launch_metadata = None
        read = analyze.read(path + ".hatchet")
        read.statements, read.peak_bytes = Source(), self.options.peak_bytes
        kernel = read.kernels[self.record["kernel"]]
        facts = {"us": round(kernel.mean_us, 3), "programs": kernel.programs // kernel.count, "threads": kernel.threads,
                 "registers": kernel.registers, "spill_bytes": kernel.spill_bytes,
                 "samples": sum(reasons.get("", 0) for reasons in kernel.samples.values())}
        return [one for one in analyze.findings(read) if one.where == self.record["kernel"]], facts

    def times(self, names, rounds):
        """Device us of each launch, by name."""
        import terrazzo.triton.profiler as proton

        sweep = self.torch.empty(self.replay.SWEEP, dtype=self.torch.int8, device=self.options.device) if self.options.device == "cuda" else None
        path = os.path.join(self.folder, "times")
        session = proton.start(path, data="trace")
        for turn in range(rounds):
            for name in names if turn % 2 else names[::-1]:
                if sweep is not None:
                    sweep.zero_()
                self.row.memory.reset(self.changed)
                with proton.scope(name):
                    self.launches[name]()
        self.synchronize()
        proton.finalize(session)
        with open(path + ".chrome_trace", encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        found = {name: {} for name in names}
        for event in events:
            if event.get("cat") == "kernel" and len(event["args"]["call_stack"]) > 2:
                of = found.get(event["args"]["call_stack"][1])
                if of is not None:
                    of[event["args"]["launch"]] = of.get(event["args"]["launch"], 0) + event["dur"]
        return {name: [round(one, 3) for _, one in sorted(by_launch.items())] for name, by_launch in found.items()}

    def refuses(self, name, record, expected):
        """Why a change is none; empty: it gives what the launch gave."""
        try:
            if record["grid"] != self.record["grid"] or record["arguments"] != self.record["arguments"]:
                checked = cures.copy.copy(record)
                checked["options"] = {**record["options"], "sanitize": "bounds"}
                self.run(self.make(name, checked))
            got = self.run(self.make(name, record))
        except Exception as error:  # noqa: BLE001 - whatever a kernel raises
            return f"{type(error).__name__}: {str(error).strip()}"[:200]
        self.row.memory.reset()
        untouched = self.row.views()
        for number in sorted(set(expected) | set(got)):
            left, right = got.get(number, untouched[number]), expected.get(number, untouched[number])
            worst = self.replay.difference(left, right)
            if worst > self.replay.TOLERANCE.get(left.dtype, 6e-2 if left.is_floating_point() else 0):
                return f"other results: {worst:.2g} apart"
        return ""

    def whole(self):
        expected = self.run(self.make("as it is", self.record))
        self.changed = self.row.memory.changed()
        said, facts = self.profile()
        wanted = {}  # name -> (record, rule)
        for finding in said:
            for name, record in cures.changes(self.record, finding.rule):
                wanted.setdefault(name, (record, finding.rule))
        for text in self.options.tries:
            wanted.setdefault(text, (cures.given(self.record, text), "given"))
        tried, fitting, ends = {}, ["as it is"], time.perf_counter() + self.options.record_s
        for name, (record, _) in wanted.items():
            why = "no time was left" if time.perf_counter() > ends else self.refuses(name, record, expected)
            if why:
                tried[name] = why
                self.launches.pop(name, None)
            else:
                fitting.append(name)
        first = self.times(fitting, 9)
        medians = {name: statistics.median(samples) for name, samples in first.items() if samples}
        tried.update({name: round(us, 3) for name, us in medians.items() if name != "as it is"})
        best = min(medians, key=medians.get)
        last = self.times(list(dict.fromkeys(["as it is", best])), 25)
        gain = statistics.median(last["as it is"]) / statistics.median(last[best])
        if gain < LEAST_GAIN:
            best, gain = "as it is", 1.0
        return {"kernel": self.record["kernel"], "id": self.record["id"], "as it is": last["as it is"], "cured": last[best] if best != "as it is" else [],
                "facts": {**facts, "grid": self.record["grid"], "options": self.record["options"], "gain": round(gain, 3),
                          "cure": best if best != "as it is" else None, "rule": wanted[best][1] if best in wanted else None, "tried": tried,
                          "findings": [dataclasses.asdict(one) for one in said]}}


def work(options):
    """A worker: names of records come in, a line for each goes out."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what kernels print is no result
    import terrazzo
    import torch
    from terrazzo.profiler import peaks

    options.peak_bytes = options.peak_bytes or peaks.bytes_per_second()
    out.write(json.dumps({"ready": options.peak_bytes, "version": terrazzo.__version__}) + "\n")
    for line in sys.stdin:
        try:
            found = Diagnosis(line.strip(), options).whole()
        except Exception as error:  # noqa: BLE001
            found = {"failed": f"{type(error).__name__}: {str(error).strip()}"[:300]}
        out.write(json.dumps(found) + "\n")
        if options.device == "cuda":
            torch.cuda.synchronize()  # after a fault this ends the worker
            torch.cuda.empty_cache()


class Worker:
    def __init__(self, peak_bytes):
        more = ["--peak-bytes", str(peak_bytes)] if peak_bytes else []
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--work", *more], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)

    def read(self, seconds):
        """A line as an object; None: there is none in time, or the process has ended."""
        line = self.process.stdout.readline() if self.selector.select(max(seconds, 0)) else ""
        return json.loads(line) if line.strip() else None

    def ask(self, path, seconds):
        try:
            self.process.stdin.write(os.path.abspath(path) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        return self.read(seconds)

    def end(self):
        self.process.kill()
        self.process.wait()


def tell(name, found):
    print(f"\n{name}: {found['facts']['us']} us a launch, {found['facts']['samples']} samples")
    for one in found["facts"]["findings"]:
        print(f"  {one['rule']} ({100 * one['share']:.0f} %): {one['evidence']}\n    cure: {one['cure']}")
    for change, how in found["facts"]["tried"].items():
        print(f"  tried {change}: {how if isinstance(how, str) else f'{how} us'}")
    before = statistics.median(found["as it is"])
    after = f"{found['facts']['cure']} ({found['facts']['rule']}): {before:.2f} -> {statistics.median(found['cured']):.2f} us" if found["cured"] else "none"
    print(f"  gain: {after}, {found['facts']['gain']:.2f} x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="+", metavar="RECORD.json")
    parser.add_argument("--output", metavar="FILE.json")
    parser.add_argument("--try", dest="tries", action="append", default=[], metavar="NAME=VALUE,...", help="a change for all records; again for more")
    parser.add_argument("--seconds", type=float, default=180, help="of all (default 180)")
    parser.add_argument("--record-s", type=float, default=4, help="after which no more changes of a launch are begun (default 4)")
    parser.add_argument("--sampled-s", type=float, default=0.3, help="for which a launch is sampled (default 0.3)")
    parser.add_argument("--interval", type=int, default=16384, help="cycles between two samples of a core")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--peak-bytes", type=float, help="bytes a second of the device's memory (default: measured)")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options)
    ends, worker, document, rows = time.monotonic() + options.seconds, None, None, 0
    peak = options.peak_bytes
    for path in options.records:
        name = os.path.join(os.path.basename(os.path.dirname(os.path.abspath(path))), os.path.basename(path).removesuffix(".json"))
        if time.monotonic() > ends - 5:
            print(f"{name}: no time was left")
            continue
        if worker is None:
            worker = Worker(peak)
            ready = worker.read(60)
            if ready is None:
                print("the worker did not start", file=sys.stderr)
                worker.end()
                return 1
            peak = ready["ready"]
            if document is None:
                facts = None
                if options.device == "cuda":
                    import torch

                    facts = results.machine(torch.cuda.get_device_name(), results.driver())
                document = results.Results("Diagnosis: kernels that others wrote, and what the cures that tz analyze names give",
                                           {"as it is": ready["version"], "cured": "the change that was the quickest"}, facts)
                print(f"{peak / 1e9:.0f} GB/s of this device's memory")
        found = worker.ask(path, min(60, ends - time.monotonic()))
        if found is None or "failed" in found:
            print(f"{name}: {found['failed'] if found else 'its process ended, or took too long'}", flush=True)
            worker.end()
            worker = None
            continue
        tell(name, found)
        rows += 1
        document.row(name, "us", {"as it is": found["as it is"], "cured": found["cured"]}, facts=found["facts"])
    if worker:
        worker.end()
    if document is None or not rows:
        return 1
    if options.output:
        document.write(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
