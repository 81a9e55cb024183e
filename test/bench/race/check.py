"""Whether each record stands alone: Triton compiles it for an H100, without a GPU."""

import json
import os
import sys
import types

import arguments
import kernel_source

SHARED = 232448  # bytes of shared memory that a block of an H100 may have


class _Place:
    """Where a tensor would be: what a compiler asks of it, without memory."""

    def __init__(self, torch, told, entry):
        self.dtype = getattr(torch, told["dtype"])
        self.shape, self._strides, self.ndim = tuple(told["shape"]), tuple(told["strides"]), len(told["shape"])
        self._address = (1 << 20) + entry["align"] + told["offset"] * self.element_size()

    def data_ptr(self):
        return self._address

    def element_size(self):
        return self.dtype.itemsize

    def stride(self, axis=None):
        return self._strides if axis is None else self._strides[axis]


class _Memory:
    def __init__(self, torch, entries):
        self._torch, self._entries = torch, entries

    def tensor(self, told):
        return _Place(self._torch, told, self._entries[told["storage"]])


def _driver():
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver
    properties = {"max_shared_mem": SHARED, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32}
    driver.set_active(types.SimpleNamespace(
        utils=types.SimpleNamespace(get_device_properties=lambda *_: properties), get_current_target=lambda: GPUTarget("cuda", 90, 32),
        get_current_device=lambda: 0, get_current_stream=lambda *_: 0))


def problem_of(record):
    """Why the launch of a record cannot be; nothing for one that can."""
    import torch
    import triton
    try:
        functions = kernel_source.load(record["functions"], triton, record["id"])
        memory = _Memory(torch, record["storages"])
        named = {name: arguments.make(told, memory, triton, functions) for name, told in record["arguments"].items()}
        named.update({name: kernel_source.decode_constant(value, triton, functions) for name, value in record["options"].items()})
        compiled = functions[0].warmup(grid=tuple(record["grid"]), **named)
    except Exception as problem:  # whatever a compiler or a library's source says
        return f"{type(problem).__name__}: {' '.join(str(problem).split())[-200:]}"
    shared = compiled.metadata.shared
    return f"{shared} bytes of shared memory" if shared > SHARED else None


def check(options):
    _driver()
    names = sorted(name for name in os.listdir(options.records) if name.endswith(".json"))
    failed = 0
    for name in names:
        path = os.path.join(options.records, name)
        with open(path) as file:
            record = json.load(file)
        problem = problem_of(record)
        if problem is None and record["bytes"] > options.bytes:
            problem = f"{record['bytes'] / 1e9:.1f} GB of tensors"
        if problem is not None:
            failed += 1
            print(f"race: {name}: {problem}{'; removed' if options.remove else ''}", flush=True)
            if options.remove:
                os.remove(path)
    print(f"race: {len(names)} records, {failed} not as they should be", file=sys.stderr)
    return 1 if failed or not names else 0
