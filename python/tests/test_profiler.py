"""triton.profiler: what sessions and scopes write."""

import json
import threading

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton


@terrazzo.jit(launch_metadata=lambda grid, metadata, args: {"name": f"fill {args['n']}", "bytes": 4 * args["n"]})
def fill(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


def children(node):
    return {child["frame"]["name"]: child for child in node["children"]}


def tree(path):
    root, _ = json.loads(path.read_text())
    assert root["frame"]["name"] == "ROOT"
    return root


def test_tree_of_scopes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.zeros(16, np.float32)
    session = proton.start("run", hook="triton")
    fill[(1,)](x, 16, BLOCK=16)
    with proton.scope("forward", {"tokens": 5}):
        fill[(1,)](x, 16, BLOCK=16)
        with proton.cpu_timed_scope("inner"):
            fill[(1,)](x, 16, BLOCK=16)
            fill[(1,)](x, 3, BLOCK=16)
    proton.deactivate(session)
    fill[(1,)](x, 16, BLOCK=16)
    proton.activate(session)
    proton.finalize(session)
    top = children(tree(tmp_path / "run.hatchet"))
    assert set(top) == {"fill 16", "forward"} and top["fill 16"]["metrics"]["count"] == 1
    forward = top["forward"]
    assert forward["metrics"] == {"tokens": 5}
    inner = children(forward)["inner"]
    assert set(children(inner)) == {"fill 16", "fill 3"}
    times = [child["metrics"]["time (ns)"] for child in inner["children"]]
    assert 0 < sum(times) <= inner["metrics"]["cpu_time (ns)"]
    assert children(inner)["fill 3"]["metrics"]["bytes"] == 12


def test_names_without_the_hook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    @proton.profile(name="made")
    def work():
        for _ in range(3):
            fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)

    work()
    work()
    kernel = children(tree(tmp_path / "made.hatchet"))["fill"]
    assert kernel["metrics"]["count"] == 3 and "bytes" not in kernel["metrics"]


def test_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.zeros(16, np.float32)
    session = proton.start("run", data="trace", hook="triton")
    fill[(1,)](x, 16, BLOCK=16)
    with proton.scope("forward", {"tokens": 5}):
        with proton.scope("inner"):
            fill[(1,)](x, 3, BLOCK=16)
        thread = threading.Thread(target=lambda: fill[(1,)](np.zeros(16, np.float32), 4, BLOCK=16), name="helper")
        thread.start()
        thread.join()
    proton.finalize(session, "chrome_trace")
    trace = json.loads((tmp_path / "run.chrome_trace").read_text())
    events = {event["name"]: event for event in trace["traceEvents"] if event["ph"] == "X"}
    assert set(events) == {"fill 16", "forward", "inner", "fill 3", "fill 4"}
    assert [events[name]["cat"] for name in ("fill 16", "inner")] == ["kernel", "scope"]
    assert events["fill 3"]["args"] == {"bytes": 12} and events["forward"]["args"] == {"tokens": 5}

    def spans(outer, inner):
        begin, end = events[inner]["ts"], events[inner]["ts"] + events[inner]["dur"]
        return events[outer]["ts"] <= begin <= end <= events[outer]["ts"] + events[outer]["dur"]

    assert spans("forward", "inner") and spans("inner", "fill 3") and spans("forward", "fill 4")
    assert min(event["ts"] for event in events.values()) == 0 and events["fill 16"]["dur"] > 0
    rows = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    assert rows[events["fill 4"]["tid"]] == "helper" and events["fill 4"]["tid"] != events["fill 3"]["tid"]
    assert any(event["name"] == "process_name" and event["args"]["name"].startswith("host") for event in trace["traceEvents"])


def test_trace_on_a_device(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    if not torch.accelerator.is_available():
        pytest.skip("torch has no accelerator here")
    monkeypatch.chdir(tmp_path)
    big = torch.ones(1 << 24, device=torch.accelerator.current_accelerator())
    fill[(1,)](big, 16, BLOCK=16)
    proton.start("run", data="trace")
    for _ in range(3):
        with proton.scope("turn"):
            for _ in range(10):
                big.sin_()
            fill[(1,)](big, 16, BLOCK=16)
    torch.accelerator.synchronize()
    proton.finalize()
    events = [event for event in json.loads((tmp_path / "run.chrome_trace").read_text())["traceEvents"] if event["ph"] == "X"]
    launches = [event for event in events if event["cat"] == "launch"]
    kernels = [event for event in events if event["cat"] == "kernel"]
    assert len(launches) == len(kernels) == 3
    for launch, kernel in zip(launches, kernels):
        assert kernel["pid"] == 1 and launch["pid"] == 0 and kernel["args"]["scope"] == "turn"
        # It runs after it was launched, but for what the two clocks differ.
        assert kernel["ts"] + 100 > launch["ts"] and kernel["dur"] > 0
    assert kernels[0]["ts"] + kernels[0]["dur"] <= kernels[1]["ts"]


def test_launches_on_an_accelerator(tmp_path, monkeypatch):
    """They are timed by its events: a launch returns long before the kernel has ended."""
    torch = pytest.importorskip("torch")
    if not torch.accelerator.is_available():
        pytest.skip("torch has no accelerator here")
    monkeypatch.chdir(tmp_path)

    @terrazzo.jit
    def slow(x, n):
        number = tl.load(x)
        for _ in range(n):
            number = number * 1.5 + 1.0
        tl.store(x, number)

    x = torch.zeros(1, device=torch.accelerator.current_accelerator())
    slow[(1,)](x, 1_000_000)
    session = proton.start("run")
    with proton.scope("launch"), proton.cpu_timed_scope("host"):
        slow[(1,)](x, 1_000_000)
        slow[(1,)](x, 2_000_000)
    fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)
    proton.finalize(session)
    top = children(tree(tmp_path / "run.hatchet"))
    host = children(top["launch"])["host"]
    kernel = children(host)["slow"]["metrics"]
    assert kernel["count"] == 2 and kernel["time (ns)"] > 1_000_000
    assert host["metrics"]["cpu_time (ns)"] < kernel["time (ns)"]
    assert top["fill"]["metrics"]["count"] == 1


def test_what_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="data='list' is not supported; there is 'tree', 'trace'"):
        proton.start(data="list")
    session = proton.start("unused")
    with pytest.raises(ValueError, match="output_format='chrome_trace' is not supported for 'unused'; there is 'hatchet'"):
        proton.finalize(session, "chrome_trace")
    proton.finalize(session)
    with pytest.raises(ValueError, match="there is no session 99"):
        proton.finalize(99)
    with pytest.raises(RuntimeError, match="no scope is open"):
        proton.exit_scope()
    with proton.scope("outer"), pytest.raises(RuntimeError, match="the innermost scope is 'outer'"):
        proton.exit_scope("other")
