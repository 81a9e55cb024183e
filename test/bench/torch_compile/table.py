"""torch.compile by Triton and by Terrazzo: is it right, the cold first call, a step.

    python table.py --device cuda --output table.json
    python table.py --device cpu --families bert,resnet50 --what inference --output table.json
    python table.py --check --jobs 10 --peers terrazzo --dynamic --output right.json

Each row is a family of models (models.py), inference or training, and a mode of
torch.compile. Each compiler runs it in a process of its own, with empty caches:
the first call is timed alone on the machine, then steps of both take turns. A
result is compared with the same model without a compiler; worker.py states the
tolerances. Random weights are made from configurations: nothing is downloaded.

--takes N times the first call in N processes of each compiler, in turns: one
first call varies by a fifth. --check times nothing: it compares results, --jobs
rows at a time.

On a GPU the peers are Triton and Terrazzo. On the CPU they are Inductor's own
C++ and Terrazzo. A row that fails, crashes or takes too long says so in the
results, and the next one runs. Written after each row: JSON by
test/bench/results/schema.json. Exit status 1 if a row failed with Terrazzo.
"""

import argparse
import concurrent.futures
import json
import os
import queue
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "results")]

import models  # noqa: E402
import results  # noqa: E402

MODES = ("default", "reduce-overhead", "max-autotune")


class Failure(Exception):
    """Of a worker: what a person is told."""


