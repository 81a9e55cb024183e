"""`triton.runtime.errors`."""

from ...errors import CompilationError, InterpreterError, OutOfResources
from ...runtime.configurations import AutotunerError


class PTXASError(CompilationError):
    """The assembler refused what the compiler made."""
