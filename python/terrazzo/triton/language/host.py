"""What host code that extends the language asks of it: decorators and checks."""

from ...language.values import constexpr

TRITON_MAX_TENSOR_NUMEL = 2**20
TRITON_BUILTIN = "__triton_builtin__"


def must_use_result(x, s=True):
    """Marks a function of kernels whose result must be used; a note for readers."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x


def builtin(fn):
    """Marks a Python function as one of the language; kernels can call only those of the compiler."""
    fn.__triton_builtin__ = True
    return fn


def is_builtin(fn):
    """Whether the function is marked as one of the language."""
    return getattr(fn, TRITON_BUILTIN, False)


def extern(fn):
    """Marks a function of a table that `extern_elementwise` reads; the compiler reads its source."""
    fn.__triton_builtin__ = True
    return fn


def _aggregate(cls):
    """Makes an annotated class one whose instances kernels build; on the host its fields are checked."""
    fields = dict(getattr(cls, "__annotations__", {}))
    cls.__triton_aggregate__ = True
    cls.__aggregate_fields__ = fields
    return cls


aggregate = _aggregate


def _unwrap_if_constexpr(value):
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, (list, tuple)):
        return type(value)(_unwrap_if_constexpr(item) for item in value)
    return value


_unwrap_shape = _unwrap_if_constexpr


def validate_block_shape(shape):
    """The number of elements of a block; a ValueError if a kernel cannot have such a one."""
    numel = 1
    for i, size in enumerate(_unwrap_if_constexpr(list(shape))):
        if not isinstance(size, int):
            raise TypeError(f"shape[{i}] must be an int, not {type(size).__name__}")
        if size < 1 or size & (size - 1):
            raise ValueError(f"shape[{i}] must be a power of 2, not {size}")
        numel *= size
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"a block of {numel} elements is larger than {TRITON_MAX_TENSOR_NUMEL}")
    return numel
