"""`triton.backends.nvidia.driver`."""

import functools
import os

from ....runtime.drivers import AcceleratorDriver
from ....runtime.drivers import AcceleratorDriver as GPUDriver
from ..._absent import missing
from ...backends.compiler import GPUTarget


@functools.cache
def libcuda_dirs():
    """Folders that hold the driver's library; RuntimeError if there is none."""
    import subprocess

    own = os.environ.get("TRITON_LIBCUDA_PATH")
    if own:
        return [own]
    try:
        listed = subprocess.check_output(["/sbin/ldconfig", "-p"], text=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError):
        listed = ""
    found = [line.split("=>")[-1].strip() for line in listed.splitlines() if "libcuda.so.1" in line]
    found += [os.path.join(folder, "libcuda.so.1") for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    folders = list(dict.fromkeys(os.path.dirname(path) for path in found if os.path.exists(path)))
    if not folders:
        raise RuntimeError("the GPU driver's library libcuda.so.1 is not installed: `ldconfig -p` lists none, nor is it in "
                           "LD_LIBRARY_PATH; install the driver, or name its folder in TRITON_LIBCUDA_PATH")
    return folders


def ty_to_cpp(ty):
    """The type in C of one of a signature."""
    return AcceleratorDriver().map_python_to_cpp_type(ty)


class CudaDriver(AcceleratorDriver):
    """The GPU as Triton's callers know it."""

    folder = "nvidia"


class CudaUtils:
    """Facts of devices; `driver.active.utils` has the same functions."""

    def get_device_properties(self, device):
        return CudaDriver().get_device_properties(device)


def __getattr__(name):
    raise missing(__name__, name)
