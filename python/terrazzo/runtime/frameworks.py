"""Devices of the frameworks whose arrays kernels take, by the vendors' tables."""

import functools
import importlib

from ..compiler.targets import vendors


def _function(dotted):
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _torch():
    """The device type of this torch's accelerator, and whether it was built for a vendor."""
    import torch

    return torch.accelerator.current_accelerator().type, lambda build: getattr(torch.version, build, None)


def _stream_function(entry):
    """From a device's index to the stream that the framework uses there now."""
    if "stream" in entry:
        return _function(entry["stream"])
    if "stream_object" in entry:
        current = _function(entry["stream_object"])
        return lambda index: current().ptr
    return lambda index: 0  # the device's default stream


def accelerator(framework):
    """(device type, target, function from a device's index to its current stream)."""
    kind, is_built_for = _torch() if framework == "torch" else (None, lambda build: True)
    for vendor, facts in vendors().items():
        entry = facts.get("frameworks", {}).get(framework)
        if entry and kind in (None, entry["device"]) and is_built_for(entry.get("build")):
            return entry["device"], vendor, _stream_function(entry)
    raise RuntimeError(f"Terrazzo knows no target for {framework}'s devices")


@functools.cache
def array_interfaces():
    """Names of attributes by which arrays on a vendor's devices say their address."""
    return [facts["array_interface"] for facts in vendors().values() if "array_interface" in facts]
