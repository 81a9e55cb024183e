"""A specialisation as a text, which another process gives to JITFunction.preload.

Constants are written as JSON. An object that is no number, text or tuple is written by its module and name; one that
another process cannot find by them makes the specialisation NotPortable.
"""

import collections
import enum
import importlib
import math

from ..language.dtypes import dtype
from ..language.values import constexpr
from . import program_names


class NotPortable(TypeError):
    """A constant that another process cannot find."""


def _named(value):
    """module:name of what another process finds by it."""
    name = getattr(value, "__qualname__", None) or getattr(value, "name", None)
    module = getattr(value, "__module__", None)
    if not isinstance(name, str) or not isinstance(module, str):
        text = str(value)  # torch.float16
        module, _, name = text.rpartition(".")
    elif not hasattr(value, "__qualname__"):  # a member of an enumeration
        name = f"{type(value).__qualname__}.{name}"
    place = f"{module}:{name}"
    try:
        found = _found(place)
    except Exception:
        raise NotPortable(f"{value!r} has no name in a module") from None
    function = program_names._jit_function(value)
    if found is not value and (function is None or program_names._jit_function(found) is not function):
        raise NotPortable(f"{place} is another object than {value!r}")
    return place


def _found(place):
    module, _, name = place.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _to_json(value):
    if program_names._is_constexpr(value):
        return {"constexpr": _to_json(value.value)}
    if value is None or type(value) in (bool, int, str):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {"float": str(value)}
    if hasattr(value, "__index__") and not isinstance(value, enum.Enum):
        return value.__index__()
    if isinstance(value, tuple) and (type(value) is tuple or hasattr(value, "_fields")):
        made = {"tuple": [_to_json(item) for item in value]}
        return made if type(value) is tuple else {**made, "named": [type(value).__name__, list(value._fields)]}
    if type(value) is list:
        return {"list": [_to_json(item) for item in value]}
    if type(value) is dict:
        return {"dict": [[_to_json(key), _to_json(item)] for key, item in value.items()]}
    if type(value) is dtype:
        return {"dtype": value.name}
    return {"name": _named(value)}


def constant_from_json(value):
    """The constant that serialized() wrote so. ImportError or AttributeError: its name is not there in this process."""
    if not isinstance(value, dict):
        return value
    (kind, inner), *more = value.items()
    if kind == "constexpr":
        return constexpr(constant_from_json(inner))
    if kind == "float":
        return float(inner)
    if kind == "tuple":
        items = [constant_from_json(item) for item in inner]
        return collections.namedtuple(*more[0][1])(*items) if more else tuple(items)
    if kind == "list":
        return [constant_from_json(item) for item in inner]
    if kind == "dict":
        return {constant_from_json(key): constant_from_json(item) for key, item in inner}
    if kind == "dtype":
        return dtype(inner)
    return _found(inner)


def serialized(name, signature, constants, attributes, options, key, memory=None, index=0):
    """A specialisation as JITFunction.preload takes it; NotPortable if a constant has no name in a module."""
    import json

    return json.dumps({
        "name": name, "signature": signature,
        "constant_keys": list(constants), "constant_vals": [_to_json(value) for value in constants.values()],
        "attrs_keys": list(attributes), "attrs_vals": list(attributes.values()),
        "options": options, "key": key, "memory": memory, "index": index,
    })
