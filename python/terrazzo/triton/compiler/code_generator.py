"""`triton.compiler.code_generator`: Terrazzo's frontend reads source text, so there is nothing to import but errors."""

from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
