"""Arguments of a launch as JSON, and made again from it.

A tensor is described by dtype, shape, strides, where it begins in its storage, and its
content: integers and small tensors exactly, large floating-point ones by their mean,
deviation and bounds, from which values are drawn by a seed. Tensors that share a
storage share it again.
"""

import base64
import math
import zlib

import torch

from kernel_source import NotRecordable, decode_constant, encode_constant, is_jit

EXACT_BYTES = 4 << 20  # integers: values that are indices, lengths, masks matter
EXACT_FLOATS = 4096
LARGEST = 6 << 30  # bytes of a launch's tensors
UNKNOWN = [0.0, 1.0, -4.0, 4.0]  # mean, deviation, least, largest, of values that are no numbers
SMALL = [0.0, 0.05, -0.1, 0.1]  # the same, of values with which recurrences and sums stay in range
_POINTER = 1 << 40  # an integer above is taken for an address


class Storages:
    """The storages of one launch, numbered."""

    def __init__(self):
        self.entries, self._numbers, self.bytes = [], {}, 0

    def add(self, tensor):
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        if key not in self._numbers:
            self._numbers[key] = len(self.entries)
            self.entries.append({"bytes": storage.nbytes(), "align": key % 256})
            self.bytes += storage.nbytes()
            if self.bytes > LARGEST:
                raise NotRecordable(f"tensors of more than {LARGEST >> 30} GiB")
        return self._numbers[key]


def _extent(tensor):
    """Elements from the first to the last that the tensor covers."""
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0


def _flat(tensor):
    """What the tensor covers of its storage, as one row."""
    return tensor.as_strided((_extent(tensor),), (1,))


def _pack(flat):
    return base64.b85encode(zlib.compress(flat.contiguous().view(torch.uint8).cpu().numpy().tobytes(), 6)).decode()


def _content(tensor):
    if not tensor.numel():
        return {"empty": True}
    flat = _flat(tensor)
    if flat.is_floating_point():
        # Any byte would be a number of 8 bits as well, but some of them are NaN, and most sums of the others overflow.
        if flat.numel() <= (EXACT_FLOATS if flat.element_size() > 1 else EXACT_BYTES):
            return {"exact": _pack(flat)}
        values = flat.float()
        fine = values[values.isfinite()]
        if not fine.numel():
            return {"normal": UNKNOWN}
        # Of what was never written the squares may be too large for fp32: its values are taken as shares of the largest.
        largest = fine.abs().max().clamp(min=1e-30)
        shares = fine / largest
        numbers = [shares.mean() * largest, shares.std(unbiased=False) * largest, fine.min(), fine.max()]
        content = {"normal": [float(f"{number.item():.6g}") for number in numbers]}
        zeros = (values == 0).float().mean().item()
        if zeros > 0.01:
            content["zeros"] = round(zeros, 4)
        return content
    if flat.is_complex() or flat.dtype.is_complex:
        raise NotRecordable("complex numbers")
    if flat.dtype == torch.int64 and (flat.abs() > _POINTER).any().item() and (flat.abs() < 2 * 10**15).all().item():
        raise NotRecordable("a table of addresses")
    if flat.numel() * flat.element_size() <= EXACT_BYTES:
        return {"exact": _pack(flat)}
    wide = flat.view(torch.uint8) if flat.element_size() == 1 else flat.long()
    return {"uniform": [int(wide.min().item()), int(wide.max().item())]}


def _held(value):
    """The tensor of an object that stands for one: it has its address. Else nothing."""
    if not (hasattr(value, "data_ptr") and hasattr(value, "dtype")):
        return None
    held = (one for one in getattr(value, "__dict__", {}).values() if isinstance(one, torch.Tensor))
    return next((one for one in held if one.data_ptr() == value.data_ptr() and one.dtype == value.dtype), None)


def describe(value, storages, functions):
    """JSON of one argument."""
    if isinstance(value, torch.Tensor):
        if value.device.type == "cpu" and torch.cuda.is_available():
            raise NotRecordable("a tensor that is not on the device")
        return {"tensor": {"dtype": str(value.dtype).rpartition(".")[2], "shape": list(value.shape),
                           "strides": list(value.stride()), "storage": storages.add(value),
                           "offset": value.storage_offset(), "content": _content(value)}}
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        return {"descriptor": {"base": describe(value.base, storages, functions), "shape": list(value.shape),
                               "strides": list(value.strides), "block_shape": list(value.block_shape),
                               "padding": getattr(value, "padding", "zero")}}
    if hasattr(value, "base") and hasattr(value, "dtype") and type(value).__name__ == "TensorWrapper":
        return {"reinterpreted": {"base": describe(value.base, storages, functions), "dtype": value.dtype.name}}
    if is_jit(value):
        return {"constant": {"function": functions.add(value)}}
    if (held := _held(value)) is not None:
        return describe(held, storages, functions)
    if isinstance(value, (tuple, list)):
        items = [describe(item, storages, functions) for item in value]
        return {"items": items, **({"fields": list(value._fields), "name": type(value).__name__} if hasattr(value, "_fields") else {})}
    return {"constant": encode_constant(value, functions)}


