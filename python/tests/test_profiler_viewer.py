"""The terminal viewer of profiles."""

import json

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton
from terrazzo.profiler import viewer


def node(name, *children, **metrics):
    renamed = {{"time": "time (ns)", "cpu_time": "cpu_time (ns)"}.get(key, key): value for key, value in metrics.items()}
    return {"frame": {"name": name, "type": "function"}, "metrics": renamed, "children": list(children)}


@pytest.fixture
def profile(tmp_path):
    tree = node(
        "ROOT",
        node("forward", node("matmul", time=6_000_000, count=3, flops16=6_000_000, bytes=3000),
             node("inner", node("add", time=1_000_000, count=1, bytes=500), cpu_time=4_000_000), cpu_time=9_000_000, tokens=7),
        node("backward", node("matmul", time=3_000_000, count=1, flops16=3_000_000, bytes=1500)))
    path = tmp_path / "run.hatchet"
    path.write_text(json.dumps([tree, {}]))
    return str(path)


def show(capsys, *arguments):
    status = viewer.main(list(arguments))
    said = capsys.readouterr()
    return [line.rstrip() for line in said.out.splitlines()] if status == 0 else said.err


def test_tree(capsys, profile):
    assert show(capsys, profile) == [
        "time/ms",
        " 10.000  ROOT",
        "  7.000  ├─ forward",
        "  6.000  │  ├─ matmul",
        "  1.000  │  └─ inner",
        "  1.000  │     └─ add",
        "  3.000  └─ backward",
        "  3.000     └─ matmul",
    ]


def test_metrics(capsys, profile):
    lines = show(capsys, "-m", "time/%,avg_time/us,flop16/s,gbyte/s,count,cpu_time/ms,tokens,bytes/%", profile)
    numbers = {line.split()[-1]: line.split()[:8] for line in lines[1:4]}
    assert lines[0].split() == ["time/%", "avg_time/us", "flop16/s", "gbyte/s", "count", "cpu_time/ms", "tokens", "bytes/%"]
    assert numbers["ROOT"] == ["100.000", "2000.000", "900000000.000", "0.001", "5", "9.000", "7", "100.000"]
    assert numbers["forward"] == ["70.000", "1750.000", "857142857.143", "0.001", "4", "9.000", "7", "70.000"]
    assert numbers["matmul"][5] == "-"  # kernels have no time of the host
    names = show(capsys, "-l", profile)
    assert {"time/ms", "avg_time/us", "time/%", "cpu_time/s", "tflop16/s", "gbyte/s", "tokens", "count"} <= set(names)
    assert "flop8/s" not in names and "avg_cpu_time/s" not in names
    for name in names:
        assert len(show(capsys, "-m", name, profile)) == 8


def test_what_is_shown(capsys, profile):
    def names(*arguments):
        return [line.split()[-1] for line in show(capsys, *arguments, profile)[1:]]

    assert names("-d", "1") == ["ROOT", "forward", "backward"]
    assert names("-i", "inner") == ["ROOT", "forward", "inner", "add"]
    assert names("-i", "^mat") == ["ROOT", "forward", "matmul", "backward", "matmul"]
    assert names("-e", "forward|none") == ["ROOT", "backward", "matmul"]
    assert names("-i", "none") == ["ROOT"]
    assert names("-t", "25") == ["ROOT", "forward", "matmul", "backward", "matmul"]
    assert names("--print-sorted") == ["matmul", "add"]
    assert show(capsys, "--print-sorted", "-m", "time/ms,count", profile)[1].split() == ["9.000", "4", "matmul"]


def test_difference(capsys, profile, tmp_path):
    base = tmp_path / "base.hatchet"
    base.write_text(json.dumps([node(
        "ROOT", node("forward", node("matmul", time=8_000_000, count=3)), node("warm", node("add", time=500_000, count=2))), {}]))
    assert show(capsys, "--diff-profile", str(base), "-m", "time/ms,count", profile) == [
        "time/ms  count",
        "  1.500      0  ROOT",
        "  3.000      1  ├─ backward",
        "  3.000      1  │  └─ matmul",
        " -0.500     -2  ├─ warm",
        " -0.500     -2  │  └─ add",
        " -1.000      1  └─ forward",
        "  1.000      1     ├─ inner",
        "  1.000      1     │  └─ add",
        " -2.000      0     └─ matmul",
    ]
    rows = [line.split() for line in show(capsys, "--diff-profile", str(base), "--print-sorted", profile)[1:]]
    assert rows == [["1.000", "matmul"], ["0.500", "add"]]
    assert all(line.split()[0] == "0.000" for line in show(capsys, "--diff-profile", profile, profile)[1:])


