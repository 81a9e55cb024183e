"""Kernels on the CPU that leave their arrays."""

import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl

FAR = 1 << 42  # elements: beyond any memory of a process, and an address all the same


@terrazzo.jit
def reach(x, out, far, which):
    pid = tl.program_id(0)
    at = pid * 64 + tl.arange(0, 64)
    away = tl.where(pid == which, far, 0)
    value = tl.load(x + away + at)
    tl.store(out + at, value)


@terrazzo.jit
def write(out, far):
    tl.store(out + tl.program_id(0) + far, 1.0)


def lines_of(kernel, text):
    return [kernel.starting_line_number + i for i, line in enumerate(kernel.raw_src) if text in line]


@pytest.mark.parametrize("which", [0, 5, 99])
def test_a_read_is_told(which):
    x, out = np.ones(6400, np.float32), np.zeros(6400, np.float32)
    with pytest.raises(terrazzo.errors.KernelFault) as caught:
        reach[(100,)](x, out, FAR, which)
    error = caught.value
    assert isinstance(error, terrazzo.errors.LaunchError) and error.code == "TZ_E_FAULT"
    assert error.file == __file__ and error.line in lines_of(reach, "x + away")
    assert error.program == (which, 0, 0)
    text = str(error)
    assert text.startswith(f"{__file__}:{error.line}: ")
    assert "kernel 'reach' read from address 0x" in text and f"in program ({which}, 0, 0)" in text
    assert "TERRAZZO_CHECKED=1" in text
    reach[(100,)](x, out, FAR, -1)
    assert (out == 1).all()


def test_an_address_that_no_memory_can_have():
    with pytest.raises(terrazzo.errors.KernelFault, match="'write' accessed an address that no memory can have"):
        write[(1,)](np.zeros(8, np.float32), 1 << 60)


def test_a_write_is_told():
    with pytest.raises(terrazzo.errors.KernelFault, match="'write' wrote to address") as caught:
        write[(3,)](np.zeros(8, np.float32), FAR)
    assert caught.value.line in lines_of(write, "tl.store")


HEAD = """
import ctypes, faulthandler, os, signal, sys
import numpy as np
import terrazzo
import terrazzo.triton.language as tl

@terrazzo.jit
def write(out, far):
    tl.store(out + far, 1.0)

def fault():
    try:
        write[(1,)](np.zeros(8, np.float32), 1 << 42)
    except terrazzo.errors.KernelFault as error:
        print("caught", error.line, flush=True)
    else:
        print("not caught", flush=True)
    out = np.zeros(8, np.float32)
    write[(1,)](out, 3)
    assert out[3] == 1
"""


@pytest.fixture
def run_child(tmp_path):
    def run(body, **environment):
        """Status, output, errors."""
        script = tmp_path / "script.py"
        script.write_text(HEAD + textwrap.dedent(body))
        # What a kernel has damaged may be part of a message.
        made = subprocess.run([sys.executable, script], capture_output=True, text=True, errors="replace",
                              env={**os.environ, **environment}, timeout=120)
        return made.returncode, made.stdout, made.stderr
    return run


@pytest.mark.parametrize("threads", ["1", "3"])
def test_beside_faulthandler(run_child, threads):
    status, output, errors = run_child("faulthandler.enable()\nfault()", TERRAZZO_CPU_THREADS=threads)
    assert (status, errors) == (0, "") and output.startswith("caught")


def test_faults_of_others_go_to_faulthandler(run_child):
    status, output, errors = run_child("""
        faulthandler.enable()
        fault()
        ctypes.string_at(0)
    """)
    assert status == -signal.SIGSEGV and output.startswith("caught")
    assert "Fatal Python error: Segmentation fault" in errors and "string_at" in errors


def test_faults_of_others_end_the_process(run_child):
    status, output, errors = run_child("fault()\nctypes.string_at(0)")
    assert status == -signal.SIGSEGV and output.startswith("caught")
    assert errors.startswith("terrazzo: SIGSEGV; the last kernel that ran was 'write'") and errors.count("\n") == 1


def test_a_crash_after_a_kernel_names_it(run_child):
    # As the C library ends a process whose heap a kernel has damaged.
    status, output, errors = run_child("""
        write[(1,)](np.zeros(8, np.float32), 3)
        os.abort()
    """)
    assert status == -signal.SIGABRT
    assert "terrazzo: SIGABRT; the last kernel that ran was 'write'" in errors and "TERRAZZO_CHECKED=1" in errors


@pytest.mark.parametrize("programs", [1, 64, 1024])
def test_a_store_without_a_mask(run_child, programs):
    # What the heap looks like afterwards is anybody's guess; where the process ends of it, the kernel is named.
    status, output, errors = run_child(f"""
        @terrazzo.jit
        def no_mask(out, BLOCK: tl.constexpr):
            at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            tl.store(out + at, 1e30)

        try:
            no_mask[({programs},)](np.zeros(1000, np.float32), BLOCK=1024)
        except terrazzo.errors.KernelFault as error:
            print("told:", error, flush=True)
    """)
    assert status == 0 or "'no_mask'" in output + errors


def test_a_crash_without_kernels_is_none_of_ours(run_child):
    status, output, errors = run_child("os.abort()")
    assert status == -signal.SIGABRT and errors == ""


def test_a_handler_that_came_later_hears_first(run_child):
    status, output, errors = run_child("""
        fault()
        faulthandler.enable()
        fault()
    """)
    assert status == -signal.SIGSEGV and output.count("caught") == 1
    assert "Fatal Python error: Segmentation fault" in errors
    assert "the fault is in kernel 'write'" in errors


def test_it_can_be_turned_off(run_child):
    status, output, errors = run_child("fault()", TERRAZZO_CATCH_FAULTS="0")
    assert status == -signal.SIGSEGV and output == ""
