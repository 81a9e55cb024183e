"""The language: types, values and every function that kernels call."""

from ...language import dtypes as _dtypes
from ...language.constexpr_functions import ConstexprFunction as _ConstexprFunction
from ...language.constexpr_functions import constexpr_function
from ...language.dtypes import (base_type, block_type, constexpr_type, dtype, get_int_dtype, pointer_type, str_to_ty,
                                tensor_descriptor_type, tuple_type)
from ...language.values import (PropagateNan, base_value, condition, const, constexpr, range, slice, static_range,
                                tensor, tensor_descriptor, tensor_descriptor_base, tuple)
from . import functions as _functions
from ._names import METHODS as _METHODS
from .host import (TRITON_BUILTIN, TRITON_MAX_TENSOR_NUMEL, _aggregate, _unwrap_if_constexpr, _unwrap_shape, aggregate,
                   builtin, extern, is_builtin, must_use_result, validate_block_shape)

globals().update(_dtypes.NAMES)
CONSTEXPR_0 = constexpr(0)  # a default of library functions that are copied
_functions.fill(globals(), "triton.language")
_functions.fill(globals(), "triton.language.core")
for _name, _parameters in _METHODS["tensor"].items():
    setattr(tensor, _name, _functions.KernelFunction("triton.language.tensor", _name, _parameters))
