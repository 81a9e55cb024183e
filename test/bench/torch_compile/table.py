"""torch.compile by Triton and by Terrazzo: is it right, the cold first call, a step.

    python table.py --device cuda --output table.json
    python table.py --device cpu --families bert,resnet50 --what inference --output table.json
    python table.py --check --jobs 10 --peers terrazzo --dynamic --output right.json

Each row is a family of models (models.py), inference or training, and a mode of
torch.compile. Each compiler runs it in a process of its own, with empty caches:
the first call is timed alone on the machine, then steps of both take turns. A
result is compared with the same model in fp64 without a compiler; errors.py states
the tolerances. Random weights are made from configurations: nothing is downloaded.

--takes N does each row N times in new processes: one first call varies by a
fifth, and steps vary from process to process. The second takes begin when all
rows have their first. --ahead N prepares the processes of N rows together,
before the first of them is timed; the others wait while one is timed.
--steps-alone times no first calls, and makes those of --ahead rows together.
--check times nothing: it compares results, --jobs rows at a time. --rows names
rows as a file of results has them.

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
    """One row: its takes, and what they found."""

    def __init__(self, row, options):
        self.row, self.options = row, options
        self.failed, self.facts = {}, {peer: {} for peer in options.peers}
        self.cold, self.steps = {}, {peer: [] for peer in options.peers}
        self.takes = 0
        self.end = time.monotonic() + 1e9
        self.processes = {}

    def start(self):
        """Lets new workers import and build."""
        self.processes = {peer: Process(self.row, peer, self.options) for peer in self.options.peers if peer not in self.failed}
        for process in self.processes.values():
            process.tell("prepare")
            if self.options.steps_alone:
                process.tell("cold")
        self.end = time.monotonic() + self.options.row_seconds

    def prepared(self):
        """Waits for that."""
        for peer in self.options.peers:
            self.facts[peer].update(self._try(peer, lambda p: p.hear("prepare", self.left())) or {})
            if self.options.steps_alone:
                self._try(peer, lambda p: p.hear("cold", self.left()))

    def _try(self, peer, function):
        if peer in self.failed:
            return None
        try:
            return function(self.processes[peer])
        except Failure as failure:
            self.failed[peer] = str(failure)
            return None

    def _cold(self):
        # What comes first finds another machine than what comes second: they take turns.
        for peer in self.options.peers if self.options.turn % 2 == 0 else self.options.peers[::-1]:
            answer = self._try(peer, lambda p: p.ask("cold", self.left()))
            if answer:
                self.cold.setdefault(peer, []).append(answer["seconds"])
                self.facts[peer].setdefault("phases", answer["phases"])
        self.options.turn += 1

    def _step(self):
        """Some steps of each peer, in turns; both of a pair on one core, since cores differ where others use the machine too."""
        cores = sorted(os.sched_getaffinity(0))
        # As many of each peer: the first steps after the other's turn are slow, and weigh more in a short sample.
        paces = [self._try(peer, lambda p: p.ask("pace", self.left())) for peer in self.options.peers]
        together = max((pace["count"] for pace in paces if pace), default=1)
        stop, count = time.monotonic() + self.options.step_seconds, 0
        while count < self.options.steps and self.left() > 0 and len(self.failed) < len(self.options.peers):
            core = None if self.options.device == "cpu" else cores[count % len(cores)]
            for peer in self.options.peers:
                answer = self._try(peer, lambda p: p.ask("steps", self.left(), count=together, core=core))
                if answer:
                    self.steps[peer].append(answer["seconds"])
            count += 1
            if time.monotonic() > stop and count >= 30:
                break

    def check(self):
        """Only whether it is right."""
        self.start()
        self.prepared()
        for peer in self.options.peers:
            for do in ("cold", "check"):
                answer = self._try(peer, lambda p: p.ask(do, self.left()))
                if answer and do != "cold":
                    self.facts[peer].update(answer)
        self.finish()
        return self

    def left(self):
        return self.end - time.monotonic()

    def take(self):
        """First calls, results, steps of the workers that are prepared."""
        self.takes += 1
        self.end = time.monotonic() + self.options.row_seconds
        if not self.options.steps_alone:
            self._cold()
        for peer in self.options.peers:
            self.facts[peer].update(self._try(peer, lambda p: p.ask("check", self.left())) or {})
        self._step()
        if self.options.profile and self.takes == 1:
            for peer in self.options.peers:
                self.facts[peer].update(self._try(peer, lambda p: p.ask("profile", self.left())) or {})
        self.finish()

    def finish(self):
        for process in self.processes.values():
            process.end(self.options.logs)
        self.processes = {}

    def write(self, document):
        name = self.row["name"]
        if self.options.check:
            shares = {peer: [facts["off"] / facts["allowed"]] for peer, facts in self.facts.items() if "off" in facts}
            document.row(f"{name}: error", "of the allowed", shares, failed=self.failed, facts=self.facts)
            return
        if not self.options.steps_alone:
            document.row(f"{name}: cold first call", "s", self.cold, failed=self.failed, facts=self.facts)
        document.row(f"{name}: step", "s", self.steps, failed=self.failed, facts=self.facts if self.options.steps_alone else None)

    def line(self):
        text = []
        for peer in self.options.peers:
            if peer in self.failed:
                text.append(f"{peer} FAILED {self.failed[peer][:300]}")
            elif self.options.check:
                text.append(f"{peer} right ({self.facts[peer]['off'] / self.facts[peer]['allowed']:.2f} of the allowed error)")
            else:
                cold = [f"{statistics.median(self.cold[peer]):.2f} s"] if peer in self.cold else []
                step = [f"{statistics.median(self.steps[peer]) * 1e3:.3f} ms"] if self.steps[peer] else []
                text.append(f"{peer} {', '.join(cold + step)}")
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
    return [row for row in made if not options.rows or row["name"] in options.rows]


def words(text):
    return text.split(",")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--families", type=words, default=list(models.FAMILIES), help="of models.py, with commas")
    parser.add_argument("--what", type=words, default=["inference", "training"])
    parser.add_argument("--modes", type=words, default=list(MODES))
    parser.add_argument("--dynamic", action="store_true", help="also rows of dynamic shapes")
    parser.add_argument("--rows", type=words, help="these alone, 'gpt2 inference default', with commas")
    parser.add_argument("--peers", type=words, help="triton,terrazzo or inductor-cpp,terrazzo")
    parser.add_argument("--steps", type=int, default=30, help="samples of a step, of each peer and take")
    parser.add_argument("--step-seconds", type=float, default=20, help="after which 30 samples are enough")
    parser.add_argument("--row-seconds", type=float, default=300, help="limit of a take of a row")
    parser.add_argument("--seconds", type=float, default=1e9, help="no row and no take begins after that")
    parser.add_argument("--takes", type=int, default=1, help="first calls of each peer, in as many processes")
    parser.add_argument("--ahead", type=int, default=1, help="rows that are prepared together")
    parser.add_argument("--check", action="store_true", help="compare results, time nothing")
    parser.add_argument("--steps-alone", action="store_true", help="steps; first calls are not timed, so many can run at once")
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
    if min(options.steps, options.takes, options.jobs, options.ahead) < 1:
        parser.error("--steps, --takes, --jobs and --ahead are at least 1")
    if options.jobs > 1 and not options.check:
        parser.error("--jobs is for --check: rows that are timed have the machine alone")
    options.families = [family for family in options.families if models.FAMILIES[family].is_there()]
    if options.rows:
        known = [row["name"] for row in rows(argparse.Namespace(**{**vars(options), "rows": None, "dynamic": True}))]
        for name in options.rows:
            if name not in known:
                parser.error(f"there is no row {name!r} of these families: {', '.join(known[:4])} ...")
        options.dynamic = True
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
    what = "results of models beside those without a compiler" if options.check else "the cold first call and a step of models"
    document = results.Results(f"torch.compile: {what}", versions(options), results.machine(**facts_of_device(options)))
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
    start = time.monotonic()
    every = [Row(row, options) for row in todo]
    work = [row for _ in range(options.takes) for row in every]
    taken = 0
    while taken < len(work) and time.monotonic() - start <= options.seconds:
        batch = work[taken:taken + min(options.ahead, len(every))]  # each row once
        try:
            for row in batch:
                row.start()
            for row in batch:
                row.prepared()
            for row in batch:
                if time.monotonic() - start > options.seconds:
                    break
                row.take()
                taken += 1
                document.document["rows"] = []
                for done in every:
                    if done.takes:
                        done.write(document)
                document.write(options.output)
                print(f"[{taken}/{len(work)} {time.monotonic() - start:.0f} s] {row.line()}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            break
        finally:
            for row in batch:
                row.finish()
    if taken < len(work):
        print(f"table.py: {len(work) - taken} takes were left out, the time is over", file=sys.stderr)
    return sum("terrazzo" in row.failed for row in every)


if __name__ == "__main__":
    sys.exit(main())
