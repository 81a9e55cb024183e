"""triton.profiler: what sessions and scopes write."""

import json
import subprocess
import sys
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
    assert children(inner)["fill 16"]["metrics"]["programs"] == 1


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
    session = proton.start("run", data="trace", hook="triton", events="all")
    fill[(1,)](x, 16, BLOCK=16)
    with proton.scope("forward", {"tokens": 5}):
        with proton.scope("inner"):
            fill[(1,)](x, 3, BLOCK=16)
        thread = threading.Thread(target=lambda: fill[(1,)](np.zeros(16, np.float32), 4, BLOCK=16), name="helper")
        thread.start()
        thread.join()
    proton.finalize(session, "chrome_trace")
    trace = json.loads((tmp_path / "run.chrome_trace").read_text())
    events = {event["name"]: event for event in trace["traceEvents"] if event["ph"] == "X" and event["cat"] in ("kernel", "scope")}
    assert set(events) == {"fill 16", "forward", "inner", "fill 3", "fill 4"}
    assert [events[name]["cat"] for name in ("fill 16", "inner")] == ["kernel", "scope"]
    launches = {event["name"]: event for event in trace["traceEvents"] if event.get("cat") == "launch"}
    assert set(launches) == {"fill 16", "fill 3", "fill 4"}
    assert events["fill 3"]["args"]["launch"] == launches["fill 3"]["args"]["launch"]
    assert events["fill 3"]["args"]["bytes"] == 12 and events["forward"]["args"]["tokens"] == 5
    assert events["fill 3"]["args"]["call_stack"] == ["ROOT", "forward", "inner", "fill 3"]

    def spans(outer, inner):
        begin, end = events[inner]["ts"], events[inner]["ts"] + events[inner]["dur"]
        return events[outer]["ts"] <= begin <= end <= events[outer]["ts"] + events[outer]["dur"]

    assert spans("forward", "inner") and spans("inner", "fill 3") and spans("forward", "fill 4")
    assert min(event["ts"] for event in trace["traceEvents"] if event["ph"] == "X") == 0 and events["fill 16"]["dur"] > 0
    assert events["fill 16"]["pid"] != events["forward"]["pid"] == launches["fill 16"]["pid"]
    assert launches["fill 4"]["tid"] != launches["fill 3"]["tid"]
    assert any(event["name"] == "process_name" and event["args"]["name"].startswith("host") for event in trace["traceEvents"])


def test_a_trace_of_kernels(tmp_path, monkeypatch):
    """What Triton's profiler writes: one event a kernel, whose process and row are texts, in the order of time."""
    monkeypatch.chdir(tmp_path)
    x = np.zeros(16, np.float32)
    proton.start("run", data="trace")
    with proton.scope("first", {"tokens": 5}):
        fill[(1,)](x, 16, BLOCK=16)
    with proton.scope("second"):
        fill[(1,)](x, 3, BLOCK=16)
    proton.finalize()
    trace = json.loads((tmp_path / "run.chrome_trace").read_text())
    first, second = trace["traceEvents"]
    assert [first["args"]["call_stack"], second["args"]["call_stack"]] == [["ROOT", "first", "fill"], ["ROOT", "second", "fill"]]
    assert first["ph"] == "X" and first["cat"] == "kernel" and first["ts"] == 0 and first["dur"] > 0
    assert first["pid"] == second["pid"] == "CPU 0" and first["tid"].startswith("stream ")
    assert second["ts"] >= first["dur"] and second["args"]["launch"] > first["args"]["launch"]
    assert trace["terrazzo"]["dropped"] == 0


