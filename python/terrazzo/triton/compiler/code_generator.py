"""`triton.compiler.code_generator`: Terrazzo's frontend reads source text, so that it has no more than names of others."""

from ...language.constexpr_functions import ConstexprFunction
from ...language.dtypes import str_to_ty
from ..runtime.jit import JITCallable, JITFunction, get_full_name, get_jit_fn_file_line
from .errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
