"""Tensors of the CPU that say they are the GPU's, for libraries that ask.

What is asked for on a CUDA device is made on the CPU, and every tensor of the CPU says
that its device is "cuda:0". A program of shapes/ calls install() where the library's
own functions look at the device; others do without.
"""

import functools
import re

import torch
from torch.utils._device import _device_constructors

_NAME = re.compile(r"cuda(:\d+)?$")
_LIKE = ("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like", "randint_like")
_METHODS = ("to", "new_empty", "new_zeros", "new_ones", "new_full", "new_tensor", "new_empty_strided")
_CPU, _CUDA = torch.device("cpu"), torch.device("cuda", 0)


def _host(value):
    """A CUDA device as the CPU; anything else as it is."""
    if (isinstance(value, torch.device) and value.type == "cuda") or (isinstance(value, str) and _NAME.match(value)):
        return _CPU
    return value


def _on_host(function):
    """The function, which makes on the CPU what it was to make on a CUDA device."""
    @functools.wraps(function)
    def made(*args, **named):
        if "device" in named:
            named["device"] = _CPU if isinstance(named["device"], int) else _host(named["device"])
        if named.get("pin_memory"):
            named["pin_memory"] = False
        return function(*map(_host, args), **named)
    return made


def _as_written(function=None, **_):
    """In place of torch.compile, which would compile for the device."""
    return function if function is not None else _as_written


def _implemented(inner):
    """What an operator does on a CUDA device it does on the CPU, unless it has a way of its own there."""
    on_cuda = set()

    def impl(library, name, function, dispatch_key="", **named):
        if dispatch_key == "CUDA":
            on_cuda.add(str(name))
            dispatch_key = "CPU"
        elif dispatch_key == "CPU" and str(name) in on_cuda:
            return None
        try:
            return inner(library, name, function, dispatch_key, **named)
        except RuntimeError:
            if str(name) not in on_cuda:
                raise
            return None
    return impl


def install():
    makers = {function.__name__ for function in _device_constructors()} | set(_LIKE)
    for name in makers & vars(torch).keys():
        setattr(torch, name, _on_host(getattr(torch, name)))
    for name in _METHODS:
        setattr(torch.Tensor, name, _on_host(getattr(torch.Tensor, name)))
    device = torch.Tensor.device

    def says(tensor):
        told = device.__get__(tensor)
        return _CUDA if told.type == "cpu" else told
    torch.Tensor.device = property(says)
    torch.Tensor.is_cuda = property(lambda tensor: says(tensor).type == "cuda")
    torch.Tensor.get_device = lambda tensor: 0
    torch.Tensor.cuda = lambda tensor, *_, **__: tensor
    torch.cuda.is_available = lambda: True
    torch.get_device_module = lambda *_: torch.cuda
    torch.accelerator.current_device_index = lambda: 0
    torch.compile = _as_written
    torch.library.Library.impl = _implemented(torch.library.Library.impl)
