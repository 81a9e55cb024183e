"""`triton.runtime.errors`."""

from ...errors import CompilationError, InterpreterError, OutOfResources
from ...errors import TerrazzoError as TritonError
from ...runtime.configurations import AutotunerError


class PTXASError(CompilationError):
    """The assembler refused what the compiler made."""
