"""The launch that a specialisation's text stands for, with stand-ins for its arguments."""

import json

from ..errors import ArgumentError, LaunchError
from .sources import ASTSource
from .specialization import full_name
from .specialization_data import constant_from_json


def _tuples(value):
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


def _memory(framework, index):
    """Where stand-ins of arrays lie: in this process's current device, where the framework says which it is."""
    if framework is None:
        return None
    if framework == "host":
        return None, -1
    if framework == "torch":
        import torch

        index = torch.accelerator.current_device_index()
    return framework, index


def examples(function, data):
    """(arguments, options) of a launch that `data` stands for."""
    try:
        told = json.loads(data)
        name = told["name"]
        signature = {key: _tuples(value) for key, value in told["signature"].items()}
        constants = {tuple(path): value for path, value in zip(told["constant_keys"], told["constant_vals"])}
        attributes = {tuple(path): value for path, value in zip(told["attrs_keys"], told["attrs_vals"])}
        options, memory = told["options"], _memory(told["memory"], told["index"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArgumentError(f"preload of '{function.__name__}' takes the specialization_data of a hook, found "
                            f"{str(data)[:80]!r} ({error!r})") from error
    if name != full_name(function):
        raise LaunchError(f"this specialization_data was made for {name}; preload it there, not for {full_name(function)}")
    constants = {path: constant_from_json(value) for path, value in constants.items()}
    source = ASTSource(function, signature, {}, attributes)
    source.constants, source.memory = constants, memory
    return source.examples(), options
