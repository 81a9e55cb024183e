"""triton.profiler: what sessions and scopes write."""

import json

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


def test_what_is_not_there():
    with pytest.raises(ValueError, match="data='trace' is not supported; there is 'tree'"):
        proton.start(data="trace")
    with pytest.raises(ValueError, match="there is no session 99"):
        proton.finalize(99)
    with pytest.raises(RuntimeError, match="no scope is open"):
        proton.exit_scope()
    with proton.scope("outer"), pytest.raises(RuntimeError, match="the innermost scope is 'outer'"):
        proton.exit_scope("other")