class Memory:
    """The storages of a record, allocated and filled on a device."""

    def __init__(self, entries, device, seed=0, small=False):
        self.device = device
        self._small = small
        self._rooms, self._starts = [], []
        for entry in entries:
            room = torch.empty(entry["bytes"] + 512, dtype=torch.uint8, device=device)
            # The same place within 256 bytes: compilers look at the alignment.
            start = (entry["align"] - room.data_ptr()) % 256
            room = room[start:start + entry["bytes"]]
            room.zero_()
            self._rooms.append(room)
        self._draw = torch.Generator(device=device)
        self._draw.manual_seed(seed)
        self._saved = None

    def tensor(self, told):
        dtype = getattr(torch, told["dtype"])
        size = torch.empty((), dtype=dtype).element_size()
        room = self._rooms[told["storage"]]
        usable = room[:room.numel() // size * size].view(dtype)
        tensor = usable.as_strided(told["shape"], told["strides"], usable.storage_offset() + told["offset"])
        self._fill(tensor, told["content"])
        return tensor

    def _fill(self, tensor, content):
        if "empty" in content:
            return
        flat = _flat(tensor)
        if "exact" in content:
            raw = zlib.decompress(base64.b85decode(content["exact"]))
            flat.view(torch.uint8).copy_(torch.frombuffer(bytearray(raw), dtype=torch.uint8))
        elif "normal" in content:
            # Records of version 1 may hold NaN for arrays that were never written.
            known = all(math.isfinite(number) for number in content["normal"])
            mean, deviation, low, high = SMALL if self._small else content["normal"] if known else UNKNOWN
            step = 1 << 26
            for begin in range(0, flat.numel(), step):
                part = flat[begin:begin + step]
                drawn = torch.empty(part.numel(), device=self.device).normal_(mean, max(deviation, 0.0), generator=self._draw).clamp_(low, high)
                if "zeros" in content:
                    drawn.mul_(torch.rand(part.numel(), device=self.device, generator=self._draw) >= content["zeros"])
                part.copy_(drawn)
        else:
            low, high = content["uniform"]
            raw = flat.view(torch.uint8) if flat.element_size() == 1 else flat
            raw.copy_(torch.randint(low, high + 1, (flat.numel(),), device=self.device, generator=self._draw, dtype=torch.int64))

    def save(self):
        """Keeps the content as it is now, as what reset() goes back to."""
        self._saved = [room.clone() for room in self._rooms]

    def changed(self):
        """Numbers of the storages that differ from what was saved."""
        return [i for i, (room, saved) in enumerate(zip(self._rooms, self._saved)) if not torch.equal(room, saved)]

    def reset(self, numbers=None):
        for i in range(len(self._rooms)) if numbers is None else numbers:
            self._rooms[i].copy_(self._saved[i])


def make(told, memory, triton, functions):
    """The argument for a package that has Triton's interface."""
    (what, content), *_ = told.items()
    if what == "tensor":
        return memory.tensor(content)
    if what == "descriptor":
        from importlib import import_module
        TensorDescriptor = import_module(triton.__name__ + ".tools.tensor_descriptor").TensorDescriptor
        base = make(content["base"], memory, triton, functions)
        more = {} if content["padding"] == "zero" else {"padding": content["padding"]}
        return TensorDescriptor(base, content["shape"], content["strides"], content["block_shape"], **more)
    if what == "reinterpreted":
        base = make(content["base"], memory, triton, functions)
        return triton.reinterpret(base, decode_constant({"dtype": content["dtype"]}, triton))
    if what == "items":
        items = [make(item, memory, triton, functions) for item in content]
        if "fields" in told:
            import collections
            return collections.namedtuple(told["name"], told["fields"])(*items)
        return tuple(items)
    return decode_constant(content, triton, functions)


def tensors(told):
    """The descriptions of all tensors of an argument."""
    (what, content), *_ = told.items()
    if what == "tensor":
        yield content
    elif what in ("descriptor", "reinterpreted"):
        yield from tensors(content["base"])
    elif what == "items":
        for item in content:
            yield from tensors(item)
