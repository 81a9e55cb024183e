"""`triton._utils`: nested tuples by path, and names of types in signatures. Libraries import it in spite of its name."""

import functools

from ..language.dtypes import SIGNATURE_NAMES as type_canonicalisation_dict
from ..language.dtypes import str_to_ty, tuple_type
from .language.host import TRITON_MAX_TENSOR_NUMEL, validate_block_shape

BITWIDTH_DICT = {"void": 0, **{name: str_to_ty(name).primitive_bitwidth for name in type_canonicalisation_dict if name != "void"}}


def is_iterable(x):
    """Whether paths lead into it."""
    return isinstance(x, (list, tuple, tuple_type))


def get_iterable_path(iterable, path):
    """iterable[path[0]][path[1]]..."""
    return functools.reduce(lambda value, index: value[index], path, iterable)


def set_iterable_path(iterable, path, value):
    """Puts `value` at a path into nested lists."""
    if not path:
        raise ValueError("a path has one index at least")
    get_iterable_path(iterable, path[:-1])[path[-1]] = value


def apply_with_path(value, fn, _path=()):
    """Calls fn(path, item) for each item that is no tuple or list, in order."""
    if is_iterable(value):
        for index, item in enumerate(value):
            apply_with_path(item, fn, (*_path, index))
    else:
        fn(_path, value)


def find_paths_if(iterable, predicate):
    """The paths of the items for which predicate(path, item) is true, in order."""
    found = []
    apply_with_path(iterable, lambda path, item: predicate(path, item) and found.append(path))
    return found


def is_power_of_two(x):
    return x & (x - 1) == 0


def is_namedtuple(value):
    """Whether it is a class of named tuples."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def canonicalize_dtype(dtype):
    """"fp32" for torch.float32, tl.float32 and their names."""
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def canonicalize_ptr_dtype(dtype, is_const):
    """"*fp32"; "*kfp32" for memory that is only read."""
    return ("*k" if is_const else "*") + canonicalize_dtype(dtype)


def get_primitive_bitwidth(dtype):
    """Bits of a type by its name in signatures."""
    return BITWIDTH_DICT[canonicalize_dtype(dtype)]
