"""The device that kernels run on when nothing else says it; `triton.runtime.driver`.

In Triton the driver decides where kernels run. Here the arguments do, and the
driver answers questions about a device: the accelerator of torch if there is
one, else the host; TERRAZZO_TARGET chooses.
"""

import functools
import os
import sys

from .. import _native
from ..compiler.targets import GPUTarget, shared_bytes_of, target_of, vendors, warp_size_of
from ..errors import TerrazzoError
from . import timing


class DriverBase:
    """A device of the process."""

    name = None

    @classmethod
    def is_active(cls):
        raise NotImplementedError

    def get_current_target(self):
        raise NotImplementedError

    def get_code_target(self):
        """What code is made for, as Terrazzo says it: timings of one are not those of another."""
        return f"{self.get_current_target()} {os.environ.get('TERRAZZO_TARGET', '')}"

    def get_active_torch_device(self):
        raise NotImplementedError

    def get_current_device(self):
        return 0

    def set_current_device(self, index):
        if index != 0:
            raise ValueError(f"{self.name} has no device {index}")

    def get_current_stream(self, device=None):
        return 0

    def get_device_interface(self):
        """torch's module of the device, or None on the host."""
        return None

    def get_benchmarker(self):
        """What times a function on this device: terrazzo.testing.do_bench."""
        return functools.partial(timing.bench, timing.clock_of(self))

    def get_empty_cache_for_benchmark(self):
        import torch
        return torch.empty(64 << 20, dtype=torch.int32, device=self.get_active_torch_device())

    def clear_cache(self, cache):
        cache.zero_()

    def map_python_to_cpp_type(self, ty):
        return {"i1": "int8_t", "u1": "uint8_t", "fp32": "double", "fp64": "double", "fp16": "double", "bf16": "double"}.get(
            ty, "void*" if ty.startswith("*") else ty.replace("i", "int").replace("u", "uint") + "_t")

    @property
    def utils(self):
        return self


def reported_backend(default):
    """What get_current_target().backend says; TERRAZZO_REPORT_BACKEND replaces it, so that tests of Triton
    do not look for text that only its own backends make."""
    return os.environ.get("TERRAZZO_REPORT_BACKEND", default)


@functools.cache
def _described(target):
    """The device that TERRAZZO_TARGET names; its facts do not change in a process."""
    return _native.describe_device(target)


class HostDriver(DriverBase):
    """The CPU, or the device whose memory is the host's that TERRAZZO_TARGET names."""

    name = "cpu"

    @classmethod
    def is_active(cls):
        return _runs_on_host()

    @staticmethod
    def _facts():
        target = os.environ.get("TERRAZZO_TARGET", "")
        return _described("cpu" if target in ("", "auto") else target)

    def get_current_target(self):
        if _names_the_host():
            import platform
            return GPUTarget(reported_backend("cpu"), platform.machine(), 1)
        try:
            facts = self._facts()
            told = target_of(facts["plugin"], facts["target"])
        except TerrazzoError:  # code can be made all the same; a launch says why there is no device
            named = os.environ["TERRAZZO_TARGET"].split(",")[0]
            told = target_of(_wanted(), named)
        return GPUTarget(reported_backend(told.backend), told.arch, told.warp_size)

    def get_code_target(self):
        return self._facts()["target"]

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_properties(self, index=0):
        return {"max_shared_mem": 1 << 20, "max_num_regs": 32, "multiprocessor_count": os.cpu_count() or 1,
                "warpSize": self.get_current_target().warp_size,
                "sm_clock_rate": 0, "mem_clock_rate": 0, "mem_bus_width": 0}


