"""Devices of a torch that was built for ROCm: the branch of the package that names them, with a stand-in for torch."""

import os
import subprocess
import sys

# A torch that has an accelerator of this vendor: it calls its devices "cuda", and tells their architecture.
FAKE = """
import sys, types
torch = types.ModuleType("torch")
facts = types.SimpleNamespace(name="AMD Instinct MI300X", gcnArchName="gfx942:sramecc+:xnack-", major=9, minor=4,
                              multi_processor_count=304, total_memory=1 << 37, warp_size=64, regs_per_multiprocessor=65536)
torch.cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 1, get_device_properties=lambda index: facts,
                                   get_device_capability=lambda index=None: (9, 4))
torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 4096 + index)
torch.accelerator = types.SimpleNamespace(current_accelerator=lambda: types.SimpleNamespace(type="cuda"))
torch.version = types.SimpleNamespace(cuda=None, hip="6.2.41134", xpu=None)
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
""") == "amd 1 ('cuda', 1)\n4097 4096\n"


def test_what_is_told_of_the_device():
    assert run("""
from terrazzo.runtime.drivers import driver
print(driver.active.get_current_target())
told = driver.active.get_device_properties(0)
print(told["multiprocessor_count"], told["max_shared_mem"], told["warpSize"])
""") == "GPUTarget(backend='hip', arch='gfx942', warp_size=64)\n304 65536 64\n"


def test_machines_differ_in_warps_and_shared_memory():
    assert run("""
from terrazzo.runtime.drivers import driver
for name in ("gfx950:sramecc+", "gfx1100", "gfx1201"):
    facts.gcnArchName = name
    made = driver.active.get_current_target(), driver.active.get_device_properties(0)
    print(made[0].arch, made[0].warp_size, made[1]["max_shared_mem"])
""") == "gfx950 64 163840\ngfx1100 32 65536\ngfx1201 32 65536\n"


def test_whose_arrays_and_streams_kernels_take():
    assert run("""
from terrazzo.runtime.frameworks import accelerator
device, vendor, stream = accelerator("torch")
print(device, vendor, stream(3))
""") == "cuda amd 4099\n"
