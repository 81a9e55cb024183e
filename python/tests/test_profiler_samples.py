"""Samples of instructions: triton.profiler with mode="pcsampling"."""

import inspect
import os
import signal
import subprocess
import sys
import time

import pytest

import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton
from profiles import children, ones_and_zeros, tree
from terrazzo import _native
from terrazzo.profiler import analyze

PROGRAMS, BLOCK = 8, 1024


@terrazzo.jit
def hot(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    for _ in range(n):
        v = tl.exp(v) * 0.5  # hot
    tl.store(y + at, v)


@terrazzo.jit
def second(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at)
    for _ in range(n):
        v = tl.sqrt(v * v + 0.25)
    tl.store(y + at, v)


def run(kernel, seconds):
    x, y = ones_and_zeros(PROGRAMS * BLOCK)
    kernel[(PROGRAMS,)](x, y, 1, BLOCK=BLOCK)
    end = time.process_time() + seconds
    while time.process_time() < end:
        kernel[(PROGRAMS,)](x, y, 300, BLOCK=BLOCK)


def samples(node):
    return node["metrics"].get("num_samples", 0) + sum(samples(child) for child in node["children"])


needs_sampler = pytest.mark.skipif(_native.describe_device()["plugin"] != "cpu", reason="this target takes no samples")


@needs_sampler
@pytest.mark.parametrize("mode", ["pcsampling", proton.mode.PCSampling(interval=3_000_000)])
def test_samples_are_at_the_hot_line(tmp_path, mode):
    session = proton.start(str(tmp_path / "run"), mode=mode)
    with proton.scope("work"):
        run(hot, 1.5)
    proton.finalize(session)
    kernel = children(children(tree(tmp_path / "run.hatchet"))["work"])["hot"]
    lines, first = inspect.getsourcelines(hot.fn)
    line = first + next(i for i, text in enumerate(lines) if "# hot" in text)
    found = {name: samples(child) for name, child in children(kernel).items()}
    of_hot = found[f"{inspect.getsourcefile(hot.fn)}:{line}@hot"]
    assert sum(found.values()) >= 30, "the timer runs by the processor's time"
    assert of_hot >= 0.8 * sum(found.values()), found
    assert kernel["metrics"]["count"] > 1
    if sum(found.values()) >= 100:
        (said,) = [one for one in analyze.findings(analyze.read(tmp_path / "run.hatchet")) if one.rule.startswith("one statement")]
        assert said.where == "hot" and f":{line}, v = tl.exp(v) * 0.5" in said.evidence


@needs_sampler
def test_each_kernel_has_its_own_and_pauses_have_none(tmp_path):
    session = proton.start(str(tmp_path / "run"), mode="pcsampling:interval=3000000")
    run(hot, 0.6)
    proton.deactivate(session)
    run(second, 0.6)
    proton.activate(session)
    run(second, 0.2)
    proton.finalize(session)
    top = children(tree(tmp_path / "run.hatchet"))
    assert samples(top["hot"]) > samples(top["second"]) > 0


@needs_sampler
def test_nothing_is_left_of_a_session(tmp_path):
    proton.finalize(proton.start(str(tmp_path / "run"), mode="pcsampling"))
    assert signal.getsignal(signal.SIGPROF) in (signal.SIG_IGN, signal.SIG_DFL, None)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    os.kill(os.getpid(), signal.SIGPROF)  # one that comes late


@needs_sampler
def test_another_profiler_has_the_signal(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("import signal, warnings\n"
                       "import terrazzo.triton.profiler as proton\n"
                       "signal.signal(signal.SIGPROF, lambda *_: None)\n"
                       "with warnings.catch_warnings(record=True) as said:\n"
                       "    warnings.simplefilter('always')\n"
                       f"    proton.finalize(proton.start({str(tmp_path / 'run')!r}, mode='pcsampling'))\n"
                       "print(said[0].message)\n")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=dict(os.environ))
    assert "another profiler in this process has the signal SIGPROF" in done.stdout, done.stderr


def test_settings():
    for wrong, said in (({"mode": "pcsampling", "data": "trace"}, "samples need data='tree'"),
                        ({"mode": "pcsampling:interval=0"}, "Interval must be a positive integer"),
                        ({"mode": "pcsampling:interval=often"}, "interval is a number of cycles"),
                        ({"mode": "pcsampling:size=1"}, "pcsampling has no setting 'size'; it has 'interval'"),
                        ({"mode": "pcsampling", "backend": "instrumentation"}, "Unknown mode: pcsampling")):
        with pytest.raises(ValueError, match=said):
            proton.start(**wrong)
