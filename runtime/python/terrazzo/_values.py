"""What the launcher does not know by its type: asked once a launch and argument."""

from . import _frameworks, _names


def _of_host_array(value):
    interface = getattr(value, "__array_interface__", None)
    if isinstance(interface, dict):
        dtype = getattr(value, "dtype", None)
        return interface["data"][0], str(dtype if dtype is not None else interface["typestr"]), None, -1
    return None


def _index_of(value):
    """The device of an array: CuPy's .device.id, JAX's .device.id."""
    index = getattr(getattr(value, "device", None), "id", None)
    return index if isinstance(index, int) else 0


def _of_device_array(value):
    """An array of CuPy, JAX ... in a device's memory."""
    framework = type(value).__module__.partition(".")[0].removesuffix("lib")
    if framework == "jax" and hasattr(value, "block_until_ready"):
        value.block_until_ready()
    for name in _frameworks.array_interfaces():
        try:
            interface = getattr(value, name, None)
        except Exception:  # JAX raises for arrays on the host
            continue
        if interface is not None:
            return interface["data"][0], str(value.dtype), framework, _index_of(value)
    return None


def _of_dlpack(value):
    """Anything in host memory that NumPy can see by DLPack."""
    if not hasattr(value, "__dlpack__") or value.__dlpack_device__()[0] != 1:
        return None
    import numpy

    seen = numpy.asarray(value) if hasattr(value, "__array__") else numpy.from_dlpack(value)
    return seen.ctypes.data, str(value.dtype), None, -1


def convert(value):
    """(kind, what): 'constant', 'value', 'expression', 'spelling' (an expression that the object always has), 'descriptor',
    'array' or 'unknown'."""
    spelling = getattr(value, "__terrazzo__", None)
    kind = type(value)
    if isinstance(spelling, str):
        return "spelling" if kind.__module__ == "terrazzo.triton.language.dtypes" else "expression", spelling
    if kind.__name__ == "constexpr" and hasattr(value, "value"):
        return "constant", value.value
    if _names._jit_function(value) is not None:
        return "expression", _names.label(_names._jit_function(value))
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        padding = getattr(value, "padding", "zero")
        return "descriptor", (value.base, value.shape, value.strides, value.block_shape, padding == "nan")
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        # A wrapper around a tensor that gives it another dtype, or a stand-in for one.
        base = getattr(value, "base", None)
        index = base.get_device() if hasattr(base, "get_device") else -2
        return "array", (value.data_ptr(), str(value.dtype), "torch" if index >= 0 else None, index)
    array = _of_host_array(value) or _of_device_array(value) or _of_dlpack(value)
    if array and getattr(value, "shape", None) != ():
        return "array", array
    if hasattr(kind, "__index__"):
        return "value", value.__index__()
    if hasattr(kind, "__float__"):
        return "value", float(value)
    text = None if isinstance(value, (dict, list)) else _names._spell(value)
    return ("expression", text) if text is not None else ("unknown", value)


def constant(value):
    """As convert, for a constexpr parameter: any object is known at compile time."""
    kind, what = convert(value)
    if kind == "unknown" and (text := _names._spell(value)) is not None:
        return "expression", text
    return ("expression", _names.label(value)) if kind == "unknown" else (kind, what)
