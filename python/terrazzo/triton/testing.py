"""`triton.testing`."""

import contextlib

from ..runtime import timing
from ..runtime.drivers import driver
from ..testing import Benchmark, Mark, assert_close, do_bench, perf_report
from . import runtime

_summarize_statistics = timing.summary  # (times, quantiles, return_mode), for timers of others


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As do_bench, with the calls recorded as a graph, so that launches cost nothing. Needs torch and a GPU."""
    return timing.bench_recorded(driver.active, fn, rep, grad_to_none, quantiles, return_mode)


def nvsmi(attrs):
    """Numbers of the first device by nvidia-smi's names, as ["clocks.max.sm"]."""
    import subprocess

    out = subprocess.check_output(["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(attrs), "--format=csv,noheader,nounits"])
    return [int(field) for field in out.decode().replace(",", " ").split()]


def _facts(device):
    return driver.active.get_device_properties(driver.active.get_current_device() if device is None else device)


def get_dram_gbps(device=None):
    """The bandwidth of the device's memory in GB/s."""
    facts = _facts(device)
    return 2 * facts["mem_clock_rate"] * facts["mem_bus_width"] / 8 * 1e-6


def _capability():
    interface = driver.active.get_device_interface()
    if interface is None:
        raise RuntimeError("this is a question about a GPU, and kernels run on the host now")
    return interface.get_device_capability()


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """The peak of matrix products in TFLOP/s at `clock_rate` kHz."""
    capability = _capability()
    if capability[0] < 8:
        raise RuntimeError("figures are known from compute capability 8.0 on")
    # Of fp16, in a clock and multiprocessor.
    per_unit = 2048 if capability == (8, 0) else {8: 1024, 9: 4096}.get(capability[0], 8192)
    share = {32: 0.5, 16: 1, 8: 2}[dtype.itemsize * 8]
    return _facts(device)["multiprocessor_count"] * per_unit * share * clock_rate * 1e-9


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """The peak of arithmetic without matrix units in TFLOP/s at `clock_rate` kHz."""
    lanes = 64 if _capability() == (8, 0) else 128
    share = {64: 0.5, 32: 1, 16: 2}[dtype.itemsize * 8]
    return _facts(device)["multiprocessor_count"] * lanes * share * 2 * clock_rate * 1e-9


@contextlib.contextmanager
def set_gpu_clock(ref_sm_clock=1350, ref_mem_clock=1215):
    """Fixes the clocks of the first device; gives (TFLOP/s, GB/s) to expect. Needs the right to do so."""
    import subprocess

    run = subprocess.check_output
    try:
        run(["nvidia-smi", "-i", "0", "-pm", "1"])
        run(["nvidia-smi", "-i", "0", f"--lock-gpu-clocks={ref_sm_clock},{ref_sm_clock}"])
        run(["nvidia-smi", "-i", "0", f"--lock-memory-clocks={ref_mem_clock},{ref_mem_clock}"])
        yield 1e-6 * 2 * 108 * 4 * 256 * ref_sm_clock, 640 * 2 * ref_mem_clock * 1e-3
    finally:
        for arguments in (["-pm", "0"], ["-rgc"], ["-rmc"]):
            run(["nvidia-smi", "-i", "0", *arguments])
