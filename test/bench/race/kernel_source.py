"""A kernel's source without its library: the jit functions that it needs and what their names mean.

A description is JSON. Each function stands with its text and its bindings: for each
global name that the text uses, what the name means:

    {"function": N}                      another function of the description
    {"value": V}, {"constexpr": V}       a constant; V as encode_constant gives it
    {"module": "triton.language"}        a module that every installation has
    {"attribute": [MODULE, NAME]}        something of such a module
    {"namespace": {NAME: BINDING, ...}}  a module or an object of the library, with what is used of it

load() makes functions from it again, under any package that has Triton's interface.
"""

import ast
import importlib
import inspect
import linecache
import math
import re
import textwrap
import types

KEPT_MODULES = ("triton", "math", "builtins", "operator", "functools")


class NotRecordable(Exception):
    """A launch that cannot stand in a file; the text says why."""


def _is_kept(name):
    return (name or "").partition(".")[0] in KEPT_MODULES


def _home(value, attribute="__module__"):
    """A module's name; Triton's for what stands in for it."""
    home = getattr(value, attribute, None) or ""
    return "triton.language.core" if home.startswith("terrazzo.language.") else home.removeprefix("terrazzo.")


def encode_constant(value, functions=None):
    """A constant as JSON. functions: a Collector, for constants that are jit functions."""
    kind = type(value).__name__
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if -2**63 <= value < 2**63 else {"integer": str(value)}
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind == "constexpr":
        return {"constexpr": encode_constant(value.value, functions)}
    if kind == "dtype" and _home(type(value)).startswith("triton"):
        return {"dtype": value.name}
    if kind == "dtype" and type(value).__module__ == "torch":
        return {"torch_dtype": str(value).rpartition(".")[2]}
    if isinstance(value, (tuple, list)):
        if hasattr(value, "_fields"):
            return {"named": type(value).__name__, "fields": list(value._fields),
                    "items": [encode_constant(item, functions) for item in value]}
        return {"tuple": [encode_constant(item, functions) for item in value]}
    if functions is not None and is_jit(value):
        return {"function": functions.add(value)}
    raise NotRecordable(f"a constant of type {type(value).__module__}.{kind}")


def decode_constant(value, triton, functions=()):
    """The constant for a package that has Triton's interface."""
    if isinstance(value, dict):
        (what, content), *_ = value.items()
        if what == "integer":
            return int(content)
        if what == "float":
            return float(content)
        if what == "constexpr":
            return triton.language.constexpr(decode_constant(content, triton, functions))
        if what == "dtype":
            return triton.language.dtype(content)
        if what == "torch_dtype":
            return getattr(importlib.import_module("torch"), content)
        if what == "tuple":
            return tuple(decode_constant(item, triton, functions) for item in content)
        if what == "named":
            import collections
            made = collections.namedtuple(content, value["fields"])
            return made(*(decode_constant(item, triton, functions) for item in value["items"]))
        if what == "function":
            return functions[content]
        raise ValueError(f"unknown constant {value!r}")
    return value


def is_jit(value):
    return hasattr(value, "cache_key") and hasattr(value, "src") and hasattr(value, "fn")


def _is_constexpr_function(value):
    return type(value).__name__ == "ConstexprFunction"