def test_trace_on_a_device(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch")
    if not torch.accelerator.is_available():
        pytest.skip("torch has no accelerator here")
    monkeypatch.chdir(tmp_path)
    big = torch.ones(1 << 24, device=torch.accelerator.current_accelerator())
    fill[(1,)](big, 16, BLOCK=16)
    proton.start("run", data="trace", events="all")
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
        assert kernel["pid"] != launch["pid"] and kernel["args"]["call_stack"][1] == "turn"
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
    for wrong, said in (({"data": "list"}, "data='list' is not supported; there is 'tree', 'trace'"),
                        ({"context": "c"}, "context='c' is not supported; there is 'shadow', 'python'"),
                        ({"hook": "other"}, "hook='other' is not supported"),
                        ({"mode": "sampling"}, "mode='sampling' is not supported; there is 'periodic_flushing'"),
                        ({"mode": "periodic_flushing:size=1"}, "periodic_flushing has no setting 'size'; it has 'format'"),
                        ({"mode": "periodic_flushing:format=chrome_trace"}, "a tree has no such format")):
        with pytest.raises(ValueError, match=said):
            proton.start(**wrong)
    session = proton.start("unused")
    with pytest.raises(ValueError, match="output_format='chrome_trace' is not supported for 'unused'; there is 'hatchet'"):
        proton.finalize(session, "chrome_trace")
    with pytest.raises(RuntimeError, match="no scope is open"):
        proton.exit_scope()
    with proton.scope("outer"), pytest.raises(ValueError, match="the innermost scope is 'outer'"):
        proton.exit_scope("other")
    with pytest.raises(ValueError, match="'cpu_time' is the scope's own"):
        proton.cpu_timed_scope("scope", {"cpu_time": 1})
    with pytest.raises(TypeError, match="metric 'n' is of type set"), proton.scope("scope", {"n": {1}}):
        pass
    with pytest.raises(TypeError, match="metric 'n' has 2 dimensions"), proton.scope("scope", {"n": np.ones((2, 2))}):
        pass
    with pytest.raises(ValueError, match="metric 'n' is a float here and was an integer"):
        with proton.scope("scope", {"n": 1}), proton.scope("scope", {"n": 1.0}):
            pass
    assert proton.context.depth(session) == 0
    with pytest.raises(ValueError, match="is of sessions with backend='instrumentation'"):
        proton.start("inside", mode="default")
    proton.finalize()
    with pytest.raises(ValueError, match="Session has not been initialized: 99"):
        proton.finalize(99)
    assert proton.exit_scope() is None and proton.context.depth() is None


def test_call_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = proton.start("run", context="python")

    def inner():
        fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)

    with proton.scope("outer", {"tokens": 2}):
        inner()
    proton.finalize(session)
    node = children(tree(tmp_path / "run.hatchet"))["outer"]
    assert node["metrics"] == {"tokens": 2}
    names = []
    while node["children"]:
        (node,) = node["children"]
        names.append(node["frame"]["name"])
    assert names[-1] == "fill" and node["metrics"]["count"] == 1
    assert [name.rpartition("@")[2] for name in names[-3:-1]] == ["test_call_paths", "inner"]
    assert all(name.startswith(__file__ + ":") for name in names[-3:-1])


def test_states_and_metrics(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = proton.start("run")
    with proton.scope("outer", {"list": [1, 2], "array": np.array([0.5, 1.5]), "one": np.array([7]), "seed (pty)": "a"}):
        with proton.state("warm"):
            fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)

    @proton.metadata_state()
    def computes():
        fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)

    computes()
    number = proton.enter_scope("late")
    assert proton.exit_scope("late", metrics={"b": 1.0}) == number
    proton.finalize(session)
    top = children(tree(tmp_path / "run.hatchet"))
    assert top["outer"]["metrics"] == {"list": [1, 2], "array": [0.5, 1.5], "one": 7, "seed": "a"}
    assert "fill" in children(children(top["outer"])["warm"]) and top["late"]["metrics"] == {"b": 1.0}
    assert "fill" in children(top["__proton_launch_metadata"])