def test_mistakes(capsys, profile, tmp_path):
    assert "the profile has no 'flop8/s'; it has bytes, count, cpu_time/s, " in show(capsys, "-m", "flop8/s", profile)
    assert "the profile has no 'times'" in show(capsys, "-m", "times", profile)
    assert "missing.hatchet" in show(capsys, str(tmp_path / "missing.hatchet"))
    for text, reason in (("{", "no profile"), ("{}", "a tree of frames is expected"), ("[3]", "a tree of frames"),
                         ('{"traceEvents": []}', "a trace; open it in a viewer of traces")):
        (tmp_path / "other").write_text(text)
        assert reason in show(capsys, str(tmp_path / "other"))
    assert "viewer:" in show(capsys, "-i", "(", profile)


def test_of_a_session(capsys, tmp_path, monkeypatch):

    @terrazzo.jit
    def fill(x, N: tl.constexpr):
        tl.store(x + tl.arange(0, N), 1)

    monkeypatch.chdir(tmp_path)
    proton.start("run")
    with proton.scope("forward"):
        fill[(1,)](np.zeros(16, np.float32), N=16)
    proton.finalize()
    lines = show(capsys, "-m", "time/us,count", "run.hatchet")
    assert [line.split()[-1] for line in lines[1:]] == ["ROOT", "forward", "fill"] and lines[1].split()[1] == "1"


def test_profiles_of_other_versions(capsys, tmp_path):
    later = tmp_path / "later.hatchet"
    later.write_text(json.dumps([{"frame": {"name": "ROOT", "version": 2}, "metrics": {}, "children": []}, {}]))
    assert "a profile of version 2; this viewer reads version 1" in show(capsys, str(later))
    packed = tmp_path / "run.hatchet_msgpack"
    packed.write_bytes(b"\xc1")
    said = show(capsys, str(packed))
    assert "no profile" in said or "the package msgpack reads it" in said


def test_metadata_is_left_out(capsys, tmp_path):
    path = tmp_path / "run.hatchet"
    path.write_text(json.dumps([node("ROOT", node("__proton_launch_metadata", node("sum", time=5)), node("add", time=1_000_000)), {}]))
    assert show(capsys, str(path)) == ["time/ms", "  1.000  ROOT", "  1.000  └─ add"]


def test_frames_of_the_program(capsys, tmp_path):
    path = tmp_path / "run.hatchet"
    path.write_text(json.dumps([node("ROOT", node("/home/me/run.py:12@main", node("add", time=1_000_000))), {}]))
    for form, shown in (("full", "/home/me/run.py:12@main"), ("file_function_line", "run.py:12@main"), ("function_line", "12@main"),
                        ("file_function", "run.py@main")):
        assert [line.split()[-1] for line in show(capsys, "-f", form, str(path))[1:]] == ["ROOT", shown, "add"]


def test_parts_of_kernels(capsys, tmp_path):
    """What a part took has that of the parts inside in it already; a kernel has the sum of its parts."""
    path = tmp_path / "run.hatchet"
    kernel = node("add", node("body", node("load", cycles=30, visits=9), cycles=100, visits=3), node("end", cycles=20), time=5, count=1)
    path.write_text(json.dumps([node("ROOT", kernel), {}]))
    assert show(capsys, "-m", "cycles", str(path)) == [
        "cycles", "   120  ROOT", "   120  └─ add", "   100     ├─ body", "    30     │  └─ load", "    20     └─ end"]
    assert [line.split()[0] for line in show(capsys, "-m", "visits", str(path))[1:]] == ["3", "3", "3", "9", "-"]