class Collector:
    """Takes functions and what they need into one description."""

    def __init__(self):
        self.functions, self._known = [], {}

    def add(self, function):
        """The function's number in the description."""
        if id(function) in self._known:
            return self._known[id(function)]
        number = self._known[id(function)] = len(self.functions)
        entry = {"name": function.__name__, "kind": "constexpr_function" if _is_constexpr_function(function) else "jit"}
        self.functions.append(entry)
        source = _source(function)
        entry["source"] = source.splitlines()
        if entry["kind"] == "jit":
            entry["options"] = self._options(function)
        entry["bindings"] = self._bindings(ast.parse(source), _scope(function))
        return number

    @staticmethod
    def _options(function):
        options = {}
        for option in ("do_not_specialize", "do_not_specialize_on_alignment"):
            names = [p.name for p in getattr(function, "params", ()) if getattr(p, option, False)]
            if names:
                options[option] = names
        if getattr(function, "noinline", None):
            options["noinline"] = True
        return options

    def _bindings(self, tree, scope):
        used = {}  # name -> paths of attributes
        definition, local = tree.body[0], set()
        class Names(ast.NodeVisitor):
            def visit_Attribute(self, node):
                path, inner = [node.attr], node.value
                while isinstance(inner, ast.Attribute):
                    path.insert(0, inner.attr)
                    inner = inner.value
                if isinstance(inner, ast.Name):
                    used.setdefault(inner.id, []).append(path)
                else:
                    self.visit(inner)

            def visit_Name(self, node):
                used.setdefault(node.id, []).append([])
        # A name that the body binds is its own, whatever the module has under it.
        for statement in definition.body:
            Names().visit(statement)
            local.update(node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        local.update(argument.arg for argument in ast.walk(definition.args) if isinstance(argument, ast.arg))
        for name in local:
            used.pop(name, None)
        Names().visit(definition.args)
        bindings = {}
        for name, paths in used.items():
            if name in scope:
                bindings[name] = self._bind(name, scope[name], paths)
        return bindings

    def _bind(self, name, value, paths):
        if isinstance(value, types.ModuleType):
            if _is_kept(_home(value, "__name__")):
                return {"module": _home(value, "__name__")}
            inside = {}
            for path in paths:
                if path and hasattr(value, path[0]):
                    inside.setdefault(path[0], []).append(path[1:])
            return {"namespace": {key: self._bind(key, getattr(value, key), rest) for key, rest in inside.items()}}
        home = _home(value)
        if is_jit(value) or _is_constexpr_function(value):
            return {"attribute": [home, value.__name__]} if _is_kept(home) else {"function": self.add(value)}
        if type(value).__name__ == "constexpr":
            return {"constexpr": encode_constant(value.value, self)}
        if (callable(value) or isinstance(value, type)) and _is_kept(home) and hasattr(value, "__name__"):
            return {"attribute": [home, value.__name__]}
        try:
            return {"value": encode_constant(value, self)}
        except NotRecordable as problem:
            # Of an object, such as torch.finfo(...), what the text uses.
            if all(paths) and all(hasattr(value, path[0]) for path in paths):
                return {"namespace": {path[0]: self._bind(f"{name}.{path[0]}", getattr(value, path[0]), [path[1:]]) for path in paths}}
            raise NotRecordable(f"global name {name!r}: {problem}") from None


def _source(function):
    """The text of a function from its def on."""
    text = getattr(function, "src", None) or textwrap.dedent(inspect.getsource(function.fn))
    return text[re.search(r"^def\s", text, re.MULTILINE).start():]


def _scope(function):
    python = function.fn
    scope = dict(getattr(python, "__globals__", {}))
    scope.update(inspect.getclosurevars(python).nonlocals)
    return scope


def load(functions, triton, label):
    """The functions of a description, made with `triton`, a package that has Triton's interface."""
    made = [None] * len(functions)

    def module(name):
        return importlib.import_module(triton.__name__ + name[len("triton"):]) if _is_kept_triton(name) else importlib.import_module(name)

    def meaning(binding):
        (what, content), *_ = binding.items()
        if what == "function":
            return make(content)
        if what == "module":
            return module(content)
        if what == "attribute":
            return getattr(module(content[0]), content[1])
        if what == "namespace":
            space = types.ModuleType("namespace")
            for key, inner in content.items():
                setattr(space, key, meaning(inner))
            return space
        value = decode_constant(content, triton, _Made(make))
        return triton.language.constexpr(value) if what == "constexpr" else value

    def make(number):
        if made[number] is not None:
            return made[number]
        entry = functions[number]
        decorator = "@jit" if entry["kind"] == "jit" else "@constexpr_function"
        text = decorator + "\n" + "\n".join(entry["source"]) + "\n"
        file = f"<{label}:{number}:{entry['name']}:{triton.__name__}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        options = entry.get("options", {})
        scope = {"__name__": f"race_{label}", "__file__": file,
                 "jit": (lambda fn: triton.jit(fn, **options)) if options else triton.jit,
                 "constexpr_function": getattr(triton, "constexpr_function", None)}
        pending = entry["bindings"]
        # What the signature reads must be there first; functions that call each other are bound afterwards.
        for name, binding in pending.items():
            if "function" not in binding:
                scope[name] = meaning(binding)
        for name, binding in pending.items():
            if "function" in binding and binding["function"] != number:
                scope[name] = make(binding["function"])
        exec(compile(text, file, "exec"), scope)
        made[number] = scope[entry["name"]]
        return made[number]

    return [make(number) for number in range(len(functions))]


def _is_kept_triton(name):
    return name == "triton" or name.startswith("triton.")


class _Made:
    """Functions by number, made when they are asked for."""

    def __init__(self, make):
        self._make = make

    def __getitem__(self, number):
        return self._make(number)
