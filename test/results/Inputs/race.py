"""rows.py of the race: what is written is a file of results that reads as it was. Run by race.test."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "race"))
import rows  # noqa: E402

path = sys.argv[1]
os.environ["RACE_COMMIT"] = "abcdef0"
machine = {**rows.results.machine("a device", "1.2.3")}
same = {"comparison": "equal", "error": 0.0, "written": [0], "grid": [4, 1, 1], "bytes": 64}


def peer(samples, **more):
    return {"samples": samples, "us": sorted(samples)[len(samples) // 2], "registers": 32, "spills": 0, "shared": 0, **more}


made = [
    {"file": "quick-1-aaaaaaaa.json", "id": "aaaaaaaa", "kernel": "quick", "label": "f32[64] w4", "triton": peer([2.0, 4.0, 3.0], first_call_s=1.0),
     "terrazzo": peer([1.5, 1.5, 1.0], first_call_s=0.5), "ratio": 2.0, **same},
    {"file": "slow-1-bbbbbbbb.json", "id": "bbbbbbbb", "kernel": "slow", "label": "f16[8, 8]", "triton": peer([1.0, 1.0, 1.0]),
     "terrazzo": peer([2.0, 2.0, 2.0], spills=16), "ratio": 0.5, **same},
    {"file": "wrong-1-cccccccc.json", "id": "cccccccc", "kernel": "wrong", "label": "i32[4]", "triton": peer([1.0]), "terrazzo": peer([1.0]),
     "ratio": 1.0, **same, "comparison": "different", "error": 0.25},
    {"file": "refused-1-dddddddd.json", "id": "dddddddd", "kernel": "refused", "label": "", "triton": {"registers": 8},
     "terrazzo": {"problem": "CompilationError: no"}, "grid": [1, 1, 1], "bytes": 4},
    {"file": "lost-1-eeeeeeee.json", "problem": "no end after 60 s", "kernel": "lost", "label": "", "grid": [1, 1, 1], "bytes": 4},
]
rows.write(path, "recorded launches", {"triton": "3.6.0", "terrazzo": "0.1.0"}, machine, made)
got = rows.read(path)
assert got["commit"] == "abcdef0" and got["machine"] == "a device" and got["peers"]["triton"] == "3.6.0", got
for before, after in zip(made, got["rows"], strict=True):
    for key, value in before.items():
        assert after[key] == value, (before["kernel"], key, value, after[key])
assert "problem" in got["rows"][4]["triton"] and "ratio" not in got["rows"][3]
