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
