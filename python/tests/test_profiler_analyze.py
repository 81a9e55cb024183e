"""What rules say of a profile: each has one that triggers it, and one beside it that must not."""

import json

import pytest

import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton
import terrazzo.triton.profiler.language as pl
from profiles import ones_and_zeros
from terrazzo.profiler import analyze, peaks, rules


def node(name, *children, **metrics):
    renamed = {{"time": "time (ns)", "cpu_time": "cpu_time (ns)"}.get(key, key): value for key, value in metrics.items()}
    return {"frame": {"name": name, "type": "function"}, "metrics": renamed, "children": list(children)}


def kernel(name, us, *parts, count=1, **metrics):
    return node(name, *parts, time=int(us * 1000), count=count, **metrics)


def span(cat, name, ts, dur, pid=1, tid=0, **args):
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid,
            "args": {"call_stack": ["ROOT", name], **args}}


def part(name, ts, dur, tid, launch=1):
    return {**span("part", name, ts, dur, tid=tid, launch=launch), "args": {"call_stack": ["ROOT", "work", name], "launch": launch}}


def samples(line, count, **reasons):
    return node(f"k.py:{line}@work", num_samples=count, num_stalled_samples=sum(reasons.values()),
                **{f"stalled_{name}": value for name, value in reasons.items()})


def waits(**reasons):
    """A kernel that waits for them at one line, and goes on at another: 60 of 200 samples, or 160."""
    (name, value), = reasons.items()
    return tree(kernel("work", 9, samples(7, value, **{name: value}), samples(9, 200 - value, wait=10)))


def tree(*children):
    return [node("ROOT", *children), {}]


def trace(*events):
    return {"traceEvents": list(events)}


def kernels(step, count=12, dur=1.0):
    return [span("kernel", "work", i * step, dur, pid=2) for i in range(count)]


def on_cores(*children):
    """On a device with ten."""
    for child in children:
        child["metrics"].update(device_type="GPU", device_id="0")
    return [node("ROOT", *children), {"GPU": {"0": {"num_sms": 10}}}]


# rule -> (what triggers it, what must not). Peaks: 100 GB/s, 1 TFLOP/s.
CASES = {
    "memory bandwidth is the limit": (tree(kernel("copy", 100, bytes=8_000_000)), tree(kernel("copy", 100, bytes=4_000_000))),
    "the arithmetic units are the limit": (tree(kernel("dot", 100, flops32=80_000_000)), tree(kernel("dot", 100, flops32=40_000_000))),
    "neither memory nor arithmetic is busy": (tree(kernel("walk", 100, flops=1_000_000, bytes=1_000_000)),
                                              tree(kernel("walk", 100, flops=1_000_000, bytes=4_000_000), kernel("unsaid", 100, bytes=1))),
    "registers do not suffice": (tree(kernel("work", 9, registers=255, spill_bytes=900, threads=128)),
                                 tree(kernel("work", 9, registers=255, spill_bytes=16, threads=128), kernel("unknown", 9))),
    "threads have little to do": (
        on_cores(kernel("work", 100, count=2, programs=2000, threads=128, bytes=256_000)),
        on_cores(kernel("wide", 100, programs=1000, threads=128, bytes=2_560_000),
                 kernel("few", 100, programs=100, threads=128, bytes=12_800),
                 kernel("quick", 100, programs=6000, threads=128, bytes=6_400_000), kernel("unsaid", 100, programs=1000, threads=128))),
    "cores have no program": (on_cores(kernel("work", 100, count=2, programs=12)),
                              on_cores(kernel("work", 100, count=2, programs=20), kernel("short", 9, programs=1))),
    "launches are short": (tree(kernel("tiny", 100, count=50)), tree(kernel("tiny", 100, count=9), kernel("long", 5000, count=50))),
    "one part takes most of the kernel": (
        tree(kernel("work", 9, node("load", cycles=80, visits=1), node("store", cycles=20, visits=1))),
        tree(kernel("work", 9, node("load", cycles=55, visits=1), node("store", cycles=45, visits=1)),
             kernel("one", 9, node("all", cycles=9)))),
    "a part runs very often": (tree(kernel("work", 9, node("turn", cycles=50_000, visits=2000))),
                               tree(kernel("work", 9, node("turn", cycles=5_000_000, visits=2000), node("once", cycles=5, visits=1)))),
    "the device waits for the host": (tree(node("step", kernel("work", 100), cpu_time=500_000)),
                                      tree(node("step", kernel("work", 100), cpu_time=150_000), node("empty", cpu_time=900_000))),
    "copies take time": (tree(kernel("work", 80), kernel("<copy>", 20)), tree(kernel("work", 95), kernel("<copy>", 5))),
    "fills take time": (tree(kernel("work", 80), kernel("<fill>", 20)), tree(kernel("work", 95), kernel("<fill>", 5))),
    "what kernels say of themselves costs time": (
        tree(kernel("work", 80), node("__proton_launch_metadata", kernel("sum", 20))),
        tree(kernel("work", 80), node("__proton_launch_metadata", kernel("sum", 1)))),
    "compilations stand between launches": (trace(*kernels(10), span("compile", "compile", 12, 5), span("compile", "compile", 32, 8)),
                                            trace(*kernels(10), span("compile", "compile", -500, 400), span("compile", "compile", 32, 8))),
    "the device is idle between kernels": (trace(*kernels(10)), trace(*kernels(1.5))),
    "waiting stands between launches": (trace(*kernels(10), *[span("sync", "sync", 10 * i + 2, 5) for i in range(8)]),
                                        trace(*kernels(10), *[span("sync", "sync", 200 + i, 1) for i in range(8)])),
    "one statement takes most of the kernel": (
        tree(node("step", kernel("work", 9)), node("<samples>", node("work", samples(7, 80), samples(9, 40)))),
        tree(kernel("work", 9, samples(7, 50), samples(8, 50), samples(9, 50)), kernel("few", 9, samples(7, 9), samples(8, 1)),
             kernel("one", 9, samples(7, 500)))),
    "warps wait for memory": (waits(long_scoreboard=160), waits(long_scoreboard=60)),
    "warps wait for shared memory": (waits(mio_throttle=80), waits(short_scoreboard=40)),
    "warps wait for barriers": (waits(barrier=80), waits(barrier=40)),
    "warps wait for busy units": (waits(math_pipe_throttle=80), waits(math_pipe_throttle=40)),
    "warps wait for instructions": (waits(no_instruction=80), waits(branch_resolve=40)),
    "programs differ in length": (trace(*kernels(10), *[part("load", 0, 9 if i == 3 else 1, i) for i in range(8)]),
                                  trace(*kernels(10), *[part("load", 0, 1.5 if i == 3 else 1, i) for i in range(8)])),
}


