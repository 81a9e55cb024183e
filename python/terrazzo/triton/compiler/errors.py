"""`triton.compiler.errors`."""

from ...errors import (CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct)
from ...errors import TerrazzoError as TritonError
