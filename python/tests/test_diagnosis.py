"""test/bench/profiler/diagnosis.py: a recorded launch, what the rules say of it, and the cure that is kept."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "bench", "profiler")
sys.path.insert(0, BENCH)

import cures  # noqa: E402

SOURCE = """def twice(x, y, n, BLOCK: tl.constexpr, TILE: tl.constexpr):
    for begin in range(tl.program_id(0) * BLOCK, (tl.program_id(0) + 1) * BLOCK, TILE):
        at = begin + tl.arange(0, TILE)
        tl.store(y + at, tl.exp(tl.load(x + at, mask=at < n)), mask=at < n)"""
COUNT = 1 << 20


def record(block=COUNT, **options):
    def array(storage):
        content = {"normal": [0, 1, -4, 4]}
        return {"tensor": {"dtype": "float32", "shape": [COUNT], "strides": [1], "storage": storage, "offset": 0, "content": content}}

    return {"version": 1, "kernel": "twice", "module": "library", "grid": [-(-COUNT // block), 1, 1], "options": options,
            "bytes": 8 * COUNT, "id": "1",
            "functions": [{"name": "twice", "kind": "jit", "source": SOURCE.split("\n"), "options": {"do_not_specialize": ["n"]},
                           "bindings": {"tl": {"module": "triton.language"}}}],
            "arguments": {"x": array(0), "y": array(1), "n": {"constant": COUNT}, "BLOCK": {"constant": block}, "TILE": {"constant": 1024}},
            "storages": [{"bytes": 4 * COUNT, "align": 0}, {"bytes": 4 * COUNT, "align": 0}]}


def named(rule, one):
    return dict(cures.changes(one, rule))


def test_options():
    assert [made["options"] for made in named("registers do not suffice", record(num_warps=16)).values()][0] == {"num_warps": 32}
    assert list(named("warps wait for barriers", record())) == ["num_warps=2", "num_warps=1"]
    assert list(named("warps wait for instructions", record(num_stages=2)))[:1] == ["num_stages=1"]
    hinted = named("warps wait for memory", record())["specialize integers"]
    assert not hinted["functions"][0]["options"] and record()["functions"][0]["options"]
    assert not named("memory bandwidth is the limit", record())


def test_tiles_have_the_grid_that_belongs_to_them():
    found = named("threads have little to do", record(block=65536))
    assert found["BLOCK=131072, grid [8, 1, 1]"]["arguments"]["BLOCK"] == {"constant": 131072}
    # Of a tile of a loop the grid stays.
    assert found["TILE=4096"]["grid"] == [16, 1, 1]
    one = cures.given(record(), "num_warps=8,BLOCK=1024,grid=1024x1x1")
    assert (one["grid"], one["options"], one["arguments"]["BLOCK"]) == ([1024, 1, 1], {"num_warps": 8}, {"constant": 1024})


def test_a_cure_that_gives_the_same_is_measured(tmp_path):
    """One program for all: the device's other cores have none. A smaller block with its grid gives the same; alone it does not."""
    if (os.cpu_count() or 1) < 2:
        pytest.skip("a machine of one core has no idle one")
    path = tmp_path / "library" / "twice-1.json"
    path.parent.mkdir()
    path.write_text(json.dumps(record()))
    out = tmp_path / "out.json"
    run = subprocess.run([sys.executable, os.path.join(BENCH, "diagnosis.py"), "--device", "cpu", "--interval", "3000000",
                          "--output", str(out), "--try", "BLOCK=524288", "--try", "BLOCK=524288,grid=2x1x1", str(path)],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    (row,) = json.loads(out.read_text())["rows"]
    facts = row["facts"]
    assert "cores have no program" in [one["rule"] for one in facts["findings"]]
    assert isinstance(facts["tried"]["BLOCK=524288,grid=2x1x1"], float)
    assert "other results" in facts["tried"]["BLOCK=524288"]
    assert len(row["samples"]["as it is"]) == 25
    assert (facts["cure"] is None) == ("cured" not in row["samples"]) and facts["gain"] >= 1


def test_a_record_that_is_none_costs_its_row(tmp_path):
    path = tmp_path / "none.json"
    path.write_text("{}")
    run = subprocess.run([sys.executable, os.path.join(BENCH, "diagnosis.py"), "--device", "cpu", "--peak-bytes", "1e10", str(path)],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 1 and "none: KeyError" in run.stdout
