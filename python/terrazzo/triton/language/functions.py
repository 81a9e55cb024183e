"""The functions of the language as objects of the host: made from the frontend's own table."""

import inspect

from ._names import FUNCTIONS

_SHORT = "triton.language"


class KernelFunction:
    """A function that kernels call. It has a signature and a name, and calling it on the host is an error."""

    __triton_builtin__ = True

    def __init__(self, module, name, parameters):
        self.__name__ = name
        self.__qualname__ = name
        self.__module__ = module
        self._parameters = parameters
        prefix = "tl" + module[len(_SHORT):] if module.startswith(_SHORT) else module
        self.__terrazzo__ = f"{module}.{name}" if "." in module[len(_SHORT):] else f"tl.{name}"
        self._shown = f"{prefix}.{name}"
        if module != _SHORT:
            self.__terrazzo__ = f"{module}.{name}"
        self.__doc__ = f"{self._shown}({parameters})\n\nOnly inside a kernel; docs/reference/language.md has the differences " \
                       "from Triton."

    @property
    def __signature__(self):
        scope = {"tl": _Annotations(), "N_ROUNDS_DEFAULT": 10}
        exec(f"def {self.__name__.strip('_') or 'f'}_({self._parameters}): pass", scope)
        return inspect.signature(scope[(self.__name__.strip('_') or 'f') + "_"])

    def __call__(self, *args, **kwargs):
        raise ValueError(f"{self._shown} works only inside a kernel: call it in a function that is marked @triton.jit "
                         "and launched with kernel[grid](...)")

    def __repr__(self):
        return f"<kernel function {self._shown}({self._parameters})>"

    def __reduce__(self):
        return _find, (self.__module__, self.__name__)


class _Annotations:
    """Stands for `tl` in the signatures of the library's own source."""

    def __getattr__(self, name):
        return f"tl.{name}"


def _find(module, name):
    return functions(module)[name]


_made = {}


def functions(module):
    """The functions of a built-in module of the frontend by name."""
    if module not in _made:
        _made[module] = {name: KernelFunction(module, name, parameters)
                         for name, parameters in FUNCTIONS.get(module, {}).items()}
    return _made[module]


def fill(scope, module):
    """Adds the functions of `module` to a namespace that does not define them itself."""
    for name, function in functions(module).items():
        scope.setdefault(name, function)
