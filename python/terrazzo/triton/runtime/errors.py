"""`triton.runtime.errors`."""

from ...errors import CompilationError, InterpreterError, OutOfResources  # noqa: F401
from ...runtime.configurations import AutotunerError  # noqa: F401


class PTXASError(CompilationError):
    """The assembler refused what the compiler made."""
