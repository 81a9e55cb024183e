"""Devices of torch.xpu: the branch of the package that names them, with a stand-in for torch."""

import os
import subprocess
import sys

# A torch that has an accelerator of this vendor, with the attributes that torch.xpu has and no others.
FAKE = """
import sys, types
torch = types.ModuleType("torch")
facts = types.SimpleNamespace(name="Intel(R) Data Center GPU Max 1550", gpu_subslice_count=64, local_mem_size=131072,
                              max_compute_units=512, sub_group_sizes=[16, 32], total_memory=1 << 36)
torch.xpu = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 1, get_device_properties=lambda index: facts)
torch._C = types.SimpleNamespace(_xpu_getCurrentRawStream=lambda index: 4096 + index)
torch.accelerator = types.SimpleNamespace(current_accelerator=lambda: types.SimpleNamespace(type="xpu"))
torch.version = types.SimpleNamespace(cuda=None, hip=None, xpu="20250000")
torch.device = lambda kind, index: (kind, index)
sys.modules["torch"] = torch
sys.modules["torch._C"] = torch._C
"""


def run(program):
    kept = {name: value for name, value in os.environ.items() if name != "TERRAZZO_TARGET"}
    made = subprocess.run([sys.executable, "-c", FAKE + program], capture_output=True, text=True, env=kept)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_the_driver_of_the_accelerator_is_active():
    assert run("""
from terrazzo.runtime.drivers import driver
made = driver.active
print(made.vendor_folder(), made.get_current_device(), made.get_active_torch_device())
print(made.get_current_stream(), made.get_current_stream(0))
""") == "intel 1 ('xpu', 1)\n4097 4096\n"


def test_what_is_told_of_the_device():
    assert run("""
from terrazzo.runtime.drivers import driver
print(driver.active.get_current_target())
told = driver.active.get_device_properties(0)
print(told["multiprocessor_count"], told["max_shared_mem"], told["warpSize"])
""") == "GPUTarget(backend='xpu', arch='Intel(R) Data Center GPU Max 1550', warp_size=16)\n64 131072 16\n"


def test_whose_arrays_and_streams_kernels_take():
    assert run("""
from terrazzo.runtime.frameworks import accelerator
device, vendor, stream = accelerator("torch")
print(device, vendor, stream(3))
""") == "xpu intel 4099\n"


def test_waiting_by_torch_tells_what_kernels_said():
    assert run("""
calls = []
class Stream:
    sycl_queue = 4097
    def synchronize(self):
        calls.append("stream")
torch.xpu.Stream = Stream
sys.modules["torch.xpu"] = torch.xpu
torch._C._xpu_synchronize = lambda index: calls.append(index)
from terrazzo import _native
from terrazzo.runtime import device_logs
_native._tell_logs = lambda *only: calls.append(("told", *only))
device_logs.begin()
torch._C._xpu_synchronize(1)
torch.xpu.Stream().synchronize()
print(calls)
""") == "[1, ('told',), 'stream', ('told', 4097)]\n"
