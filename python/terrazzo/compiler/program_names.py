"""What names of kernels stand for, told to the compiler.

The compiler reads a kernel's own text and asks for every name that the text
does not define: a global, a variable of an enclosing function, an attribute of
a module. The answer is an expression of the language, the text of another jit
function or class, an object to ask further, or a function to call with values
that are known at compile time. `scope` is the number of the function or object
whose names are meant.
"""

import builtins
import enum
import inspect
import itertools
import math
import os
import sys
import types
import weakref

from .. import _native
from ..language.dtypes import dtype

# As in terrazzo.h.
UNDEFINED, EXPRESSION, FUNCTION, CLASS, OBJECT, CALLABLE, OPAQUE = range(7)

_numbers = itertools.count(1)
_functions = weakref.WeakValueDictionary()  # scope -> JITFunction
_objects = {}  # scope -> anything else, kept: kernels may be compiled again
_scopes = {}  # id of a kept object -> scope
_labels = {}  # label of a constexpr argument -> object
_label_of = {}


def scope_of_function(function):
    """A new number for the names that a jit function's text may use."""
    scope = next(_numbers)
    _functions[scope] = function
    return scope


def _scope_of(value):
    scope = _scopes.get(id(value))
    if scope is None:
        scope = _scopes[id(value)] = next(_numbers)
        _objects[scope] = value
    return scope


def label(value):
    """A name for a constexpr argument that no expression spells; equal values have one."""
    try:
        key = (type(value), value)
        known = _label_of.get(key)
    except TypeError:
        key = id(value)
        known = _label_of.get(key)
    if known is None:
        name = getattr(value, "__qualname__", None) or type(value).__qualname__
        known = f"#{getattr(value, '__module__', '')}.{name}"
        if known in _labels:
            known += f"~{len(_labels)}"
        _labels[known] = value
        _label_of[key] = known
    return known


# ---- values as text ----------------------------------------------------------


def _is_constexpr(value):
    return type(value).__name__ == "constexpr" and hasattr(value, "value")


def unwrap(value):
    """What a tl.constexpr holds, however deep; anything else as it is."""
    while _is_constexpr(value):
        value = value.value
    return value


def _spell(value):
    """A value as an expression of the language, or None."""
    value = unwrap(value)
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, enum.Enum) and not isinstance(value, (int, str)):
        return None
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else f"float('{value}')"
    if isinstance(value, str):
        return repr(str(value))
    spelling = getattr(value, "__terrazzo__", None)
    if isinstance(spelling, str):
        return spelling
    if isinstance(value, (tuple, list)):
        items = [_spell(item) for item in value]
        if None in items:
            return None
        fields = getattr(value, "_fields", None)
        if fields:
            return f"collections.namedtuple({type(value).__name__!r}, {list(fields)!r})({', '.join(items)})"
        return f"[{', '.join(items)}]" if isinstance(value, list) else f"({''.join(item + ', ' for item in items)})"
    if isinstance(value, dict):
        items = [(_spell(key), _spell(item)) for key, item in value.items()]
        if any(None in pair for pair in items):
            return None
        return "{" + ", ".join(f"{key}: {item}" for key, item in items) + "}"
    if type(value).__module__ == "torch" and type(value).__name__ == "dtype":
        return str(value)
    return _spell_of_triton(value)


def _spell_of_triton(value):
    """Objects of a Triton that is installed beside us have the names that we have."""
    module = getattr(value, "__module__", None) or ""
    if type(value).__module__.startswith("triton.language") and type(value).__name__ == "dtype":
        return dtype(value.name).__terrazzo__
    if not module.startswith("triton.") or not getattr(value, "__name__", None):
        return None
    head = module.removeprefix("triton.language.")
    return f"tl.{value.__name__}" if head in ("core", "standard", "random") else f"{module}.{value.__name__}"


def _module_text(name):
    """A module of ours, or of a Triton beside us, as the compiler calls it."""
    if name == "terrazzo.triton" or name.startswith("terrazzo.triton."):
        name = name.removeprefix("terrazzo.")
    if name == "triton" or name.startswith("triton."):
        return name
    return None


