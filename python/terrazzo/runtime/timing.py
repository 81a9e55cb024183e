"""Clocks of devices, and how long a function takes by one of them. All times are milliseconds."""

import math
import time

RETURN_MODES = ("min", "max", "mean", "median", "all")


class HostClock:
    """Times on the host: for targets that run a launch before it returns. Caches stay warm, as in `tz bench`."""

    def sweep(self):
        pass

    def sync(self):
        pass

    def times(self, fn, repeats, before):
        taken = []
        for _ in range(repeats):
            before()
            start = time.perf_counter_ns()
            fn()
            taken.append((time.perf_counter_ns() - start) * 1e-6)
        return taken


class DeviceClock:
    """Times between two events of the device that torch has current."""

    sweep_bytes = 256 << 20

    def __init__(self, interface, device=None):
        """interface: torch's module of the device; without `device` there is no memory to sweep its caches with."""
        self.interface = interface
        if device is not None:
            import torch

            self.cache = torch.empty(self.sweep_bytes // 4, dtype=torch.int32, device=device)

    def sweep(self):
        self.cache.zero_()

    def sync(self):
        self.interface.synchronize()

    def times(self, fn, repeats, before):
        events = [(self.interface.Event(enable_timing=True), self.interface.Event(enable_timing=True))
                  for _ in range(repeats)]
        for start, stop in events:
            before()
            start.record()
            fn()
            stop.record()
        self.sync()
        return [start.elapsed_time(stop) for start, stop in events]


def clock_of(driver):
    """The clock of a driver's device."""
    interface = driver.get_device_interface()
    return HostClock() if interface is None else DeviceClock(interface, driver.get_active_torch_device())


def quantile(times, q):
    """Linear between the nearest two."""
    if not 0 <= q <= 1:
        raise ValueError(f"a quantile is between 0 and 1, not {q}")
    times = sorted(times)
    place = q * (len(times) - 1)
    low = math.floor(place)
    high = min(low + 1, len(times) - 1)
    return times[low] + (times[high] - times[low]) * (place - low)


def summary(times, quantiles, return_mode):
    """What is asked of times: a number for each quantile (of one no list), else by the return mode."""
    if quantiles is not None:
        found = [quantile(times, q) for q in quantiles]
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return times
    if return_mode in ("mean", "median"):
        import statistics

        return getattr(statistics, return_mode)(times)
    return {"min": min, "max": max}[return_mode](times)


def _is_settled(times, quantiles, return_mode):
    """Whether more of the same would hardly change what is asked: 95 % sure within 1 % of it."""
    import statistics

    if len(times) < 15 or (quantiles is None and return_mode not in ("mean", "median")):
        return False
    if quantiles is None and return_mode == "mean":
        return 1.96 * statistics.stdev(times) / math.sqrt(len(times)) <= 0.01 * statistics.mean(times)
    spread = quantile(times, 0.75) - quantile(times, 0.25)
    return 1.57 * spread / math.sqrt(len(times)) <= 0.01 * statistics.median(times)


_warm_until = 0.0  # by time.perf_counter; a device that was timed a moment ago runs at its clock


def _warm_up(clock, fn, milliseconds):
    end = time.perf_counter() + milliseconds * 1e-3
    while max(time.perf_counter(), _warm_until) < end:
        fn()
        clock.sync()


def check_return_mode(return_mode):
    """ValueError if there is no such one."""
    if return_mode not in RETURN_MODES:
        raise ValueError(f"return_mode must be one of {', '.join(RETURN_MODES)}, not {return_mode!r}")


def bench(clock, fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """The time of `fn()` in milliseconds by a clock; terrazzo.testing.do_bench has the rest."""
    check_return_mode(return_mode)
    global _warm_until

    def before():
        for tensor in grad_to_none or ():
            tensor.grad = None
        clock.sweep()

    fn()
    clock.sync()
    _warm_up(clock, fn, warmup)
    start = time.perf_counter()
    clock.times(fn, 3, before)  # these also wake the clock's own code
    each = (time.perf_counter() - start) / 3
    batch = max(5, min(20, int(rep * 1e-3 / (4 * each))))
    times, start = [], time.perf_counter()
    while not times or (time.perf_counter() - start < rep * 1e-3 and not _is_settled(times, quantiles, return_mode)):
        times += clock.times(fn, batch, before)
    _warm_until = time.perf_counter() + 0.05
    return summary(times, quantiles, return_mode)


def bench_recorded(driver, fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As bench, with the calls recorded as a graph of the driver's device, so that launches cost nothing."""
    check_return_mode(return_mode)
    interface = driver.get_device_interface()
    if interface is None or not hasattr(interface, "CUDAGraph"):
        raise RuntimeError("do_bench_cudagraph needs a device that torch can record graphs on; use do_bench")
    clock = DeviceClock(interface)
    with interface.stream(interface.Stream()):
        fn()
        interface.synchronize()
        for tensor in grad_to_none or ():
            tensor.detach_()
            tensor.requires_grad_(True)
            tensor.grad = None
        estimate = max(sum(clock.times(fn, 5, lambda: None)) / 5, 1e-6)
        repeats = max(1, int(rep / estimate))
        graph = interface.CUDAGraph()
        with interface.graph(graph):
            for _ in range(repeats):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        interface.synchronize()
        times = [time / repeats for time in clock.times(graph.replay, 10, lambda: None)]
    return summary(times, quantiles, return_mode)
