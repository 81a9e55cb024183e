"""triton.tools."""

import os
import shutil
import stat

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo.triton.tools import disasm
from terrazzo.triton.tools.ragged_tma import atomic_add_ragged, create_ragged_descriptor, load_ragged, store_ragged


@terrazzo.jit
def copy_run(source, target, first, count, row, BLOCK: tl.constexpr):
    block = load_ragged(source, first, count, [row, 0])
    store_ragged(target, first, count, [row, 0], 2 * block)


@pytest.mark.parametrize("first, count, row", [(0, 20, 0), (3, 5, 0), (3, 11, 8), (16, 4, -2), (5, 0, 0), (1, 1, 8)])
def test_a_run_of_rows(first, count, row):
    x = np.arange(1, 20 * 16 + 1, dtype=np.float32).reshape(20, 16)
    y = np.full((20, 16), -1, np.float32)
    copy_run[(1,)](create_ragged_descriptor(x, [8, 16]), create_ragged_descriptor(y, [8, 16]), first, count, row, BLOCK=8)
    expected = np.full((20, 16), -1, np.float32)
    for i in range(first + max(row, 0), first + min(row + 8, count)):
        expected[i] = 2 * x[i]
    assert (y == expected).all()


@terrazzo.jit
def read_run(source, out, first, count, DIM: tl.constexpr):
    block = load_ragged(source, first, count, [0, 1, 0], ragged_dim=DIM)
    tl.store(out + tl.arange(0, 8 * 4), tl.ravel(block))


@pytest.mark.parametrize("dim", [1, -2])
def test_reads_outside_give_zeros(dim):
    x = np.arange(1, 2 * 9 * 8 + 1, dtype=np.float32).reshape(2, 9, 8)[:, :, :4]
    out = np.full((8, 4), -1, np.float32)
    read_run[(1,)](create_ragged_descriptor(x, [1, 8, 4], dim), out, 2, 5, DIM=dim)
    assert (out[:4] == x[0, 3:7]).all() and (out[4:] == 0).all()


@terrazzo.jit
def add_to_run(target, firsts, counts):
    i = tl.program_id(0)
    first, count = tl.load(firsts + i), tl.load(counts + i)
    atomic_add_ragged(target, first, count, [0, 0], tl.full((4, 8), 1, tl.int32))


def test_runs_that_a_kernel_reads():
    x = np.zeros((9, 8), np.int32)
    add_to_run[(3,)](create_ragged_descriptor(x, [4, 8]), np.array([0, 3, 4], np.int32), np.array([3, 1, 9], np.int32))
    assert x[:, 0].tolist() == [1, 1, 1, 1, 1, 1, 1, 1, 0]


@terrazzo.triton.constexpr_function
def is_descriptor(x):
    return isinstance(x, tl.tensor_descriptor)


@terrazzo.jit
def ask_kind(source, out):
    tl.static_assert(is_descriptor(source) and source.dtype == tl.float32)
    tl.store(out, load_ragged(source, 0, source.shape[0], [0, 0]).to(tl.int32).sum())


def test_a_run_is_of_a_tensor_descriptor():
    out = np.full(1, -1, np.int32)
    for rows in (2, 0):
        made = create_ragged_descriptor(np.ones((4, 8), np.float32)[:rows], [4, 8])
        assert isinstance(made, terrazzo.TensorDescriptor)
        ask_kind[(1,)](made, out)
        assert out[0] == rows * 8


def test_what_no_run_is_made_of():
    x = np.zeros((4, 8), np.float32)
    for arguments, text in (((x[:, ::2], [4, 4]), "last stride must be 1"), ((x, [4]), "block_shape has 1 entries"),
                            ((x, [4, 8], 2), "ragged_dim 2 is outside"), ((np.zeros((1,) * 6), [1] * 6), "1 to 5 dimensions")):
        with pytest.raises(ValueError, match=text):
            create_ragged_descriptor(*arguments)


def test_disassembly(tmp_path, monkeypatch):
    """By the vendor's tool, which is told the file and the function."""
    tool = tmp_path / "dump"
    tool.write_text("#!/bin/sh\nfor last; do :; done\necho \"$1 $2 $3\"; cat \"$last\"\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("TRITON_CUOBJDUMP_PATH", str(tool))
    assert disasm.get_sass(b"code", "kernel") == "-sass -fun kernel\ncode"
    assert disasm.get_sass(b"code").startswith("-sass /") and disasm.get_sass(b"code").endswith("\ncode")
    monkeypatch.delenv("TRITON_CUOBJDUMP_PATH")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not shutil.which("cuobjdump") and os.path.exists(tool)
    with pytest.raises(RuntimeError, match="cuobjdump is not installed: put it on PATH or name it in TRITON_CUOBJDUMP_PATH"):
        disasm.get_sass(b"code")
