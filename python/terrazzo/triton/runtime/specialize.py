"""How an argument of a launch is typed and what of its value the compiler may use."""

from ...language import dtypes
from ...language.values import constexpr
from ...runtime.jit_function import KernelParam


def _of_integer(value, specialize_value, align):
    if specialize_value and value == 1:
        return "constexpr", 1
    if -(2**31) <= value < 2**31:
        name = "i32"
    elif -(2**63) <= value < 2**63:
        name = "i64"
    elif value < 2**64:
        name = "u64"
    else:
        raise OverflowError(f"{value} does not fit into 64 bits")
    return name, "D" if align and specialize_value and value % 16 == 0 else ""


def native_specialize_impl(backend, arg, is_const, specialize_value, align):
    """(type in a signature, key): "D" where a value or an address is divisible by 16, constants themselves."""
    if arg is None:
        return "constexpr", None
    if isinstance(arg, bool):
        return "u1", None
    if isinstance(arg, int):
        return _of_integer(arg, specialize_value, align)
    if isinstance(arg, float):
        return "fp32", None
    if isinstance(arg, constexpr):
        return "constexpr", arg
    if hasattr(arg, "block_shape"):
        inner = dtypes.SIGNATURE_NAMES[str(arg.base.dtype).rpartition(".")[2]]
        return f"tensordesc<{inner}{list(arg.block_shape)}>", None
    if hasattr(arg, "data_ptr"):
        name = "*" + ("k" if is_const else "") + dtypes.SIGNATURE_NAMES[str(arg.dtype).rpartition(".")[2]]
        return name, "D" if align and arg.data_ptr() % 16 == 0 else ""
    if isinstance(arg, tuple):
        members = [native_specialize_impl(backend, item, is_const, specialize_value, align) for item in arg]
        return tuple(member[0] for member in members), tuple(member[1] for member in members)
    if callable(arg) or isinstance(arg, (str, dtypes.dtype)):
        return "constexpr", arg
    raise TypeError(f"a kernel takes no {type(arg).__name__}: {arg!r}")


specialize_impl = native_specialize_impl


def mangle_type(arg, specialize=False):
    """The type of an argument as signatures write it."""
    return native_specialize_impl(None, arg, False, specialize, specialize)[0]
