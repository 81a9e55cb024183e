"""test/bench/torch_compile: rows that run, and rows that do not."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "bench", "torch_compile")


def table(tmp_path, *arguments):
    output = str(tmp_path / "table.json")
    run = subprocess.run([sys.executable, os.path.join(BENCH, "table.py"), "--device", "cpu", "--peers", "terrazzo", "--families", "block",
                          "--output", output, *arguments], capture_output=True, text=True, timeout=300,
                         env={**os.environ, "OMP_NUM_THREADS": "2", "TERRAZZO_BENCH_COMMIT": "abcdef0"})
    document = json.load(open(output, encoding="utf-8")) if os.path.exists(output) else None
    return run, document


def test_rows(tmp_path):
    run, document = table(tmp_path, "--modes", "default", "--what", "inference,training", "--steps", "2",
                          "--step-seconds", "1", "--dynamic")
    assert run.returncode == 0, run.stderr
    cold = {row["name"]: row for row in document["rows"] if row["name"].endswith("cold first call")}
    assert list(cold) == [f"block {row}: cold first call" for row in ("inference default", "training default", "inference dynamic")]
    for row in document["rows"]:
        assert "failed" not in row and all(value > 0 for value in row["samples"]["terrazzo"]), row
    for row in cold.values():
        facts = row["facts"]["terrazzo"]
        assert 0 <= facts["off"] <= facts["allowed"] and facts["phases"]
    assert "block training default: step" in run.stdout and "[3/3 " in run.stderr


def test_several_takes_of_rows_by_name(tmp_path):
    names = ["block training default", "block inference dynamic"]
    run, document = table(tmp_path, "--rows", ",".join(names), "--ahead", "2", "--takes", "2", "--steps", "1", "--step-seconds", "0")
    assert run.returncode == 0, run.stderr
    assert [row["name"] for row in document["rows"]] == [f"{name}: {what}" for name in names for what in ("cold first call", "step")]
    assert all(len(row["samples"]["terrazzo"]) == 2 for row in document["rows"])
    lines = [line.split("] ")[1].split(":")[0] for line in run.stderr.splitlines() if line.startswith("[")]
    assert lines == names * 2  # the second takes begin when all rows have their first
    run, document = table(tmp_path, "--rows", names[1], "--steps-alone", "--steps", "2", "--step-seconds", "0")
    assert run.returncode == 0, run.stderr
    assert [row["name"] for row in document["rows"]] == [f"{names[1]}: step"] and len(document["rows"][0]["samples"]["terrazzo"]) == 2
    run, _ = table(tmp_path, "--rows", "block inference quick")
    assert run.returncode == 2 and "there is no row 'block inference quick'" in run.stderr


def test_checks_alone(tmp_path):
    run, document = table(tmp_path, "--modes", "default", "--what", "inference,training", "--check", "--jobs", "2")
    assert run.returncode == 0, run.stderr
    assert document["what"] == "torch.compile: results of models beside those without a compiler"
    assert sorted(row["name"] for row in document["rows"]) == ["block inference default: error", "block training default: error"]
    assert all(0 <= row["samples"]["terrazzo"][0] <= 1 for row in document["rows"])
    assert "right (" in run.stderr
    run, _ = table(tmp_path, "--jobs", "2")
    assert run.returncode == 2 and "--jobs is for --check" in run.stderr


def test_what_errors_are_allowed(monkeypatch):
    import torch

    monkeypatch.syspath_prepend(BENCH)
    import errors

    generator = torch.Generator().manual_seed(0)
    right = [torch.randn(64, 64, dtype=torch.float64, generator=generator) for _ in range(2)]

    def rounded(by):
        return [r + by * torch.randn(r.shape, dtype=torch.float64, generator=generator) for r in right]

    def share(got, eager):
        found = errors.worst(got, eager, right, 1e-4)
        return found["off"] / found["allowed"], found["tensor"], found["measure"]

    def moved(values, tensor, by):
        values = [v.clone() for v in values]
        values[tensor][3, 5] += by
        return values

    assert share(right, rounded(0.01))[0] == 0
    assert 0.2 < share(rounded(0.01), rounded(0.01))[0] < 0.5
    # All of a tensor, or one element, where eager is exact.
    off, tensor, _ = share([right[0], right[1] * 1.001], rounded(1e-6))
    assert off > 5 and tensor == 1
    off, tensor, measure = share(moved(right, 0, 0.01), rounded(1e-6))
    assert off > 5 and (tensor, measure) == (0, "farthest")
    # Chaos moves elements of other tensors than eager's; but no whole tensor.
    assert share(moved(rounded(0.001), 0, 0.1), moved(rounded(0.001), 1, 0.1))[0] < 1
    off, tensor, measure = share([right[0] * 1.01, right[1]], moved(rounded(0.001), 1, 0.1))
    assert off > 1 and (tensor, measure) == (0, "norm")
    assert share([right[0], right[1] * float("nan")], rounded(0.01))[1:] == (1, "norm")


def test_depthwise_convolutions_by_shifted_sums(monkeypatch):
    import torch

    monkeypatch.syspath_prepend(BENCH)
    import models

    for arguments in ({"padding": 1}, {"padding": 2, "stride": 2, "dilation": 2, "bias": False}, {"stride": (1, 3), "padding": (0, 2)}):
        conv = torch.nn.Conv2d(6, 6, 3, groups=6, **arguments).double()
        images = torch.randn(2, 6, 13, 11, dtype=torch.float64)
        right = conv(images)
        models.sum_depthwise(conv)
        assert conv.forward != type(conv).forward and torch.allclose(conv(images), right, rtol=1e-12, atol=1e-12)


def test_a_batch_that_alone_is_dynamic():
    program = f"""if True:
        import sys
        sys.path.insert(0, {BENCH!r})
        import models, torch, worker
        models.FAMILIES["block"].only_batch = True
        work = worker.Worker({{"device": "cpu", "peer": "terrazzo", "family": "block", "what": "inference", "mode": "default",
                              "dynamic": True}})
        work.prepare()
        work.cold()
        said = work.check()
        assert 0 < said["off"] <= said["allowed"], said
        print("graphs", torch._dynamo.utils.counters["stats"]["unique_graphs"])"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert "graphs 1" in run.stdout  # three batches, one compilation


def test_a_row_that_takes_too_long(tmp_path):
    run, document = table(tmp_path, "--modes", "default", "--what", "inference", "--row-seconds", "0.2")
    assert run.returncode == 1 and "FAILED" in run.stderr
    assert all("took longer than" in row["failed"]["terrazzo"] and not row["samples"] for row in document["rows"])


def test_a_process_that_ends(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import os, sys\nif 'worker.py' in ' '.join(sys.orig_argv): os._exit(7)\n")
    environment, os.environ["PYTHONPATH"] = os.environ.get("PYTHONPATH"), os.pathsep.join(
        [str(tmp_path), os.environ.get("PYTHONPATH", "")])
    try:
        run, document = table(tmp_path, "--modes", "default", "--what", "inference")
    finally:
        os.environ.pop("PYTHONPATH") if environment is None else os.environ.update(PYTHONPATH=environment)
    assert run.returncode == 1 and "ended with status 7: it said nothing" in document["rows"][0]["failed"]["terrazzo"], run.stderr


def test_words_that_it_does_not_know(tmp_path):
    run, _ = table(tmp_path, "--modes", "quick")
    assert run.returncode == 2 and "there is no 'quick': default, reduce-overhead, max-autotune" in run.stderr
