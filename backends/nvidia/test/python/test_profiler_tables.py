"""Profiles of a GPU as tables of hatchet, as scripts for Proton's viewer read them."""

import json

import numpy as np
import pytest

from terrazzo.triton.profiler import specs


def node(name, *children, **metrics):
    renamed = {{"time": "time (ns)"}.get(key, key): value for key, value in metrics.items()}
    return {"frame": {"name": name, "type": "function"}, "metrics": renamed, "children": list(children)}


def test_tables_of_hatchet(tmp_path):
    pytest.importorskip("hatchet")
    from terrazzo.triton.profiler import viewer as tables

    device = {"arch": "90", "num_sms": 132, "clock_rate": 1_980_000, "memory_clock_rate": 2_619_000, "bus_width": 5120}
    kernel = {"device_id": "0", "device_type": "CUDA"}
    tree = node("ROOT", node("/home/me/run.py:12@main",
                             node("matmul", time=4_000_000, count=2, flops16=8_000_000, bytes=2000, **kernel),
                             node("__proton_launch_metadata", node("sum", time=9, count=1, **kernel))),
                node("add", time=1_000_000, count=1, bytes=500, **kernel), time=0, count=0, flops16=0, bytes=0)
    path = tmp_path / "run.hatchet"
    path.write_text(json.dumps([tree, {"CUDA": {"0": device}}]))
    table, names = tables.parse(["time/ms", "avg_time/us", "tflop16/s", "gbyte/s", "time/%", "util"], str(path))
    assert names == ["time/ms (inc)", "avg_time/us (inc)", "tflop16/s (inc)", "gbyte/s (inc)", "time/% (inc)", "util"]
    rows = {row["name"]: row for _, row in table.dataframe.iterrows()}
    assert set(rows) == {"ROOT", "/home/me/run.py:12@main", "matmul", "add"}
    assert [rows["matmul"][name] for name in names[:5]] == pytest.approx([4.0, 2000.0, 0.002, 0.0005, 80.0])
    assert rows["ROOT"]["time/ms (inc)"] == 5.0 and np.isnan(rows["ROOT"]["util"])
    least = 8e6 / specs.max_flops("CUDA", "90", 16, 132, 1_980_000)
    assert rows["matmul"]["util"] == pytest.approx(max(least, 2000 / specs.max_bps("CUDA", "90", 5120, 2_619_000)) / 4e-3)
    assert set(tables.format_frames(table, "function_line").dataframe["name"]) == {"ROOT", "12@main", "matmul", "add"}
    kept = tables.filter_frames(table, include=".*add.*")
    assert "matmul" not in set(kept.dataframe["name"])
    same = tables.apply_diff_profile(*tables.parse(["time/ms"], str(path)), str(path), ["time/ms"], None, None, None)
    assert (same.dataframe["time/ms (inc)"].fillna(0) == 0).all()
    with pytest.raises(RuntimeError, match="Metric tokens is not found"):
        tables.parse(["tokens"], str(path))
