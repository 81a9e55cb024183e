"""What code is specialised for: types, constants and what of the values code may depend on.

Hooks of compilations are told it as Triton tells it (signature, constants, attributes, options), and as
a text (specialization_data.py).
"""

from .. import knobs
from . import program_names
from .specialization_data import NotPortable, serialized

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
            value = program_names.unwrap(value)
            fields = getattr(value, "_fields", None)
            if fields:
                self.attributes[path] = [["terrazzo.fields", list(fields)]]
            return tuple(self.read(item, inner, path + (i,), parameter) for i, (item, inner) in enumerate(zip(entry, value)))
        if len(entry) == 5:
            return self._descriptor(entry, path, parameter)
        return self._leaf(*entry, path, parameter)

    def _leaf(self, name, bits, path, parameter):
        aligns = not (parameter.do_not_specialize or parameter.do_not_specialize_on_alignment)
        if name[0] == "*":
            found = _divisibility(bits) if aligns and bits % _LARGEST == 0 else []
            if bits:
                first = self.addresses.setdefault(bits, path)
                if first != path:
                    found = found + [["terrazzo.address_of", list(first)]]
        else:
            if name[0] not in "iu" or name == "u1":
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
        sizes = [("i32", size) for size in shape] + [("i64", stride) for stride in strides]
        for i, leaf in enumerate(sizes, 1):
            self._leaf(*leaf, path + (i,), parameter)
        self.attributes[path] = [["terrazzo.padding", "nan" if pads_with_nan else "zero"]]
        return f"tensordesc<{kind[1:]}{list(block)}>"


# What a running profile adds to the options of each kernel that is launched.
options_of_profile = {}


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
        """Of device_caches. Code that records its parts is another."""
        constants = {path: program_names._spell(value) or program_names.label(program_names._jit_function(value) or value)
                     for path, value in self.constants.items()}
        return str((self.signature, constants, self.attributes, sorted({**options_of_profile, **self.options}.items()), self.target))

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
    """Module and name of a jit function, as "package.module.kernel"."""
    return f"{function.__module__}.{function.__qualname__}"
