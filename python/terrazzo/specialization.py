"""What code is specialised for: types, constants and what of the values code may depend on.

Hooks of compilations are told it as Triton tells it (signature, constants, attributes, options), and as
a text that another process gives to JITFunction.preload.
"""

import collections
import enum
import importlib
import math

from . import _names, knobs
from .errors import ArgumentError, LaunchError

# TZ_TYPE_* -> name in a signature, bits.
_TYPES = {
    2: ("u1", 1), 3: ("i8", 8), 4: ("i16", 16), 5: ("i32", 32), 6: ("i64", 64), 7: ("u8", 8), 8: ("u16", 16),
    9: ("u32", 32), 10: ("u64", 64), 11: ("fp16", 16), 12: ("bf16", 16), 13: ("fp32", 32), 14: ("fp64", 64),
    15: ("fp8e4nv", 8), 16: ("fp8e5", 8), 17: ("fp8e4b8", 8), 18: ("fp8e5b16", 8), 68: ("fp8e4b15", 8),
}
_POINTER = 1
# The largest divisor that code is specialised for (16 bytes, and elements of a byte).
_LARGEST = 16


class JitFunctionInfo:
    """Which function a hook is told of."""

    def __init__(self, module, name, jit_function):
        self.module, self.name, self.jit_function = module, name, jit_function


def _divisibility(bits):
    divisor = _LARGEST
    while bits % divisor:
        divisor //= 2
    return [["tt.divisibility", divisor]] if divisor > 1 else []


class _Reader:
    """Types, constants and attributes of arguments, by path: (parameter, item of a tuple, ...)."""

    def __init__(self):
        self.constants, self.attributes, self.addresses = {}, {}, {}

    def read(self, entry, value, path, parameter):
        """The type as signatures write it; `entry`: what the extension says of the argument."""
        if entry is None:
            self.constants[path] = value
            return "constexpr"
        if isinstance(entry, list):
            value = _names.unwrap(value)
            fields = getattr(value, "_fields", None)
            if fields:
                self.attributes[path] = [["terrazzo.fields", list(fields)]]
            return tuple(self.read(item, inner, path + (i,), parameter) for i, (item, inner) in enumerate(zip(entry, value)))
        if len(entry) == 5:
            return self._descriptor(entry, path, parameter)
        return self._leaf(*entry, path, parameter)

    def _leaf(self, kind, element, bits, path, parameter):
        aligns = not (parameter.do_not_specialize or parameter.do_not_specialize_on_alignment)
        if kind == _POINTER:
            found = _divisibility(bits) if aligns and bits % _LARGEST == 0 else []
            if bits:
                first = self.addresses.setdefault(bits, path)
                if first != path:
                    found = found + [["terrazzo.address_of", list(first)]]
            name = "*" + _TYPES[element][0]
        else:
            name, width = _TYPES[kind]
            bits &= (1 << width) - 1
            if name[0] not in "iu" or kind == 2:
                return name
            if bits == 1 and not parameter.do_not_specialize:
                self.constants[path] = 1
                return "constexpr"
            found = _divisibility(bits) if aligns else []
        if found:
            self.attributes[path] = found
        return name

    def _descriptor(self, entry, path, parameter):
        base, shape, strides, block, pads_with_nan = entry
        kind = self._leaf(*base, path + (0,), parameter)
        sizes = [(5, 0, size) for size in shape] + [(6, 0, stride) for stride in strides]
        for i, leaf in enumerate(sizes, 1):
            self._leaf(*leaf, path + (i,), parameter)
        self.attributes[path] = [["terrazzo.padding", "nan" if pads_with_nan else "zero"]]
        return f"tensordesc<{kind[1:]}{list(block)}>"


# ---- constants as JSON -------------------------------------------------------


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
    function = _names._jit_function(value)
    if found is not value and (function is None or _names._jit_function(found) is not function):
        raise NotPortable(f"{place} is another object than {value!r}")
    return place


def _found(place):
    module, _, name = place.partition(":")
    found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _to_json(value):
    if _names._is_constexpr(value):
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
    if type(value).__name__ == "dtype" and type(value).__module__ == "terrazzo.triton.language.dtypes":
        return {"dtype": value.name}
    return {"name": _named(value)}


