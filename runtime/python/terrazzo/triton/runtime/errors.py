"""`triton.runtime.errors`."""

from ...autotuner import AutotunerError  # noqa: F401
from ...errors import CompilationError, OutOfResources, TerrazzoError  # noqa: F401


class InterpreterError(TerrazzoError):
    """A kernel that the interpreter ran did something wrong."""


class PTXASError(CompilationError):
    """The assembler refused what the compiler made."""