class AcceleratorDriver(DriverBase):
    """What torch calls its accelerator and a plugin of Terrazzo runs on."""

    name = "accelerator"
    folder = None  # the vendor's; None: whichever torch has

    _known = None

    @staticmethod
    def _vendor():
        """(folder, facts, torch's module) if the program has imported torch, and it has an accelerator; else None."""
        torch = sys.modules.get("torch")
        if AcceleratorDriver._known is None and hasattr(torch, "version"):
            for folder, facts in vendors().items():
                entry = facts.get("frameworks", {}).get("torch")
                module = getattr(torch, entry["device"], None) if entry and getattr(torch.version, entry["build"], None) else None
                if module is not None and module.is_available():
                    AcceleratorDriver._known = folder, facts, module
                    break
        return AcceleratorDriver._known

    @classmethod
    def vendor_folder(cls):
        """The vendor of torch's accelerator, or None."""
        vendor = cls._vendor()
        return vendor and vendor[0]

    @classmethod
    def is_active(cls):
        return not _runs_on_host() and cls.folder in (None, cls.vendor_folder())

    def get_device_interface(self):
        return self._vendor()[2]

    def get_current_device(self):
        return self.get_device_interface().current_device()

    def set_current_device(self, index):
        self.get_device_interface().set_device(index)

    def get_current_stream(self, device=None):
        module, _, name = self._vendor()[1]["frameworks"]["torch"]["stream"].rpartition(".")
        function = functools.reduce(getattr, module.split(".")[1:], sys.modules["torch"])
        return getattr(function, name)(self.get_current_device() if device is None else device)

    def get_active_torch_device(self):
        import torch
        return torch.device(self._vendor()[1]["frameworks"]["torch"]["device"], self.get_current_device())

    def get_device_capability(self, device=None):
        return self.get_device_interface().get_device_capability(device)

    def get_current_target(self):
        _, facts, interface = self._vendor()
        backend = facts["triton_backend"]
        if facts["at_least"]:
            major, minor = interface.get_device_capability()
            arch = major * 10 + minor
        else:
            properties = interface.get_device_properties(self.get_current_device())
            arch = getattr(properties, facts["frameworks"]["torch"]["machine"]).split(":")[0]
        return GPUTarget(reported_backend(backend), arch, warp_size_of(facts, arch))

    def get_device_properties(self, index=0):
        facts = self.get_device_interface().get_device_properties(index)
        vendor = self._vendor()[1]
        entry = vendor["frameworks"]["torch"]
        shared = shared_bytes_of(vendor, getattr(facts, entry.get("machine", "name"), ""))
        return {
            "max_shared_mem": getattr(facts, entry.get("shared", "shared_memory_per_block_optin"), shared),
            "max_num_regs": getattr(facts, "regs_per_multiprocessor", 65536),
            "multiprocessor_count": getattr(facts, entry.get("units", "multi_processor_count")),
            "warpSize": getattr(facts, "warp_size", vendor["warp_size"]),
            "sm_clock_rate": getattr(facts, "clock_rate", 0),
            "mem_clock_rate": getattr(facts, "memory_clock_rate", 0),
            "mem_bus_width": getattr(facts, "memory_bus_width", 0),
        }


def _wanted():
    """The plugin that TERRAZZO_TARGET names first."""
    return (os.environ.get("TERRAZZO_TARGET") or "auto").split(",")[0].split(":")[0]


def _names_the_host():
    """Whether it is the CPU's, or none."""
    return _wanted() in ("auto", "cpu", "interp")


def _runs_on_host():
    """Whether kernels run on the host where no array says otherwise."""
    return _wanted() in ("cpu", "interp") or AcceleratorDriver.vendor_folder() is None


def _create_driver():
    if _runs_on_host():
        return HostDriver()
    of_vendor = _classes.get(AcceleratorDriver.vendor_folder())
    return of_vendor()() if of_vendor else AcceleratorDriver()


_classes = {}  # folder of a vendor -> function that gives its own class of drivers


def register(folder, of_vendor):
    """From now on the driver of a vendor's devices is of the class that `of_vendor()` gives, an AcceleratorDriver."""
    _classes[folder] = of_vendor
    driver.forget_default()


class DriverConfig:
    """Holds the active driver; it is made when it is first asked for."""

    def __init__(self):
        self._default = None
        self._active = None

    @property
    def default(self):
        if self._default is None or isinstance(self._default, HostDriver):  # torch may have come since
            made = _create_driver()
            if type(made) is not type(self._default):
                self._default = made
        return self._default

    @property
    def active(self):
        return self._active or self.default

    def set_active(self, driver):
        self._active = driver

    def reset_active(self):
        self._active = None

    def forget_default(self):
        """Makes it anew when it is next asked for."""
        self._default = None


driver = DriverConfig()
