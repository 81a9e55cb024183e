"""test/bench/gpu/instructions.py: what it tells a process that has neither PyTorch nor a GPU, and what it counts."""

import collections
import json
import os
import sys
import types

import pytest

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
    assert results.problems(bench.document(rows, ["now", "before"], {"before": "commit 1234567"})) == []


def test_a_side_needs_a_folder(bench, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["instructions.py", "now"])
    monkeypatch.setattr(bench.shutil, "which", lambda program: program)
    with pytest.raises(SystemExit):
        bench.main()
    assert "'now' is no side: NAME=FOLDER, where FOLDER/lib has libterrazzo.so.0" in capsys.readouterr().err
