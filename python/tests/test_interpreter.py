"""TRITON_INTERPRET=1: launches in the reference interpreter, which says what is wrong with a kernel."""

import subprocess
import sys

import pytest

HEAD = """
import numpy as np
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo.errors import InterpreterError, DeviceAssertionError
"""


def run(program, tmp_path, **environment):
    import os
    script = tmp_path / "program.py"
    script.write_text(HEAD + program)
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "TRITON_INTERPRET": "1", **environment})


def test_results_and_target(tmp_path):
    done = run("""
@triton.jit
def twice(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

x = np.arange(100, dtype=np.float32)
code = twice[(2,)](x, 100, BLOCK=64)
assert (x == 2 * np.arange(100)).all()
assert twice.warmup(tl.float32, 100, BLOCK=64, grid=(2,)).target == code.target
print(code.target)
""", tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interp:reference\n", "")


OUT_OF_BOUNDS = """
@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))

memory = np.zeros(64, np.float32)
try:
    kernel[(1,)](memory[:50].copy(), memory, BLOCK=64)
except InterpreterError as error:
    print(error)
kernel[(1,)](memory[16:], memory, BLOCK=32)  # a view is part of all of its array
kernel[(1,)](memory, memory, BLOCK=64)
"""


def test_access_out_of_bounds(tmp_path):
    done = run(OUT_OF_BOUNDS, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "program.py:10:" in done.stdout and "out-of-bounds access" in done.stdout
    assert "right behind the end of 'x' (200 bytes)" in done.stdout and "14 times in all" in done.stdout


def test_checks_can_be_left_out(tmp_path):
    done = run(OUT_OF_BOUNDS, tmp_path, TERRAZZO_INTERPRET_CHECKS="0")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_race(tmp_path):
    done = run("""
@triton.jit
def kernel(x):
    tl.store(x, tl.program_id(0))

x = np.zeros(1, np.int32)
try:
    kernel[(2,)](x)
except InterpreterError as error:
    print(error)
""", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "race between programs" in done.stdout and "'x'" in done.stdout


def test_prints_and_asserts(tmp_path):
    done = run("""
@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.static_print("block", BLOCK)
    tl.device_print("value", tl.load(x + at))
    tl.device_assert(tl.load(x + at) < 3, "too large")

x = np.arange(4, dtype=np.float32)
try:
    kernel[(1,)](x, BLOCK=4)
except DeviceAssertionError as error:
    print(error)
""", tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "block 4"
    assert lines[1:5] == [f"pid (0, 0, 0) idx ({i}) value {i}" for i in range(4)]
    assert "too large" in lines[5] and "program.py:" in lines[5]


def test_same_print_as_on_the_cpu(tmp_path):
    program = """
@triton.jit
def kernel(x, n):
    i = tl.arange(0, 2)
    tl.device_print("two", tl.load(x + i[:, None] * 2 + i[None, :]), i)
    tl.device_print("hello")
    tl.device_print("bits", n, hex=True)

kernel[(2,)](np.arange(4, dtype=np.float16) / 3, -1)
"""
    interpreted, native = run(program, tmp_path), run(program, tmp_path, TRITON_INTERPRET="0")
    assert interpreted.returncode == 0, interpreted.stderr
    assert interpreted.stdout == native.stdout and interpreted.stdout.count("hello") == 2


def test_tensors_and_tuples_of_torch(tmp_path):
    pytest.importorskip("torch")
    done = run("""
import torch

@triton.jit
def kernel(pair, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(pair[0] + at) + tl.load(pair[1] + at))

x, out = torch.arange(8.0), torch.zeros(8)
kernel[(1,)]((x, x), out, BLOCK=8)
assert torch.equal(out, 2 * x)
try:
    kernel[(1,)]((x, x), out[:4], BLOCK=16)
except InterpreterError as error:
    print(error)
""", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "'pair'" in done.stdout


def test_tensors_of_an_accelerator(tmp_path):
    """They are copied to the host and back; views of one memory stay that, with its bounds."""
    torch = pytest.importorskip("torch")
    if not torch.accelerator.is_available():
        pytest.skip("torch has no accelerator here")
    done = run("""
import torch

@triton.jit
def kernel(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at))

memory = torch.arange(32.0, device=torch.accelerator.current_accelerator())
code = kernel[(1,)](memory, memory[16:], BLOCK=16)
assert torch.equal(memory.cpu(), torch.cat([torch.arange(16.0), 2 * torch.arange(16.0)]))
columns = memory.reshape(4, 8).t()
kernel[(1,)](columns, columns[:, 2:], BLOCK=16)
assert torch.equal(memory[16:].cpu(), 2 * torch.arange(16.0)) and memory.device.type != "cpu"
try:
    kernel[(1,)](memory, memory[8:], BLOCK=32)
except InterpreterError as error:
    print(error)
print(code.target)
""", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "out-of-bounds access" in done.stdout and "right behind the end of 'x, out'" in done.stdout
    assert done.stdout.endswith("interp:reference\n")