def _allows_plain_globals():
    return os.environ.get("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "").lower() in ("1", "on", "true", "yes", "y")


def _expression(text):
    return EXPRESSION, text, None, 0, None, 0


def _jit_function(value):
    """The jit function inside of an autotuner and the like, or None."""
    for _ in range(16):
        if isinstance(value, _native.Function):
            return value
        if isinstance(value, type) or not hasattr(value, "fn"):
            return None
        value = value.fn
    return None


def _class_answer(value):
    if hasattr(value, "_fields") and not any(inspect.isfunction(f) for f in vars(value).values()
                                             if getattr(f, "__qualname__", "").startswith(value.__qualname__ + ".")
                                             and getattr(f, "__name__", "_").strip("_") not in ("new", "make", "replace",
                                                                                               "asdict", "repr",
                                                                                               "getnewargs")):
        return _expression(f"collections.namedtuple({value.__name__!r}, {list(value._fields)!r})")
    lines, line = inspect.getsourcelines(value)
    return CLASS, "".join(lines), inspect.getsourcefile(value), line, value.__name__, _scope_of(value)


def _is_aggregate(value):
    return bool(getattr(value, "__triton_aggregate__", False))


def _asks_types(value):
    """May it be called with run-time values, of which it learns the type?"""
    value = getattr(value, "func", value)  # a method: a partial of the function
    return type(value).__name__ in ("ConstexprFunction", "BoundConstexprFunction")


def answer(value, is_global=False):
    """(kind, text, path, line, name, scope) for a value of the program."""
    if isinstance(value, types.ModuleType):
        text = _module_text(value.__name__)
        return _expression("tl" if text == "triton.language" else text) if text else \
            (OBJECT, None, value.__name__, 0, None, _scope_of(value))
    if _is_constexpr(value):
        text = _spell(value)
        return _expression(f"tl.constexpr({text})") if text is not None else answer(unwrap(value))
    text = _spell(value)
    if text is not None:
        if is_global and isinstance(value, (bool, int, float, str, tuple, list, dict, type(None))) and \
                not hasattr(value, "_fields") and _allows_plain_globals():
            text = f"tl.constexpr({text})"
        return _expression(text)
    function = _jit_function(value)
    if function is not None:
        text, line = function._excerpt()
        return FUNCTION, text, function._path, line, function._defined_name(text), function._scope
    if isinstance(value, type):
        if _is_aggregate(value) or (hasattr(value, "_fields") and issubclass(value, tuple)):
            return _class_answer(value)
        if getattr(builtins, value.__name__, None) is value:
            return _expression(value.__name__)
        return OBJECT, None, value.__name__, 0, None, _scope_of(value)
    if callable(value):
        name = getattr(value, "__name__", "")
        if getattr(builtins, name, None) is value:
            return _expression(name)
        return CALLABLE, "types" if _asks_types(value) else None, None, 0, name, _scope_of(value)
    if is_global and not isinstance(value, enum.Enum):
        return (OPAQUE, f"it is a {type(value).__name__} of the program; kernels read constexprs, jit functions, dtypes "
                "and modules", None, 0, None, 0)
    return OBJECT, None, type(value).__name__, 0, None, _scope_of(value)


# ---- questions ---------------------------------------------------------------

_absent = object()


def _cell(fn, name):
    code = fn.__code__
    return fn.__closure__[code.co_freevars.index(name)] if name in code.co_freevars else None


def _default_of(function, name):
    return next((p.default for p in function.params if p.name == name and p.has_default), _absent)


def _of_function(root, function, name):
    fn = function._python
    if name == "@jit":
        options = {key: list(value) for key, value in (
            ("do_not_specialize", function.do_not_specialize),
            ("do_not_specialize_on_alignment", function.do_not_specialize_on_alignment)) if value}
        return _expression(repr(options)) if options else None
    if name.endswith("="):
        value = _default_of(function, name[:-1])
        return None if value is _absent else answer(value)
    cell = _cell(fn, name)
    if cell is not None:
        try:
            value = cell.cell_contents
        except ValueError:
            return OPAQUE, "the enclosing function has not set it yet", None, 0, None, 0
        namespace = cell
    else:
        namespace = fn.__globals__
        value = namespace.get(name, _absent)
        if value is _absent:
            return None
    if root is not None and not isinstance(value, types.ModuleType):
        root._watch(namespace, name, value)
        if namespace is fn.__globals__ and root.used_global_vals is not None:
            root.used_global_vals[name, id(namespace)] = value, namespace
    return answer(value, is_global=True)


def _of_object(value, name):
    if isinstance(value, type) and (_is_aggregate(value) or hasattr(value, "_fields")):
        # Free names of a class's text are those of its module.
        value = sys.modules.get(value.__module__)
    found = getattr(value, name, _absent)
    return None if found is _absent else answer(found)


def _of_copy(function, kind, scope, text):
    """Of a function that was compiled in another process (copies.py): what was told there."""
    found = function._told.get((kind, scope, text), _absent)
    if found is not _absent:
        return found
    if hasattr(builtins, text):
        return None
    return (OPAQUE, f"this copy of '{function.__name__}' comes from another process, where nothing compiled had asked for "
            "it", None, 0, None, 0)


def _find(root, scope, name):
    function = _functions.get(scope)
    if function is not None:
        return _of_copy(function, "find", scope, name) if function._python is None else _of_function(root, function, name)
    if scope in _objects:
        return _of_object(_objects[scope], name)
    return None


def find(root, scope, name):
    """The answer for a name of a scope, or None. `root`: the kernel that is compiled."""
    if name in _labels:
        return answer(_labels[name])
    found = _find(root, scope, name)
    if root is not None:
        root._told["find", scope, name] = found
    return found


def _object(scope):
    return _functions.get(scope) or _objects[scope]


def _call(scope, arguments):
    function = _functions.get(scope)
    if function is not None:
        return _of_copy(function, "call", scope, arguments)
    from .stand_ins import StandIns

    stand_ins = StandIns()
    try:
        args, kwargs = stand_ins.arguments(arguments, _object)
        return answer(unwrap(_objects[scope](*args, **kwargs)))
    except Exception as error:
        return UNDEFINED, f"{type(error).__name__}: {error}", None, 0, None, 0
    finally:
        stand_ins.expire()


def call(root, scope, arguments):
    """What a function of the program gives; an exception is a name that is not defined."""
    found = _call(scope, arguments)
    if root is not None:
        root._told["call", scope, arguments] = found
    return found


def is_same(old, new):
    """Would the compiler be told the same of both?"""
    if old is new:
        return True
    old, new = unwrap(old), unwrap(new)
    if type(old) is not type(new):
        return False
    try:
        return bool(old == new) or (old != old and new != new)
    except Exception:
        return False