class Process:
    """A worker, asked from here."""

    def __init__(self, row, peer, options):
        self.row, self.peer = dict(row, peer=peer, device=options.device), peer
        self.folder = tempfile.mkdtemp(prefix="torch-compile-")
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8", errors="replace")
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": os.path.join(self.folder, "inductor"),
                       "TRITON_CACHE_DIR": os.path.join(self.folder, "triton"),
                       "TERRAZZO_CACHE_DIR": os.path.join(self.folder, "terrazzo"), "TOKENIZERS_PARALLELISM": "false"}
        self.process = subprocess.Popen([sys.executable, os.path.join(HERE, "worker.py")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True, env=environment,
                                        start_new_session=True)
        self.answers = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.isFirst = True

    def _read(self):
        for line in self.process.stdout:
            self.answers.put(line)
        self.answers.put(None)

    def tell(self, do, **more):
        request = {"do": do, **more, **({"row": self.row} if self.isFirst else {})}
        self.isFirst = False
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # the answer says it

    def hear(self, what, seconds):
        try:
            line = self.answers.get(timeout=max(seconds, 0.1))
        except queue.Empty:
            raise Failure(f"{what}: took longer than {seconds:.0f} s") from None
        if line is None:
            raise Failure(f"{what}: ended with status {self.process.wait()}: {self._last_words()}")
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(f"{what}: {answer['error']}")
        return answer

    def ask(self, do, seconds, **more):
        self.tell(do, **more)
        return self.hear(do, seconds)

    def _last_words(self):
        self.log.seek(0)
        return " / ".join(line.strip() for line in self.log.read().splitlines()[-6:])[-600:] or "it said nothing"

    def end(self, log_folder=None):
        """Kills it with what it started; keeps its log."""
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.log.close()
        if log_folder:
            name = f"{self.row['name']}-{self.peer}.log".replace(" ", "-")
            shutil.copyfile(os.path.join(self.folder, "log"), os.path.join(log_folder, name))
        shutil.rmtree(self.folder, ignore_errors=True)


class Row:
    """One row while it runs."""

    def __init__(self, row, options):
        self.row, self.options = row, options
        self.failed, self.facts = {}, {peer: {} for peer in options.peers}
        self.cold, self.steps = {}, {peer: [] for peer in options.peers}
        self.end = time.monotonic() + 1e9
        self.processes = {}
        # What comes first finds another machine than what comes second: they take turns.
        self.order = options.peers if options.turn % 2 == 0 else options.peers[::-1]
        options.turn += 1

    def start(self):
        """Lets the workers import and build; the row's time begins with run()."""
        self.processes = {peer: Process(self.row, peer, self.options) for peer in self.options.peers}
        for process in self.processes.values():
            process.tell("prepare")

    def _try(self, peer, function):
        if peer in self.failed:
            return None
        try:
            return function(self.processes[peer])
        except Failure as failure:
            self.failed[peer] = str(failure)
            return None

    def _colds(self, order, processes):
        for peer in order:
            answer = self._try(peer, lambda _: processes[peer].ask("cold", self.left()))
            if answer:
                self.cold.setdefault(peer, []).append(answer["seconds"])
                self.facts[peer].setdefault("phases", answer["phases"])

    def check(self):
        """Only whether it is right."""
        self.start()
        self.end = time.monotonic() + self.options.row_seconds
        for peer in self.options.peers:
            for do in ("prepare", "cold", "check"):
                answer = self._try(peer, lambda p: p.hear(do, self.left()) if do == "prepare" else p.ask(do, self.left()))
                if answer and do != "cold":
                    self.facts[peer].update(answer)
        self.finish()
        return self

    def left(self):
        return self.end - time.monotonic()

    def run(self, when_cold_is_over):
        """when_cold_is_over: called when the machine need not be idle any more."""
        self.end = time.monotonic() + self.options.row_seconds
        for peer in self.options.peers:
            self.facts[peer].update(self._try(peer, lambda p: p.hear("prepare", self.left())) or {})
        self._colds(self.order, self.processes)
        for take in range(1, self.options.takes):
            again = {peer: Process(self.row, peer, self.options) for peer in self.options.peers if peer not in self.failed}
            for process in again.values():
                process.tell("prepare")
            for peer, process in again.items():
                self._try(peer, lambda _: process.hear("prepare", self.left()))
            self._colds(self.order[::-1] if take % 2 else self.order, again)
            for process in again.values():
                process.end()
        when_cold_is_over()
        for peer in self.options.peers:
            self.facts[peer].update(self._try(peer, lambda p: p.ask("check", self.left())) or {})
        stop = time.monotonic() + self.options.step_seconds
        while len(self.steps[self.options.peers[0]]) < self.options.steps and self.left() > 0:
            for peer in self.options.peers:
                answer = self._try(peer, lambda p: p.ask("steps", self.left()))
                if answer:
                    self.steps[peer].append(answer["seconds"])
            if len(self.failed) == len(self.options.peers) or (time.monotonic() > stop and min(map(len, self.steps.values())) >= 30):
                break
        if self.options.profile:
            for peer in self.options.peers:
                self.facts[peer].update(self._try(peer, lambda p: p.ask("profile", self.left())) or {})
        self.finish()

    def finish(self):
        for process in self.processes.values():
            process.end(self.options.logs)

    def write(self, document):
        name = self.row["name"]
        if self.options.check:
            shares = {peer: [facts["off"] / facts["allowed"]] for peer, facts in self.facts.items() if "off" in facts}
            document.row(f"{name}: error", "of the allowed", shares, failed=self.failed, facts=self.facts)
            return
        document.row(f"{name}: cold first call", "s", self.cold, failed=self.failed, facts=self.facts)
        document.row(f"{name}: step", "s", self.steps, failed=self.failed)

    def line(self):
        text = []
        for peer in self.options.peers:
            if peer in self.failed:
                text.append(f"{peer} FAILED {self.failed[peer][:300]}")
            elif self.options.check:
                text.append(f"{peer} right ({self.facts[peer]['off'] / self.facts[peer]['allowed']:.2f} of the allowed error)")
            else:
                cold = statistics.median(self.cold[peer])
                text.append(f"{peer} {cold:.2f} s, {statistics.median(self.steps[peer]) * 1e3:.3f} ms"
                            if self.steps[peer] else f"{peer} {cold:.2f} s")
        return f"{self.row['name']}: " + "; ".join(text)


def rows(options):
    """In the order of importance, so that a run which is cut off has most of what counts."""
    made = []
    for mode in options.modes:
        for what in options.what:
            for family in options.families:
                made.append({"family": family, "what": what, "mode": mode, "dynamic": False, "name": f"{family} {what} {mode}"})
    if options.dynamic:
        for family in options.families:
            made.append({"family": family, "what": "inference", "mode": "default", "dynamic": True,
                         "name": f"{family} inference dynamic"})
    return made


def words(text):
    return text.split(",")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--families", type=words, default=list(models.FAMILIES), help="of models.py, with commas")
    parser.add_argument("--what", type=words, default=["inference", "training"])
    parser.add_argument("--modes", type=words, default=list(MODES))
    parser.add_argument("--dynamic", action="store_true", help="also rows of dynamic shapes")
    parser.add_argument("--peers", type=words, help="triton,terrazzo or inductor-cpp,terrazzo")
    parser.add_argument("--steps", type=int, default=30, help="samples of a step, of each peer")
    parser.add_argument("--step-seconds", type=float, default=20, help="after which 30 samples are enough")
    parser.add_argument("--row-seconds", type=float, default=300, help="limit of a row")
    parser.add_argument("--seconds", type=float, default=1e9, help="no row begins after that")
    parser.add_argument("--takes", type=int, default=1, help="first calls of each peer, in as many processes")
    parser.add_argument("--check", action="store_true", help="compare results, time nothing")
    parser.add_argument("--jobs", type=int, default=1, help="rows at a time, with --check")
    parser.add_argument("--profile", action="store_true", help="also what each kernel of a step takes")
    parser.add_argument("--output", required=True, metavar="FILE.json")
    parser.add_argument("--logs", metavar="FOLDER", help="what the processes say goes there")
    options = parser.parse_args()
    options.turn = 0
    options.peers = options.peers or (["triton", "terrazzo"] if options.device == "cuda" else ["inductor-cpp", "terrazzo"])
    for given, known in ((options.families, models.FAMILIES), (options.what, ("inference", "training")), (options.modes, MODES),
                         (options.peers, ("triton", "terrazzo", "inductor-cpp"))):
        for word in given:
            if word not in known:
                parser.error(f"there is no {word!r}: {', '.join(known)}")
    if min(options.steps, options.takes, options.jobs) < 1:
        parser.error("--steps, --takes and --jobs are at least 1")
    if options.jobs > 1 and not options.check:
        parser.error("--jobs is for --check: rows that are timed have the machine alone")
    options.families = [family for family in options.families if models.FAMILIES[family].is_there()]
    if options.logs:
        os.makedirs(options.logs, exist_ok=True)
    return options


def facts_of_device(options):
    """Name and driver, asked in a process of its own."""
    if options.device == "cpu":
        return {}
    program = "import torch; print(torch.cuda.get_device_name(0))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"table.py: torch has no GPU here: {done.stderr.strip().splitlines()[-1:]}")
    driver = subprocess.run("nvidia-smi --query-gpu=driver_version --format=csv,noheader", shell=True, capture_output=True, text=True)
    return {"device": done.stdout.strip(), "driver": driver.stdout.strip() or "unknown"}


def versions(options):
    import importlib.metadata as metadata

    found = {}
    for peer in options.peers:
        try:
            found[peer] = metadata.version({"inductor-cpp": "torch"}.get(peer, peer))
        except metadata.PackageNotFoundError:
            sys.exit(f"table.py: {peer} is not installed")
    return found


def summary(document):
    """Geometric means over rows, by what was measured."""
    one, other = [peer["name"] for peer in document["peers"]][::-1][:2]
    for kind in ("cold first call", "step"):
        found = {row["name"]: results.ratio(row, one, other) for row in document["rows"] if row["name"].endswith(kind)}
        known = {name: value for name, value in found.items() if value}
        if known:
            worst = max(known, key=known.get)
            print(f"{kind}: {one} / {other}, geometric mean of {len(known)} rows {results.geometric_mean(known.values()):.3f}, "
                  f"the most {known[worst]:.3f} ({worst.split(':')[0]})")


def main():
    options = arguments()
    document = results.Results("torch.compile: the cold first call and a step of models", versions(options),
                               results.machine(**facts_of_device(options)))
    todo = rows(options)
    failures = checked(todo, options, document) if options.check else timed(todo, options, document)
    if document.document["rows"]:
        print(results.table(document.document))
        if len(options.peers) == 2 and not options.check:
            summary(document.document)
    return 1 if failures else 0


def checked(todo, options, document):
    """The number of rows that fail with Terrazzo."""
    start, failures, done = time.monotonic(), 0, 0

    def check(row):
        if time.monotonic() - start <= options.seconds:
            return Row(row, options).check()

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for work in concurrent.futures.as_completed([pool.submit(check, row) for row in todo]):
            row = work.result()
            if row is None:
                continue
            row.write(document)
            document.write(options.output)
            done += 1
            failures += "terrazzo" in row.failed
            print(f"[{done}/{len(todo)} {time.monotonic() - start:.0f} s] {row.line()}", file=sys.stderr, flush=True)
    if done < len(todo):
        print(f"table.py: {len(todo) - done} rows were left out, the time is over", file=sys.stderr)
    return failures


def timed(todo, options, document):
    """The number of rows that fail with Terrazzo."""
    start, failures, ahead = time.monotonic(), 0, None
    for i, row in enumerate(todo):
        if time.monotonic() - start > options.seconds:
            print(f"table.py: {len(todo) - i} rows were left out, the time is over", file=sys.stderr)
            break
        now = ahead or Row(row, options)
        if not ahead:
            now.start()
        ahead = None

        def begin_next():
            nonlocal ahead
            if i + 1 < len(todo) and time.monotonic() - start <= options.seconds:
                ahead = Row(todo[i + 1], options)
                ahead.start()

        try:
            now.run(begin_next)
        except KeyboardInterrupt:
            now.finish()
            break
        now.write(document)
        document.write(options.output)
        failures += "terrazzo" in now.failed
        print(f"[{i + 1}/{len(todo)} {time.monotonic() - start:.0f} s] {now.line()}", file=sys.stderr, flush=True)
    if ahead:
        ahead.finish()
    return failures


if __name__ == "__main__":
    sys.exit(main())
