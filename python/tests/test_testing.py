"""terrazzo.testing."""

import itertools
import time

import numpy as np
import pytest
from terrazzo import testing
from terrazzo.runtime import timing
from terrazzo.runtime.drivers import HostDriver


def test_do_bench_times(monkeypatch):
    monkeypatch.setattr(testing, "_clock", timing.HostClock)  # what sleeps is no device
    assert 1.0 < testing.do_bench(lambda: time.sleep(0.001), warmup=2, rep=10) < 20
    low, middle, high = testing.do_bench(lambda: time.sleep(0.0005), warmup=1, rep=10, quantiles=[0.0, 0.5, 1.0])
    assert 0.5 < low <= middle <= high
    assert len(testing.do_bench(lambda: time.sleep(0.001), warmup=1, rep=5, return_mode="all")) >= 1
    with pytest.raises(ValueError, match="return_mode must be one of min, max"):
        testing.do_bench(lambda: None, return_mode="best")


class Counted(timing.HostClock):
    """Times that a test chooses."""

    def __init__(self, times):
        self.taken, self.given = [], iter(times)
        self.sweep = lambda: None

    def times(self, fn, repeats, before):
        self.taken += [next(self.given) for _ in range(repeats)]
        return self.taken[-repeats:]


def test_do_bench_ends_when_the_answer_is_known(monkeypatch):
    def samples(times, **more):
        clock = Counted(times)
        monkeypatch.setattr(testing, "_clock", lambda: clock)
        testing.do_bench(lambda: None, warmup=0, rep=50, **more)
        return len(clock.taken)

    same = itertools.repeat(1.0)
    assert samples(same, return_mode="median") <= 30 and samples(same) <= 30 and samples(same, quantiles=[0.5, 0.2]) <= 30
    # What jumps, and the least or all of them, are looked for as long as was asked.
    jumps = itertools.cycle([1.0, 1.5])
    assert samples(jumps, return_mode="median") > 100 and samples(same, return_mode="min") > 100


def test_quantiles():
    assert timing.quantile([3, 1, 2], 0.5) == 2 and timing.quantile([0, 10], 0.25) == 2.5
    with pytest.raises(ValueError, match="between 0 and 1"):
        timing.quantile([1], 2)


def test_assert_close():
    testing.assert_close(np.ones(4), [1, 1, 1, 1.001])
    testing.assert_close(np.float32(1), 1.0005)
    with pytest.raises(AssertionError, match="row 3"):
        testing.assert_close(np.ones(4), np.zeros(4), err_msg="row 3")
    with pytest.raises(AssertionError):
        testing.assert_close(np.ones(4), np.full(4, 1.001), atol=0, rtol=lambda dtype: 1e-6)


def report(**more):
    return testing.Benchmark(x_names=["n"], x_vals=[1, 2, 4], line_arg="provider", line_vals=["a", "b"],
                             line_names=["A", "B"], plot_name="speed", args={"scale": 2.0}, ylabel="GB/s", **more)


def test_perf_report(capsys, tmp_path):
    @testing.perf_report(report(x_log=True))
    def run(n, provider, scale):
        return n * scale if provider == "a" else (n * 3.0, n * 2.0, n * 4.0)

    run.run(print_data=True, save_path=str(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "speed:" and lines[1].split() == ["n", "A", "(GB/s)", "B", "(GB/s)"]
    assert lines[-1].split() == ["4", "8.000000", "12.000000"]
    assert (tmp_path / "speed.csv").read_text().splitlines()[0] == "n,A (GB/s),B (GB/s)"
    table = run.run(return_df=True)
    assert list(table.columns) == ["n", "A (GB/s)", "B (GB/s)"]
    assert run(3, "a", 2.0) == 6.0


def test_perf_report_draws_a_plot(tmp_path):
    pytest.importorskip("matplotlib")

    @testing.perf_report([report(styles=[("blue", "-"), ("green", "--")])])
    def run(n, provider, scale):
        return n * scale, n, n * 3

    run.run(save_path=str(tmp_path))
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")


def test_lines_need_names():
    with pytest.raises(ValueError, match="line_vals has 2 entries, line_names 1"):
        testing.Benchmark(["n"], [1], "p", ["a", "b"], ["A"], "x", {})


def test_do_bench_does_not_sweep_for_ever(monkeypatch):
    clock = timing.HostClock()
    clock.sweep = lambda: time.sleep(0.002)
    monkeypatch.setattr(testing, "_clock", lambda: clock)
    times = testing.do_bench(lambda: None, warmup=0, rep=20, return_mode="all")
    assert 5 <= len(times) <= 40  # 4 * 20 ms of sweeps


def test_clocks_of_drivers():
    class Events:
        """A device whose every event is 2 ms after the one before."""

        now, synced = 0, 0

        class Event:
            def __init__(self, enable_timing):
                self.at = None

            def record(self):
                Events.now += 2
                self.at = Events.now

            def elapsed_time(self, other):
                return other.at - self.at

        @staticmethod
        def synchronize():
            Events.synced += 1

    assert timing.DeviceClock(Events).times(lambda: None, 3, lambda: None) == [2, 2, 2] and Events.synced
    host = HostDriver().get_benchmarker()
    assert 1 < host(lambda: time.sleep(0.001), warmup=1, rep=5, return_mode="median") < 20
    with pytest.raises(RuntimeError, match="needs a device that torch can record graphs on; use do_bench"):
        timing.bench_recorded(HostDriver(), lambda: None)
