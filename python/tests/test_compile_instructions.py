"""test/bench/gpu/instructions.py: what it tells a process that has neither PyTorch nor a GPU, what it counts, and what it times."""

import collections
import json
import os
import sys
import types

import pytest

import terrazzo

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "bench", "gpu")


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(os.path.realpath(FOLDER))
    import instructions
    yield instructions
    for name in ("instructions", "replayed_compiles", "terrazzo_api"):
        sys.modules.pop(name, None)


def tensor(address):
    return types.SimpleNamespace(dtype="torch.float16", data_ptr=lambda: address)


def test_arguments_pass_through_json(bench):
    import replayed_compiles
    pair = collections.namedtuple("Pair", "left right")
    descriptor = types.SimpleNamespace(base=tensor(64), shape=[8, 8], strides=[8, 1], block_shape=[4, 4])
    told = json.loads(json.dumps([bench.argument_of(value) for value in (tensor(32), descriptor, (tensor(16), 3), pair(1, 2.5), 7)]))
    one, block, both, named, number = map(replayed_compiles.value_of, told)
    assert (one.dtype, one.data_ptr()) == ("float16", 32)
    assert (block.base.data_ptr(), block.block_shape, block.padding) == (64, [4, 4], "zero")
    assert isinstance(both, tuple) and both[0].data_ptr() == 16 and both[1] == 3
    assert named._fields == ("left", "right") and tuple(named) == (1, 2.5)
    assert number == 7


def test_each_variant_is_assembled_once(bench, monkeypatch):
    seen = []
    monkeypatch.setattr(bench, "counted", lambda command, *_: seen.append(open(command[2]).read()) or [10])
    text = "// head\n.version 8.0\n.entry a\n// head\n.version 8.0\n.entry b\n"
    assert bench.assembled(text, "sm_90a") == 20
    assert seen == [".version 8.0\n.entry a\n// head\n", ".version 8.0\n.entry b\n"]
    assert bench.assembled(text, "sm_90a") == 20 and len(seen) == 2


def test_the_results_are_of_the_schema(bench, monkeypatch, capsys):
    rows = {"softmax.softmax": {"now": [3_000_000, 1_000_000, 40], "before": [1_000_000, 1_000_000, 30]}}
    bench.table(rows, ["now", "before"])
    assert "| softmax.softmax | 40, 30 | 4 (1) | 2 (1) | 2.000 |" in capsys.readouterr().out
    import results
    entries = bench.entries_of_counts(rows, ["now", "before"])
    assert results.problems(bench.document(entries, "Instructions", ["now", "before"], {"before": "commit 1234567"})) == []


def test_times_are_compared_round_by_round(bench, capsys):
    # The machine was twice as slow in the second round; the medians alone would say 0.75.
    rows = {"softmax.softmax": {"now": [10.0, 20.0, 10.0], "before": [10.0, 20.0, 20.0]}}
    bench.table_of_times(rows, ["now", "before"])
    assert "| softmax.softmax | 10.0 (from 10.0) | 20.0 (from 10.0) | 1.000 |" in capsys.readouterr().out
    import results
    document = bench.document(bench.entries_of_times(rows, ["now", "before"]), "Times", ["now", "before"], {})
    assert results.problems(document) == []
    assert document["rows"][0]["samples"] == rows["softmax.softmax"] and document["rows"][0]["unit"] == "ms"


def test_sides_take_turns_at_each_launch(bench, monkeypatch):
    asked, closed = [], []

    class Fake:
        def __init__(self, libraries, target, launches, cache):
            self.side = libraries
            with open(launches, encoding="utf-8") as file:
                assert json.load(file) == ["one", "two", "three"]

        def seconds(self, launch):
            asked.append(f"{self.side}{launch}")
            return 0.001 * (launch + 1)

        def close(self):
            closed.append(self.side)

    monkeypatch.setattr(bench, "Compiler", Fake)
    rows = bench.timed([("a", "one"), ("a", "two"), ("b", "three")], {"x": "X", "y": "Y"}, "cpu", 2)
    assert " ".join(asked) == "X0 Y0 X0 Y0 Y1 X1 X2 Y2 X0 Y0 Y0 X0 X1 Y1 Y2 X2"  # the first of each process does not count
    assert rows["a"] == {"x": pytest.approx([3, 3]), "y": pytest.approx([3, 3])}  # ms, the launches of a row together
    assert closed == ["X", "Y"] * 2


def test_a_compiling_process_answers_with_seconds(bench, tmp_path):
    path = tmp_path / "double.py"
    path.write_text("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef double(x):\n    tl.store(x, tl.load(x) * 2)\n")
    launch = {"path": str(path), "function": "double", "constants": {}, "options": {}, "arguments": [{"dtype": "float32", "address": 64}]}
    (tmp_path / "launches.json").write_text(json.dumps([launch]))
    cache = tmp_path / "cache"
    compiler = bench.Compiler(os.path.dirname(terrazzo.__file__), "cpu", str(tmp_path / "launches.json"), str(cache))
    assert compiler.seconds(0) > 0
    kept = {file for file in cache.rglob("*") if file.is_file()}
    (cache / "old").touch()
    assert compiler.seconds(0) > 0
    # It was compiled again: the cache was emptied, and filled.
    assert kept and {file for file in cache.rglob("*") if file.is_file()} == kept
    compiler.close()
    assert compiler.process.returncode == 0


def test_a_compiling_process_that_ends_is_an_error(bench, tmp_path):
    compiler = bench.Compiler(str(tmp_path), "cpu", str(tmp_path / "none.json"), str(tmp_path / "cache"))
    with pytest.raises(SystemExit, match="a compiling process ended with status 1"):
        compiler.seconds(0)


def test_a_side_needs_a_folder(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["instructions.py", "now"])
    monkeypatch.setattr(bench.shutil, "which", lambda program: program)
    with pytest.raises(SystemExit):
        bench.main()
    assert "'now' is no side: NAME=FOLDER, where FOLDER/lib has libterrazzo.so.0" in capsys.readouterr().err