def test_hooks(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    heard = []

    class Own(proton.hooks.Hook):
        priority = 7

        def enter(self, metadata):
            heard.append(metadata.data["name"])

    asked = []

    @terrazzo.jit(launch_metadata=lambda grid, metadata, args: asked.append(1) or {"name": "named", "extra": 2.5})
    def other(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1.0)

    x = np.zeros(16, np.float32)
    own = proton.start("own", hook=Own())
    triton = proton.start("triton", hook="triton")
    launch = proton.hooks.LaunchHook()
    launch.configure(exclude="oth")
    try:
        other[(1,)](x, BLOCK=16)
        assert not asked
        launch.configure(include="oth")
        other[(1,)](x, BLOCK=16)
        fill[(1,)](x, 16, BLOCK=16)
    finally:
        launch.configure()
    proton.deactivate(own)
    other[(1,)](x, BLOCK=16)
    proton.finalize()
    assert heard == ["other", "named", "fill"] and len(asked) == 2 and triton == own + 1
    top = children(tree(tmp_path / "triton.hatchet"))
    assert top["named"]["metrics"]["extra"] == 5.0 and top["named"]["metrics"]["count"] == 2
    assert set(top) == {"other", "named", "fill"}


def test_a_failed_launch_leaves_no_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    @terrazzo.jit(launch_metadata=lambda grid, metadata, args: {"name": "named"})
    def other(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1.0)

    @terrazzo.jit
    def plain(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1.0)

    proton.start("run", hook="triton")
    with pytest.raises(terrazzo.TerrazzoError):
        other[(2**40, 1, 1)](np.zeros(16, np.float32), BLOCK=16)
    plain[(1,)](np.zeros(16, np.float32), BLOCK=16)
    proton.finalize()
    assert set(children(tree(tmp_path / "run.hatchet"))) == {"plain"}


def test_phases(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    x = np.zeros(16, np.float32)
    session = proton.start("run")
    code = fill[(1,)](x, 16, BLOCK=16)
    assert not proton.data.is_phase_complete(session, 0)
    assert proton.data.advance_phase(session) == 1
    with proton.scope("second"):
        fill[(1,)](x, 16, BLOCK=16)
    proton.deactivate(session, flushing=True)
    assert proton.data.is_phase_complete(session, 0) and not proton.data.is_phase_complete(session, 1)
    root, devices = proton.data.get(session, 0)
    assert children(root)["fill"]["metrics"]["count"] == 1 and code.target.split(":")[0].upper() in devices
    assert proton.data.get_msgpack(session, 0)[:1] == b"\x92"  # an array of two
    proton.data.clear(session, phase=1, clear_up_to_phase=True)
    assert proton.data.get(session, 0)[0]["children"] == proton.data.get(session, 1)[0]["children"] == []
    proton.finalize()
    assert sorted(path.name for path in tmp_path.glob("*")) == ["run.part_0.hatchet", "run.part_1.hatchet"]


def test_periodic_flushing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = proton.start("run", mode="periodic_flushing:format=hatchet_msgpack")
    for i in range(6):
        if i and i % 2 == 0:
            proton.data.advance_phase(session)
        with proton.scope(f"scope {i}"):
            fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)
    proton.finalize()
    assert sorted(path.name for path in tmp_path.glob("*")) == [f"run.part_{i}.hatchet_msgpack" for i in range(3)]


def test_records_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERRAZZO_PROFILE_MAX_RECORDS", "3")
    proton.start("run", data="trace", events="all")
    for _ in range(4):
        fill[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)
    with pytest.warns(RuntimeWarning, match="profile 'run': .* records are missing"):
        proton.finalize()
    trace = json.loads((tmp_path / "run.chrome_trace").read_text())
    assert trace["terrazzo"]["dropped"] > 0 and sum(event["ph"] == "X" for event in trace["traceEvents"]) == 3


def test_nothing_is_half_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    proton.start("nowhere/first")
    proton.start("second")
    with pytest.raises(terrazzo.TerrazzoError, match="'nowhere/first.hatchet': No such file"):
        proton.finalize()
    assert (tmp_path / "second.hatchet").exists()


SCRIPT = """
import sys
import numpy as np
import triton
import triton.language as tl
import triton.profiler as proton

assert proton.start("own") is None  # the command has its own

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)

def test_main():
    with proton.scope("scope"):
        fill[(1,)](np.zeros(16, np.float32), BLOCK=16)

if __name__ == "__main__":
    test_main()
    if sys.argv[1:] == ["raise"]:
        raise RuntimeError("oops")
    sys.exit(3)
"""


@pytest.mark.parametrize("target, status", [(["script.py"], 3), (["script"], 3), (["script.py", "raise"], 1),
                                            (["pytest", "-q", "-p", "no:cacheprovider", "script.py"], 0)])
def test_command(tmp_path, target, status):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "-c", "import sys; from terrazzo.tools.tz_command import main; sys.exit(main())",
                           "profile", "-n", "run.hatchet", *target], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert ("RuntimeError: oops" in done.stderr) == ("raise" in target)
    assert set(children(children(tree(tmp_path / "run.hatchet"))["scope"])) == {"fill"}  # also of a script that raises


def test_a_program_that_ends_early(tmp_path):
    program = "import terrazzo.triton.profiler as proton\nproton.start('run')\nproton.enter_scope('open', metrics={'n': 1})\n1 / 0"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert "ZeroDivisionError" in done.stderr
    assert children(tree(tmp_path / "run.hatchet"))["open"]["metrics"] == {"n": 1}
