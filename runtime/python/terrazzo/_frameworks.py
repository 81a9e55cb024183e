"""Devices of the frameworks whose arrays kernels take, by the vendors' tables."""

import functools
import importlib
import json
import os


@functools.lru_cache(maxsize=None)
def vendors():
    """Folder of a vendor -> its language.json."""
    with open(os.path.join(os.path.dirname(__file__), "vendors.json"), encoding="utf-8") as file:
        return json.load(file)


def _function(dotted):
    module, _, name = dotted.rpartition(".")
    return getattr(importlib.import_module(module), name)


def _torch():
    """The device type of this torch's accelerator, and whether it was built for a vendor."""
    import torch

    return torch.accelerator.current_accelerator().type, lambda build: getattr(torch.version, build, None)


def accelerator(framework):
    """(device type, target, function from a device's index to its current stream)."""
    kind, is_built_for = {"torch": _torch}[framework]()
    for vendor, facts in vendors().items():
        entry = facts.get("frameworks", {}).get(framework)
        if entry and entry["device"] == kind and is_built_for(entry["build"]):
            return kind, vendor, _function(entry["stream"])
    raise RuntimeError(f"Terrazzo knows no target for {framework}'s {kind} devices")
