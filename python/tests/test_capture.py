"""TERRAZZO_CAPTURE: a launch from Python becomes a file that tz runs again."""

import os
import shutil
import subprocess
import sys
import sysconfig

import pytest

PROGRAM = """
import numpy as np
import terrazzo
terrazzo.install_as_triton()
import triton
import triton.language as tl

@triton.jit
def halve(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.device_assert(v < 100, "too large")
    tl.store(out + i, v * 0.5, mask=i < n)

whole = np.arange(48, dtype=np.float32)
x, out = whole[8:], np.zeros(40, np.float32)
halve[(3,)](x, out, 40, BLOCK=16, debug=True)
whole[40] = 200
try:
    halve[(3,)](x, out, 40, BLOCK=16, debug=True)
except Exception as problem:
    print("told:", problem)
print(out[1])
"""


def run(folder, **variables):
    path = folder / "program.py"
    path.write_text(PROGRAM)
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=folder, timeout=120,
                          env={**os.environ, "TERRAZZO_TARGET": "cpu", "TERRAZZO_CAPTURE": "kept", **variables})


def test_a_launch_that_fails_becomes_a_file(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "told:" in done.stdout and "too large" in done.stdout and done.stdout.endswith("4.5\n")
    kept = list((tmp_path / "kept").iterdir())
    assert len(kept) == 1 and kept[0].name.startswith("halve-") and str(kept[0]) in done.stderr
    program = shutil.which("tz", path=sysconfig.get_path("scripts")) or shutil.which("tz")
    if program is None:
        pytest.skip("no tz on the path")
    shown = subprocess.run([program, "replay", str(kept[0]), "--show"], capture_output=True, text=True, timeout=120)
    # The array that x is a part of, from its beginning.
    assert "x            *fp32 32 bytes into array 0 of 192 bytes" in shown.stdout, shown.stdout + shown.stderr
    again = subprocess.run([program, "replay", str(kept[0])], capture_output=True, text=True, timeout=120)
    assert again.returncode == 1 and "program.py:12" in again.stderr and "too large" in again.stderr, again.stderr


def test_all_launches(tmp_path):
    done = run(tmp_path, TERRAZZO_CAPTURE_WHEN="all", TERRAZZO_CAPTURE_FILES="1")
    assert done.returncode == 0, done.stderr
    assert len(list((tmp_path / "kept").iterdir())) == 1  # equal arguments: one file, though the data differ
