"""Targets of code, and what each vendor's table says of its own."""

import functools
import os
from dataclasses import dataclass

from .. import _native

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@dataclass(frozen=True)
class GPUTarget:
    """A target by the names of Triton's backends: which one, the machine ("gfx942", or a number as 90), lanes of a warp."""

    backend: str
    arch: int | str
    warp_size: int


@functools.cache
def vendors():
    """Folder of a vendor -> its language.json."""
    import json

    with open(os.path.join(_PACKAGE, "vendors.json"), encoding="utf-8") as file:
        return json.load(file)


def _by_machine(sizes, machine, otherwise):
    """Of sizes with the beginnings of machines' names: the first that this machine has."""
    for size, beginnings in sizes.items():
        if str(machine).startswith(tuple(beginnings.split())):
            return int(size)
    return otherwise


def warp_size_of(vendor, machine):
    """Lanes of a warp of this machine, by a vendor's language.json: by its architecture where the vendor says so."""
    return _by_machine(vendor.get("warp_sizes", {}), machine, vendor["warp_size"])


def shared_bytes_of(vendor, machine):
    """Bytes of shared memory of a program on this machine, where a framework does not tell them."""
    return _by_machine(vendor.get("shared_bytes", {}), machine, 48 << 10)


def target_of(plugin, target):
    """A plugin and a code target ("vendor:machine") as Triton says it: backend, arch, warp size."""
    known, machine = vendors().get(plugin), target.partition(":")[2]
    if not known:
        return GPUTarget(plugin, machine, 1)
    digits = "".join(c for c in machine if c.isdigit())
    return GPUTarget(known["triton_backend"], int(digits) if known["at_least"] and digits else machine, warp_size_of(known, machine))


def library_identity():
    """Changes with every build of the library."""
    found = [_native.version()]
    for file in (_native.__file__, os.path.join(_PACKAGE, "lib", "libterrazzo.so.0")):
        if os.path.exists(file):
            state = os.stat(file)
            found.append(f"{state.st_size}-{state.st_mtime_ns}")
    return "-".join(found)
