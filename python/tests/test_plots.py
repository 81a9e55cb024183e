"""Pictures of benches: what is drawn, in which files, and what a browser shows."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import terrazzo.testing
from terrazzo import plots

ORIGIN = {"machine": {"processor": "Some CPU"}, "commit": "4d2afb7", "date": "2026-11-22T18:30:00Z",
          "command": ["tz", "bench", "k.py::<add>"]}


def tz_bench(sizes=(1024, 4096, 16384), targets=("cpu:x86-64-v3", "cpu:x86-64-v4"), configurations=()):
    results = []
    for share, target in enumerate(targets, 1):
        for n in sizes or (None,):
            for i, text in enumerate(configurations or (None,)):
                row = {"target": target, "device": "Some CPU", "values": {"n": str(n)} if n else {},
                       **{name: base / share + (n or 0) / share for name, base in
                          (("median_ns", 1000.0), ("low_ns", 900.0), ("high_ns", 1500.0))},
                       "bytes": 8.0 * (n or 1), "flops": 0}
                if text:
                    row.update(configuration=i + 1, configuration_text=text)
                results.append(row)
    return {"kernel": "add", "results": results, **ORIGIN}


def run(document, output, tmp_path, **environment):
    (tmp_path / "in.json").write_text(json.dumps(document))
    return subprocess.run([sys.executable, "-m", "terrazzo.plots", str(tmp_path / "in.json"), "--output", str(output)],
                          capture_output=True, text=True, env={**os.environ, **environment})


def test_lines_over_sizes():
    picture = plots.picture_of(tz_bench())
    rate, time = picture.panels
    assert rate.kind == time.kind == "lines" and rate.xlabel == "n" and rate.x_log
    assert (rate.ylabel, time.ylabel) == ("GB/s", "time (µs)")
    assert [one.name for one in rate.series] == ["cpu:x86-64-v3", "cpu:x86-64-v4"]
    assert time.series[0].xs == [1024, 4096, 16384] and time.series[0].ys[0] == pytest.approx(2.024)
    assert picture.facts == ["Some CPU", "commit 4d2afb7", "2026-11-22 18:30:00 UTC"]


def test_bars_over_configurations_and_targets():
    panel, = plots.picture_of(tz_bench(sizes=(), configurations=("BLOCK=64", "BLOCK=128"))).panels
    assert panel.kind == "bars" and panel.series[0].xs == ["#1 BLOCK=64", "#2 BLOCK=128"] and len(panel.series) == 2
    lines = plots.picture_of(tz_bench(targets=("cpu",), configurations=("BLOCK=64", "BLOCK=128"))).panels[0]
    assert [one.name for one in lines.series] == ["#1 BLOCK=64", "#2 BLOCK=128"]


def test_the_axis_is_what_has_the_most_values():
    document = tz_bench(targets=("cpu",))
    document["results"] = [{**row, "values": {"BLOCK": block, **row["values"]}} for row in document["results"] for block in ("64", "128")]
    panel = plots.picture_of(document).panels[0]
    assert panel.xlabel == "n" and [one.name for one in panel.series] == ["BLOCK=64", "BLOCK=128"]


def test_results_of_other_benches():
    document = {"what": "launches", "peers": [], "rows": [
        {"name": "plain", "unit": "us", "better": "less", "samples": {"terrazzo": [3.0, 2.0, 4.0], "other": [9.0]}},
        {"name": "graph", "unit": "us", "better": "less", "samples": {"terrazzo": [2.0]}, "failed": {"other": "no"}}], **ORIGIN}
    panel, = plots.picture_of(document).panels
    assert panel.ylabel == "us (less is better)" and panel.series[0].ys == [3.0, 2.0] and panel.series[1].xs == ["plain"]


@pytest.mark.parametrize("name, message", [("x.gif", "x.gif: a picture ends in .html, .svg, .png"), ("x", "a picture ends in")])
def test_other_suffixes_are_refused(name, message, tmp_path):
    done = run(tz_bench(), tmp_path / name, tmp_path)
    assert done.returncode == 1 and message in done.stderr and not (tmp_path / name).exists()


def test_without_the_library_the_message_says_what_to_install(tmp_path, monkeypatch, capsys):
    (tmp_path / "matplotlib.py").write_text("raise ImportError")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = run(tz_bench(), tmp_path / "x.svg", tmp_path, PYTHONPATH=path)
    assert done.returncode == 1 and "pip install 'terrazzo[plot]'" in done.stderr and "Traceback" not in done.stderr
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    bench = terrazzo.testing.Benchmark(["n"], [1, 2], "provider", ["a"], ["A"], "speed", {})
    terrazzo.testing.perf_report(bench)(lambda n, provider: n).run(save_path=str(tmp_path))
    assert "pip install 'terrazzo[plot]'" in capsys.readouterr().err and (tmp_path / "speed.csv").exists()


def test_what_is_no_json_of_a_bench(tmp_path):
    pytest.importorskip("matplotlib")
    for document, message in ((5, "not the JSON of a bench"), ({"kernel": "k", "results": []}, "nothing was measured"),
                              ({"what": "x", "rows": [{}]}, "not the JSON of a bench")):
        done = run(document, tmp_path / "x.svg", tmp_path)
        assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr, done.stderr
    done = run(tz_bench(), tmp_path / "no" / "x.svg", tmp_path)
    assert done.returncode == 1 and "cannot be written" in done.stderr


def test_files_are_whole_alone_and_the_same_each_time(tmp_path):
    pytest.importorskip("matplotlib")
    for kind in ("html", "svg", "png"):
        for i in range(2):
            done = run(tz_bench(), tmp_path / f"{i}.{kind}", tmp_path)
            assert done.returncode == 0, done.stderr
        data = (tmp_path / f"0.{kind}").read_bytes()
        assert data == (tmp_path / f"1.{kind}").read_bytes()
        if kind == "html":
            text = data.decode()
            assert "k.py::&lt;add&gt;" in text and "<td>16384</td>" in text
            # What a browser would fetch; names of vocabularies are not fetched.
            for fetched in re.findall(r'(?:src|href|url)\s*[=(]\s*["\']?([^"\')\s>]+)', text):
                assert fetched.startswith("#"), fetched
            assert "<script" not in text and "<link" not in text and "@import" not in text


def test_perf_report_draws(tmp_path):
    pytest.importorskip("matplotlib")
    bench = terrazzo.testing.Benchmark(["n"], [1, 2, 4], "provider", ["a", "b"], ["A", "B"], "speed", {}, ylabel="GB/s",
                                       styles=[("red", "-"), ("green", "--")])
    mark = terrazzo.testing.perf_report(bench)(lambda n, provider: (n, n - 0.5, n + 0.5) if provider == "a" else n)
    mark.run(save_path=str(tmp_path))
    page = (tmp_path / "speed.html").read_text()
    assert "GB/s" in page and ">A<" in page and "commit" in page
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")


def browser():
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    pytest.skip("no browser of the Chromium family is on PATH")


def pixels_near(path, color):
    """How many pixels of a picture are this colour, or are blended from little else."""
    from PIL import Image  # which matplotlib brings

    wanted = bytes.fromhex(color)
    counts = Image.open(path).convert("RGB").getcolors(1 << 24)
    return sum(count for count, seen in counts if max(abs(a - b) for a, b in zip(seen, wanted)) < 60)


@pytest.mark.parametrize("kind", ["html", "svg"])
def test_a_browser_shows_it_without_a_network(kind, tmp_path):
    pytest.importorskip("matplotlib")
    program = browser()
    assert run(tz_bench(), tmp_path / f"x.{kind}", tmp_path).returncode == 0
    common = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
              "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=900,900"]
    shot, page = tmp_path / "shot.png", (tmp_path / f"x.{kind}").as_uri()
    done = subprocess.run([*common, f"--screenshot={shot}", page], capture_output=True, text=True, timeout=120)
    assert shot.exists(), done.stderr[-2000:]
    assert pixels_near(shot, "FFFFFF") > 400_000
    for color in ("0072B2", "D55E00"):  # a line of each target
        assert pixels_near(shot, color) > 300, color
    if kind == "html":
        done = subprocess.run([*common, "--dump-dom", page], capture_output=True, text=True, timeout=120)
        for text in ("cpu:x86-64-v4", "commit 4d2afb7", "2026-11-22 18:30:00 UTC", "time (µs)", "16,384"):
            assert text in done.stdout, text
