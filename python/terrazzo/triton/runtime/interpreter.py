"""`triton.runtime.interpreter`: what tells an interpreted function.

Triton interprets kernels as Python programs, with classes of their own here. Terrazzo's interpreter reads the same text
as its compiler (docs/guide/python.md, Interpreter), so one class of functions serves both.
"""

from ...runtime.jit_function import JITFunction
from .._absent import missing


class _Interpreted(type):
    def __instancecheck__(cls, value):
        return isinstance(value, JITFunction) and value._is_interpreted


class InterpretedFunction(metaclass=_Interpreted):
    """isinstance(kernel, InterpretedFunction): whether it was decorated under TRITON_INTERPRET=1."""

    def __new__(cls, fn, **options):
        function = JITFunction(fn, **options)
        function._is_interpreted = True
        function._use_run(True)
        return function


def __getattr__(name):
    raise missing(__name__, name)
