"""`triton.runtime.jit`."""

from ...constexprs import ConstexprFunction, constexpr_function  # noqa: F401
from ...interface import KernelInterface  # noqa: F401
from ...jit_function import JITFunction, jit  # noqa: F401
from ...specialization import JitFunctionInfo  # noqa: F401
from ...wrappers import MockTensor, TensorWrapper, reinterpret  # noqa: F401
from ..language.dtypes import SIGNATURE_NAMES as type_canonicalisation_dict  # noqa: F401
from .specialize import KernelParam, mangle_type, native_specialize_impl  # noqa: F401

JITCallable = JITFunction


def get_jit_fn_file_line(fn):
    """The file of a jit function and the line of its `def`."""
    base = fn
    while not isinstance(base, JITFunction):
        base = base.fn
    return base._path, base.starting_line_number
