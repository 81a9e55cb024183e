"""`triton.compiler.errors`."""

from ...errors import (CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct)
