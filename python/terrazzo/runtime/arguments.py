"""What the launcher does not know by its type: asked once a launch and argument."""

from .. import _native
from ..compiler import program_names
from ..language.dtypes import base_type
from . import frameworks


def _of_host_array(value):
    interface = getattr(value, "__array_interface__", None)
    if isinstance(interface, dict):
        dtype = getattr(value, "dtype", None)
        return interface, str(dtype if dtype is not None else interface["typestr"]), None, -1
    return None


def _of_wrapper(value):
    """The address of a wrapped tensor, with its layout where elements have the size that they had."""
    address, base = value.data_ptr(), getattr(value, "base", None)
    size = getattr(value.dtype, "itemsize", None)
    if size and callable(getattr(base, "is_contiguous", None)) and not base.is_contiguous() and base.element_size() == size:
        strides = tuple(stride * size for stride in base.stride())
        return {"data": (address, False), "shape": tuple(base.shape), "strides": strides, "typestr": f"|V{size}"}
    return address


def _place_of(value):
    """(framework, index) of what wraps a tensor, or stands for one."""
    place = getattr(value, "__terrazzo_memory__", None)
    if place is not None:
        return place
    base = getattr(value, "base", None)
    index = base.get_device() if hasattr(base, "get_device") else -2
    return "torch" if index >= 0 else None, index


def _index_of(value):
    """The device of an array: CuPy's .device.id, JAX's .device.id."""
    index = getattr(getattr(value, "device", None), "id", None)
    return index if isinstance(index, int) else 0


def _writable(interface):
    """Without the mark of arrays that their framework never changes: kernels write what the program gives them."""
    return {**interface, "data": (interface["data"][0], False)}


def _of_device_array(value):
    """An array of CuPy, JAX ... in a device's memory."""
    framework = type(value).__module__.partition(".")[0].removesuffix("lib")
    is_jax = framework == "jax" and hasattr(value, "block_until_ready")
    if is_jax:
        value.block_until_ready()
    for name in frameworks.array_interfaces():
        try:
            interface = getattr(value, name, None)
        except Exception:  # JAX raises for arrays on the host, and for element types that it does not name there
            continue
        if interface is not None:
            return _writable(interface) if is_jax else interface, str(value.dtype), framework, _index_of(value)
    return None


def _of_dlpack(value):
    """Anything that DLPack tells of: in host memory what NumPy can see, in a device's what the framework says."""
    if not hasattr(value, "__dlpack__"):
        return None
    kind, index = value.__dlpack_device__()
    if kind != 1:
        framework = type(value).__module__.partition(".")[0].removesuffix("lib")
        return _native.read_dlpack(value.__dlpack__()), str(value.dtype), framework, index
    import numpy

    seen = numpy.asarray(value) if hasattr(value, "__array__") else numpy.from_dlpack(value)
    return _writable(seen.__array_interface__), str(value.dtype), None, -1


def convert(value):
    """(kind, what): 'constant', 'value', 'expression', 'spelling' (an expression that the object always has), 'descriptor',
    'array' or 'unknown'."""
    spelling = getattr(value, "__terrazzo__", None)
    kind = type(value)
    if isinstance(spelling, str):
        return "spelling" if isinstance(value, base_type) else "expression", spelling
    if kind.__name__ == "constexpr" and hasattr(value, "value"):
        return "constant", value.value
    if program_names._jit_function(value) is not None:
        return "expression", program_names.label(program_names._jit_function(value))
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        padding = getattr(value, "padding", "zero")
        return "descriptor", (value.base, value.shape, value.strides, value.block_shape, padding == "nan")
    if hasattr(value, "data_ptr") and hasattr(value, "dtype"):
        # A wrapper around a tensor that gives it another dtype, or a stand-in for one.
        return "array", (_of_wrapper(value), str(value.dtype), *_place_of(value))
    array = _of_host_array(value) or _of_device_array(value) or _of_dlpack(value)
    if array and getattr(value, "shape", None) != ():
        return "array", array
    if hasattr(kind, "__index__"):
        return "value", value.__index__()
    if hasattr(kind, "__float__"):
        return "value", float(value)
    text = None if isinstance(value, (dict, list)) else program_names._spell(value)
    return ("expression", text) if text is not None else ("unknown", value)


def constant(value):
    """As convert, for a constexpr parameter: any object is known at compile time."""
    kind, what = convert(value)
    if kind == "unknown" and (text := program_names._spell(value)) is not None:
        return "expression", text
    return ("expression", program_names.label(value)) if kind == "unknown" else (kind, what)
