"""Records inside of kernels: triton.profiler with backend="instrumentation"."""

import json
import re
import os
import subprocess
import sys

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton
import terrazzo.triton.profiler.language as pl
from profiles import children, ones_and_zeros, tree

PROGRAMS, BLOCK = 4, 256


@terrazzo.jit
def work(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    with pl.scope("load"):
        v = tl.load(x + at)
    pl.enter_scope("compute")
    for _ in range(n):
        with tl.profile.scope("turn"):
            v = v * 0.5 + 0.25
    pl.exit_scope("compute")
    with pl.scope("store"):
        tl.store(y + at, v)


@terrazzo.jit
def product(a, b, c, N: tl.constexpr):
    at = tl.arange(0, N)
    offsets = at[:, None] * N + at[None, :]
    tl.store(c + offsets, tl.dot(tl.load(a + offsets), tl.load(b + offsets), input_precision="ieee"))


def run(n=3):
    x, y = ones_and_zeros(PROGRAMS * BLOCK)
    work[(PROGRAMS,)](x, y, n, BLOCK=BLOCK)
    expected = np.ones(1, np.float32)
    for _ in range(n):
        expected = expected * np.float32(0.5) + np.float32(0.25)
    assert (y == expected).all()


def unit(metrics):
    return "steps" if "steps" in metrics else "cycles"


def warps(metrics):
    """How many recorded one program; a processor's core is one."""
    assert metrics["visits"] % PROGRAMS == 0
    return metrics["visits"] // PROGRAMS


def test_tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    proton.start("run", backend="instrumentation", hook="triton")
    with proton.scope("forward"):
        run(n=3)
    proton.finalize()
    kernel = children(children(tree(tmp_path / "run.hatchet"))["forward"])["work"]
    assert kernel["metrics"]["count"] == 1 and kernel["metrics"]["time (ns)"] > 0
    parts = children(kernel)
    assert list(parts) == ["load", "compute", "store"]
    turn = children(parts["compute"])["turn"]
    clock = unit(turn["metrics"])
    each = warps(parts["load"]["metrics"])
    assert turn["metrics"]["visits"] == 3 * PROGRAMS * each
    assert 0 < turn["metrics"][clock] < parts["compute"]["metrics"][clock]
    mean = parts["compute"]["metrics"][clock] / (PROGRAMS * each)
    assert parts["compute"]["metrics"]["normalized_" + clock] == pytest.approx(mean)


def test_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    proton.start("run", data="trace", backend="instrumentation", events="all")
    run(n=2)
    proton.finalize()
    trace = json.loads((tmp_path / "run.chrome_trace").read_text())["traceEvents"]
    (kernel,) = [event for event in trace if event.get("cat") == "kernel"]
    parts = [event for event in trace if event.get("cat") == "part"]
    names = {event["tid"]: event["args"]["name"] for event in trace if event["name"] == "thread_name"}
    rows = {}
    for event in parts:
        rows.setdefault(names[event["tid"]], []).append(event)
    assert {f"program ({i}, 0, 0) warp 0" for i in range(PROGRAMS)} <= set(rows)
    for row in rows.values():
        row.sort(key=lambda event: (event["ts"], -event["dur"]))
        assert [event["name"] for event in row] == ["load", "compute", "turn", "turn", "store"]
        load, compute, first, second, store = row
        ends = [event["ts"] + event["dur"] for event in row]
        slack = 0.002  # us: times are told in ns
        assert ends[0] <= compute["ts"] + slack and compute["ts"] <= first["ts"] + slack and ends[2] <= second["ts"] + slack
        assert ends[3] <= ends[1] + slack and ends[1] <= store["ts"] + slack
        assert kernel["ts"] <= load["ts"] + slack
        assert all(event["args"]["launch"] == kernel["args"]["launch"] and event["pid"] == kernel["pid"] for event in row)


def test_a_trace_of_parts(tmp_path, monkeypatch):
    """Of kernels that record their parts these alone: a process for each program, a row for each warp and depth."""
    monkeypatch.chdir(tmp_path)
    proton.start("run", data="trace", backend="instrumentation")
    with proton.scope("step"):
        run(n=2)
    proton.finalize()
    events = json.loads((tmp_path / "run.chrome_trace").read_text())["traceEvents"]
    kernel = events[0]["args"]["call_stack"][-1]
    assert {tuple(event["args"]["call_stack"]) for event in events} == {("ROOT", "step", kernel)}
    assert {event["cat"] for event in events} == {kernel}
    assert [event["ts"] for event in events] == sorted(event["ts"] for event in events)
    rows = {}
    for event in events:
        place = re.fullmatch(rf"{kernel}(?: Core\d+)? CTA(\d+)", event["pid"])
        warp, line = re.fullmatch(r"warp (\d+) \(line (\d)\)", event["tid"]).groups()
        assert {"load": "0", "compute": "0", "turn": "1", "store": "0"}[event["name"]] == line
        rows.setdefault((int(place[1]), int(warp)), []).append(event["name"])
    assert {program for program, _ in rows} == set(range(PROGRAMS))
    assert all(names == ["load", "compute", "turn", "turn", "store"] for names in rows.values())


def test_nothing_without_it(tmp_path, monkeypatch):
    """Kernels go back to what they were when the session ends, also those that were launched before and inside of it."""
    monkeypatch.chdir(tmp_path)
    run()
    inside = proton.start("inside", backend="instrumentation")
    run()
    proton.finalize(inside)
    proton.start("behind")
    run()
    proton.finalize()
    assert children(children(tree(tmp_path / "inside.hatchet"))["work"])
    assert not children(tree(tmp_path / "behind.hatchet"))["work"]["children"]


def test_loops_and_operations(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    proton.start("run", backend="instrumentation", mode="default:parts=loops,operations")
    run()
    proton.finalize()
    parts = children(children(tree(tmp_path / "run.hatchet"))["work"])
    line = work.fn.__code__.co_firstlineno
    assert set(parts) == {f"load@{line + 4}", f"for@{line + 6}", f"store@{line + 11}"}


def test_dots(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a = np.eye(16, dtype=np.float32)
    proton.start("run", backend="instrumentation", mode=proton.mode.MMA())
    c = np.zeros_like(a)
    product[(1,)](a, a, c, N=16)
    proton.finalize()
    assert (c == a).all()
    parts = children(children(tree(tmp_path / "run.hatchet"))["product"])
    assert list(parts) == [f"dot@{product.fn.__code__.co_firstlineno + 4}"]


def test_work_is_where_it_stands(tmp_path, monkeypatch):
    """A target that computes a value where it is used must compute it in the part that makes it."""
    monkeypatch.chdir(tmp_path)

    @terrazzo.jit
    def kernel(x, y, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        v = tl.load(x + at)
        with pl.scope("much"):
            for _ in tl.static_range(20):
                v = tl.exp(v * 0.125)
        with pl.scope("little"):
            tl.store(y + at, v)

    x, y = ones_and_zeros(4096)
    kernel[(1,)](x, y, BLOCK=4096)
    proton.start("run", backend="instrumentation")
    for _ in range(5):
        kernel[(1,)](x, y, BLOCK=4096)
    proton.finalize()
    parts = children(children(tree(tmp_path / "run.hatchet"))["kernel"])
    clock = unit(parts["much"]["metrics"])
    assert parts["much"]["metrics"][clock] > 3 * parts["little"]["metrics"][clock]


def test_more_events_than_a_program_keeps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    proton.start("run", backend="instrumentation")
    run(n=9_000)
    with pytest.warns(RuntimeWarning, match="events of parts are missing: a program keeps its newest"):
        proton.finalize()
    parts = children(children(tree(tmp_path / "run.hatchet"))["work"])
    assert "load" not in parts and "store" in parts  # the oldest are forgotten


def test_modes():
    mode = proton.mode.Default(granularity="warp", buffer_size=1024, optimizations="time_shift,clock32")
    assert str(mode).startswith("default:metric_type=cycle:sampling_strategy=none:")
    assert mode.optimizations == [proton.mode.Optimize.TIMESHIFT, proton.mode.Optimize.CLOCK32]
    with pytest.raises(ValueError, match="Unknown granularity: thread"):
        proton.mode.Default(granularity="thread")
    for wrong, said in (("other", "Unknown mode: other"), ("default:size=1", "default has no setting 'size'"),
                        ("default:buffer_size", "'buffer_size' is no setting"), ("default:parts=lines", "Unknown part: lines")):
        with pytest.raises(ValueError, match=said):
            proton.start("unused", backend="instrumentation", mode=wrong)
    assert str(proton.mode.PCSampling()) == "pcsampling:interval=65536", "a driver must keep up with a program of any length"
    with pytest.raises(ValueError, match="Interval must be a positive integer"):
        proton.mode.PCSampling(interval=0)
    pl.enable_semantic("triton")
    with pytest.raises(ValueError, match="'c' is no language of kernels"):
        pl.enable_semantic("c")


def test_options_of_a_launch():
    """The option says it for one launch; a wrong name is said before anything is compiled."""
    x = np.ones(BLOCK, np.float32)
    with pytest.raises(terrazzo.TerrazzoError, match="records: there is no part 'loop'; did you mean 'loops'"):
        work[(1,)](x, x, 1, BLOCK=BLOCK, records="loop")
    work[(1,)](x, x, 1, BLOCK=BLOCK, records="loops, scopes")


SCRIPT = """
import numpy as np
import triton
import triton.language as tl
import triton.profiler.language as pl

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    with pl.scope("body"):
        tl.store(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1.0)

fill[(2,)](np.zeros(32, np.float32), BLOCK=16)
"""


def test_command(tmp_path):
    """A script that knows nothing of the profiler, and a mode that there is not."""
    (tmp_path / "script.py").write_text(SCRIPT)

    def profile(mode, **variables):
        return subprocess.run([sys.executable, "-c", "import sys; from terrazzo.tools.tz_command import main; sys.exit(main())", "profile",
                               "-n", "run", "-b", "instrumentation", "-m", mode, "script.py"], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, **variables})

    wrong = profile("other")
    assert wrong.returncode == 2 and "Unknown mode: other" in wrong.stderr and not (tmp_path / "run.hatchet").exists()
    done = profile("default:parts=scopes,operations")
    assert done.returncode == 0, done.stderr
    body = children(children(tree(tmp_path / "run.hatchet"))["fill"])["body"]
    assert body["metrics"]["visits"] % 2 == 0 and list(children(body)) == ["store@10"]
    # The interpreter has no clock: it counts operations.
    done = profile("default", TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    body = children(children(tree(tmp_path / "run.hatchet"))["fill"])["body"]
    assert body["metrics"]["visits"] == 2 and body["metrics"]["steps"] == 2 * body["metrics"]["normalized_steps"] > 2


CROWD = """
import warnings
import numpy as np
import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton
import terrazzo.triton.profiler.language as pl

@terrazzo.jit
def crowd(x, BLOCK: tl.constexpr):
    with pl.scope("body"):
        tl.store(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), 1.0)

proton.start("run", backend="instrumentation")
crowd[(20000,)](np.zeros(20000 * 16, np.float32), BLOCK=16)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    proton.finalize()
print([str(one.message) for one in said])
"""


def test_programs_that_find_no_room_are_counted(tmp_path):
    """20,000 programs tell 88 bytes each, where there is 1 MiB; with more room all of them are told."""
    (tmp_path / "crowd.py").write_text(CROWD)
    visits = {}
    for room in ("1048576", str(1 << 29), "few"):
        done = subprocess.run([sys.executable, "crowd.py"], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "TERRAZZO_PROFILE_PART_BYTES": room})
        assert done.returncode == 0, done.stderr
        visits[room] = children(children(tree(tmp_path / "run.hatchet"))["crowd"])["body"]["metrics"]["visits"]
        missing = 20000 - visits[room]
        assert (f"{missing} records of parts are missing" in done.stdout) == (missing > 0), done.stdout
        assert ("must be from 1048576 to" in done.stderr) == (room == "few")
    assert visits["1048576"] < 20000 and visits[str(1 << 29)] == visits["few"] == 20000


def test_chosen_warps(tmp_path, monkeypatch):
    """A processor's program is one warp, which always records."""
    with pytest.raises(ValueError, match="needs sampling_options"):
        proton.mode.Default(sampling_strategy="selective")
    with pytest.raises(ValueError, match="'64' is no number of a warp"):
        proton.mode.Default(sampling_strategy="selective", sampling_options="0, 64")
    monkeypatch.chdir(tmp_path)
    proton.start("run", backend="instrumentation", mode="default:sampling_strategy=selective:sampling_options=0")
    run()
    proton.finalize()
    assert warps(children(children(tree(tmp_path / "run.hatchet"))["work"])["load"]["metrics"]) == 1


def test_code_with_records_is_cached_beside_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    @terrazzo.jit
    def copied(x, y, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at))

    x, y = ones_and_zeros(16)
    counts = []
    for records in (True, False, True, False):
        if records:
            proton.start("run", backend="instrumentation")
        copied[(1,)](x, y, BLOCK=16)
        if records:
            proton.finalize()
        counts.append(len(copied.device_caches[0][0]))
    assert counts == [1, 2, 2, 2]