def _from_json(value):
    if not isinstance(value, dict):
        return value
    (kind, inner), *more = value.items()
    if kind == "constexpr":
        from .triton.language.values import constexpr

        return constexpr(_from_json(inner))
    if kind == "float":
        return float(inner)
    if kind == "tuple":
        items = [_from_json(item) for item in inner]
        return collections.namedtuple(*more[0][1])(*items) if more else tuple(items)
    if kind == "list":
        return [_from_json(item) for item in inner]
    if kind == "dict":
        return {_from_json(key): _from_json(item) for key, item in inner}
    if kind == "dtype":
        from .triton.language.dtypes import dtype

        return dtype(inner)
    return _found(inner)


def _tuples(value):
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value


# ---- a specialisation --------------------------------------------------------


class Specialization:
    """One specialisation of a function on one device.

    function, options (those that were given), values (parameter -> argument),
    entries (see describeArguments in the extension), target ("cpu:0:x86-64-v3"), index of
    the device in its framework (below 0: the host, or no array says), framework.
    """

    def __init__(self, function, options, values, entries, target, index, framework):
        self.function, self.options = function, options
        self.target, self.index, self.framework = target, index, framework
        reader = _Reader()
        self.signature = {
            parameter.name: reader.read(entry, value, (parameter.num,), parameter)
            for parameter, entry, value in zip(function.params, entries, values.values())
        }
        self.constants, self.attributes = reader.constants, reader.attributes

    @property
    def device(self):
        """As device_caches counts them."""
        return max(self.index, 0)

    @property
    def key(self):
        """Of device_caches."""
        constants = {path: _names._spell(value) or _names.label(_names._jit_function(value) or value)
                     for path, value in self.constants.items()}
        return str((self.signature, constants, self.attributes, sorted(self.options.items()), self.target))

    @property
    def data(self):
        """For JITFunction.preload; None if a constant is an object that has no name in a module."""
        try:
            return serialized(full_name(self.function), self.signature, self.constants, self.attributes, self.options,
                              self.key, self.framework or ("host" if self.index == -1 else None), self.device)
        except NotPortable:
            return None

    def _told(self, hook, is_warmup):
        options = {"num_warps": 4, "num_ctas": 1, "num_stages": 3, "enable_fp_fusion": True,
                   "launch_cooperative_grid": False, "extern_libs": None, **self.options}
        names = ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid")
        function, key = self.function, self.key
        types = ", ".join(f"{name}: {kind}" for name, kind in self.signature.items())
        chosen = ", ".join(f"{name}={options[name]}" for name in names)
        return hook(
            key=key,
            repr=f"{function.__qualname__}[{chosen}]({types})",
            fn=JitFunctionInfo(function.__module__, function.__qualname__, function),
            compile={"key": key, "signature": self.signature, "device": self.device, "constants": self.constants,
                     **{name: options[name] for name in (*names, "extern_libs")},
                     "configs": [self.attributes], "specialization_data": self.data, "is_warmup": is_warmup},
            is_manual_warmup=is_warmup,
            already_compiled=False,
        )

    def before_compiling(self, is_warmup):
        """Asks the hook; what is true means that it shall not be compiled."""
        hook = knobs.runtime.jit_cache_hook
        return self._told(hook, is_warmup) if hook else None

    def after_compiling(self, is_warmup):
        hook = knobs.runtime.jit_post_compile_hook
        if hook:
            self._told(hook, is_warmup)


def full_name(function):
    return f"{function.__module__}.{function.__qualname__}"


def serialized(name, signature, constants, attributes, options, key, memory=None, index=0):
    """A specialisation as JITFunction.preload takes it; NotPortable if a constant has no name in a module."""
    import json

    return json.dumps({
        "name": name, "signature": signature,
        "constant_keys": list(constants), "constant_vals": [_to_json(value) for value in constants.values()],
        "attrs_keys": list(attributes), "attrs_vals": list(attributes.values()),
        "options": options, "key": key, "memory": memory, "index": index,
    })


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
    import json

    from .triton.compiler.compiler import ASTSource

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
    constants = {path: _from_json(value) for path, value in constants.items()}
    source = ASTSource(function, signature, {}, attributes)
    source.constants, source.memory = constants, memory
    return source.examples(), options
