"""`triton.runtime.jit`."""

from ...compiler.specialization import JitFunctionInfo
from ...compiler.specialization import full_name as get_full_name
from ...compiler.specialization_data import serialized
from ...language.constexpr_functions import ConstexprFunction, constexpr_function
from ...runtime.array_wrappers import MockTensor, TensorWrapper, reinterpret
from ...runtime.interface import KernelInterface
from ...runtime.jit_function import JITFunction, jit
from .._utils import find_paths_if, get_iterable_path, is_namedtuple, type_canonicalisation_dict
from ..backends.compiler import BaseBackend, launch_options
from .cache import get_cache_invalidating_env_vars, get_cache_key
from .specialize import KernelParam, mangle_type, native_specialize_impl, specialize_impl

JITCallable = JITFunction


def get_jit_fn_file_line(fn):
    """The file of a jit function and the line of its `def`."""
    base = fn
    while not isinstance(base, JITFunction):
        base = base.fn
    return base._path, base.starting_line_number


def serialize_specialization_data(name, signature, constants, attrs, options, key):
    """A text that JITFunction.preload takes, for arrays wherever the process that preloads has them.

    What hooks of compilations are told: get_full_name of the function, the signature, constants and attributes by
    path, options (an object or a dictionary), the key.
    """
    return serialized(name, signature, constants, attrs, launch_options(options), key)


def compute_cache_key(kernel_key_cache, specialization, options):
    """A text for (type, key) of each argument and for options; `kernel_key_cache` keeps it. Jit functions among them
    count by what they compile. No key of device_caches: those know the device, too."""
    asked = tuple(specialization), str(options)
    if asked not in kernel_key_cache:
        kernel_key_cache[asked] = str(_by_content(specialization)) + asked[1]
    return kernel_key_cache[asked]


def _by_content(value):
    if isinstance(value, (tuple, list)):
        return [_by_content(item) for item in value]
    return value.cache_key if isinstance(value, JITFunction) else value