def said(content, tmp_path):
    path = tmp_path / "profile"
    path.write_text(json.dumps(content))
    profile = analyze.read(path)
    profile.peak_bytes, profile.peak_flops = 100e9, 1e12
    return analyze.findings(profile)


def test_each_rule_has_a_case():
    assert set(CASES) == set(rules.RULES)


@pytest.mark.parametrize("name", CASES)
def test_rule(name, tmp_path):
    triggers, does_not = CASES[name]
    (found,) = [one for one in said(triggers, tmp_path) if one.rule == name]
    assert 0 < found.share <= 1 and any(letter.isdigit() for letter in found.evidence)
    assert name not in [one.rule for one in said(does_not, tmp_path)]


def test_nothing_is_said_without_peaks(tmp_path):
    path = tmp_path / "profile"
    path.write_text(json.dumps(CASES["memory bandwidth is the limit"][0]))
    assert not analyze.findings(analyze.read(path))


@terrazzo.jit
def work(x, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    with pl.scope("load"):
        v = tl.load(x + at)
    with pl.scope("compute"):
        for _ in tl.static_range(20):
            v = tl.exp(v * 0.125)
    with pl.scope("store"):
        tl.store(y + at, v)


def test_of_a_session(tmp_path, monkeypatch, capsys):
    """The part that computes is named, of a kernel that is short; not those that move what is in the caches."""
    monkeypatch.chdir(tmp_path)
    x, y = ones_and_zeros(4096)
    proton.start("run", backend="instrumentation")
    for _ in range(5):
        work[(1,)](x, y, BLOCK=4096)
    proton.finalize()
    assert analyze.main(["run.hatchet"]) == 0
    out = capsys.readouterr().out
    assert "work: one part takes most of the kernel" in out and "shown by: compute has " in out


def test_peaks(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(peaks, "_BYTES", 1 << 22)
    monkeypatch.setattr(peaks, "_SIDE", 128)
    path = tmp_path / "profile"
    path.write_text(json.dumps(tree(kernel("copy", 1, bytes=10**9))))
    assert analyze.main([str(path), "--measure", "--peak-flops", "2"]) == 0
    out = capsys.readouterr().out
    assert "this machine: " in out and "2.000 TFLOP/s" in out and "memory bandwidth is the limit" in out


def test_no_profile(tmp_path, capsys):
    path = tmp_path / "profile"
    expected = "a tree of frames or a trace is expected"
    for text, told in (("{", "no profile ("), ("[]", expected), ("{}", expected)):
        path.write_text(text)
        assert analyze.main([str(path)]) == 1 and told in capsys.readouterr().err
    assert analyze.main([str(tmp_path / "nowhere")]) == 1
    path.write_text(json.dumps(tree()))
    assert analyze.main([str(path)]) == 0 and "none has figures that show anything" in capsys.readouterr().out
