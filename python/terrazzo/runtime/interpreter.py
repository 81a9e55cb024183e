"""TRITON_INTERPRET=1: launches in the reference interpreter, with what they may touch told to it.

The interpreter reads and writes host memory. Tensors of a device are copied
there for the launch and back after it.
"""

import contextlib
import dataclasses
import os
import sys
import threading

from .. import _native
from .array_wrappers import TensorWrapper

_lock = threading.Lock()
_users = 0
_set = False


@contextlib.contextmanager
def active():
    """Launches and compilations of any thread go to the interpreter, unless TERRAZZO_TARGET names a target."""
    global _users, _set
    with _lock:
        if _users == 0 and not os.environ.get("TERRAZZO_TARGET"):
            os.environ["TERRAZZO_TARGET"], _set = "interp", True
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _set:
                del os.environ["TERRAZZO_TARGET"]
                _set = False


class _Storages:
    """Host copies of the storages of a device's tensors: tensors that share one share the copy."""

    def __init__(self):
        self.copies = {}

    def of(self, tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self.copies:
            self.copies[storage.data_ptr()] = storage, storage.cpu()
        copy = self.copies[storage.data_ptr()][1]
        return tensor.new_empty(0, device="cpu").set_(copy, tensor.storage_offset(), tensor.size(), tensor.stride())

    def write_back(self):
        for storage, copy in self.copies.values():
            storage.copy_(copy)


def _map(value, change):
    """`value` with each array in it replaced."""
    if type(value) is tuple:
        return tuple(_map(item, change) for item in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_map(item, change) for item in value))
    if isinstance(value, TensorWrapper):
        return TensorWrapper(_map(value.base, change), value.dtype)
    if dataclasses.is_dataclass(value) and hasattr(value, "block_shape"):
        return dataclasses.replace(value, base=_map(value.base, change))
    return change(value)


def _numpy_extent(array):
    import numpy

    while isinstance(array.base, numpy.ndarray):
        array = array.base
    bounds = getattr(numpy.lib, "array_utils", numpy).byte_bounds
    return bounds(array)


def _extent(value):
    """(first byte, end) of the memory that an array is part of, or None."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    if numpy is not None and isinstance(value, numpy.ndarray):
        return _numpy_extent(value)
    if hasattr(value, "__array__") and hasattr(value, "dtype") and hasattr(value, "__dlpack__"):
        if value.__dlpack_device__()[0] != 1:  # of a device: a copy on the host would lie elsewhere
            return None
        import numpy
        return _numpy_extent(numpy.asarray(value))
    return None


def ranges_of(arguments):
    """(address, bytes, name) of the memory that each array among the arguments is a part of, where that is known."""
    ranges = []
    for name, value in arguments.items():
        def note(value, name=name):
            extent = _extent(value)
            if extent is not None:
                ranges.append((extent[0], extent[1] - extent[0], name))
            return value
        _map(value, note)
    return ranges


def launch(function, grid, args, kwargs):
    """What function._launch does, in the interpreter."""
    torch = sys.modules.get("torch")
    storages, ranges = _Storages(), []

    def prepare(name):
        def change(value):
            if torch is not None and isinstance(value, torch.Tensor) and value.device.type != "cpu":
                value = storages.of(value)
            extent = _extent(value)
            if extent is not None:
                ranges.append((extent[0], extent[1] - extent[0], name))
            return value
        return change

    args = tuple(_map(value, prepare(name)) for name, value in zip(function.arg_names, args)) + args[len(function.arg_names):]
    kwargs = {name: _map(value, prepare(name)) for name, value in kwargs.items()}
    _native.know_memory(ranges)
    try:
        with active():
            return function._launch(grid, args, kwargs)
    finally:
        _native.know_memory([])
        storages.write_back()
