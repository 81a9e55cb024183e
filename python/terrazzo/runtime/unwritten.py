"""Memory that nothing has written: what the check `uninitialized` knows of tensors and arrays.

Each aligned word of eight bytes of an unwritten array holds a mark, which is made of its address
(include/terrazzo/unwritten.h). Whoever writes the word takes the mark away: a kernel of any library, a copy, the host.
So nobody needs to be watched but those who make tensors without values, and they are few.
"""

import functools
import os
import sys

from .. import _native

_MAKERS = ("empty", "empty_like", "empty_strided", "empty_permuted")
_METHODS = ("new_empty", "new_empty_strided")
_watched = False


def _words(tensor):
    """The whole words of a tensor's storage, or None: there are none, or no memory of a device that kernels reach."""
    import torch

    if type(tensor) is not torch.Tensor or tensor.layout != torch.strided or tensor.device.type == "meta":
        return None
    storage = tensor.untyped_storage()
    count = storage.nbytes() // 8
    if not count or not storage.data_ptr() or storage.data_ptr() % 8:
        return None
    with torch.no_grad():
        return torch.tensor([], dtype=torch.int64, device=tensor.device).set_(storage, 0, (count,))


def _forget_array(array):
    import numpy

    first, end = array.__array_interface__["data"][0], array.nbytes
    words = array.reshape(-1).view(numpy.uint8)[-first % 8:]
    words = words[:len(words) // 8 * 8].view(numpy.uint64)
    factor, mask = (numpy.uint64(number) for number in _native.UNWRITTEN)
    words[:] = numpy.arange(first + -first % 8, first + end, 8, dtype=numpy.uint64)[:len(words)] * factor ^ mask


def forget(tensor):
    """Nothing has written the memory of this tensor: its values are lost, and a kernel's load of them is reported.

    Of a tensor of torch that is a view, all memory of the tensor that it is a part of. NumPy's arrays must be contiguous.
    """
    if hasattr(tensor, "__array_interface__"):
        return _forget_array(tensor)
    words = _words(tensor)
    if words is not None:
        import torch

        factor, mask = (number - (number >> 63 << 64) for number in _native.UNWRITTEN)  # as int64, which wraps
        first = words.data_ptr()
        torch.arange(first, first + 8 * words.numel(), 8, out=words).mul_(factor).bitwise_xor_(mask)
    return None


def _forgetting(make):
    @functools.wraps(make)
    def made(*args, **kwargs):
        import torch

        tensor = make(*args, **kwargs)
        # A compiler that traces the program sees the call that it knows.
        if kwargs.get("out") is None and not torch.compiler.is_compiling():
            forget(tensor)
        return tensor

    return made


def watch():
    """From now on torch.empty, and what else of torch makes tensors without values, says that nothing has written them."""
    global _watched
    import torch

    if _watched:
        return
    _watched = True
    for owner, names in ((torch, _MAKERS), (torch.Tensor, _METHODS)):
        for name in names:
            setattr(owner, name, _forgetting(getattr(owner, name)))


def watch_if_asked():
    """Once torch is there, if the environment asks for the check."""
    checks = os.environ.get("TERRAZZO_SANITIZE")
    if checks and not _watched and "uninitialized" in checks.split(",") and hasattr(sys.modules.get("torch"), "Tensor"):
        watch()
