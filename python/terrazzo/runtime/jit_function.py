"""@terrazzo.jit: kernels and the functions that they call."""

import ast
import collections
import functools
import inspect
import linecache
import os
import re

from .. import _native, knobs
from ..compiler import program_names
from ..errors import TerrazzoError
from . import unwritten
from .array_wrappers import MockTensor
from .interface import KernelInterface

# Types that an annotation may fix: those of numbers, but not `bool`, which is Python's.
_FIXED = {"i1"}.union(*((signature, language) for signature, language, kind, bits, *_ in _native.ELEMENT_TYPES
                        if kind != "float" or bits > 8))

_begins = re.compile(r"\s*(?:async\s+)?def\b\s*(\w*)")


def _spelled(annotation):
    """An annotation as it could stand in the source: 'constexpr', 'int32' ..."""
    if annotation is None:
        return ""
    if not isinstance(annotation, str):
        spelling = getattr(annotation, "__terrazzo__", None)  # of a class: a property
        annotation = spelling if isinstance(spelling, str) else getattr(annotation, "__name__", None) or str(annotation)
    return annotation.strip("'\" ").rpartition(".")[2]


class KernelParam:
    """A parameter of a jit function."""

    __slots__ = ("num", "name", "annotation", "default", "has_default", "is_constexpr", "do_not_specialize",
                 "do_not_specialize_on_alignment")

    def __init__(self, num, name, annotation, default, has_default, do_not_specialize, on_alignment):
        self.num, self.name = num, name
        self.annotation = _spelled(annotation)
        self.default, self.has_default = default if has_default else inspect.Parameter.empty, has_default
        self.is_constexpr = "constexpr" in self.annotation
        self.do_not_specialize, self.do_not_specialize_on_alignment = do_not_specialize, on_alignment

    @property
    def annotation_type(self):
        """The type that the annotation fixes ("int32"), or ""."""
        return self.annotation if self.annotation in _FIXED else ""

    def __repr__(self):
        return f"KernelParam({self.name!r}, constexpr={self.is_constexpr})"


def _described(fn):
    """(name, annotation, default or inspect.Parameter.empty) of each parameter of a function.

    `__signature__` says it where code made the function and a text that came later defines it; that code is not read.
    """
    if getattr(fn, "__signature__", None) is not None:
        return [(name, None if p.annotation is p.empty else p.annotation, p.default)
                for name, p in inspect.signature(fn).parameters.items()]
    code, annotations = fn.__code__, fn.__annotations__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(reversed(names[:code.co_argcount]), reversed(fn.__defaults__ or ())))
    defaults.update(fn.__kwdefaults__ or {})
    return [(name, annotations.get(name), defaults.get(name, inspect.Parameter.empty)) for name in names]


def _parameters(fn, do_not_specialize, on_alignment):
    return [
        KernelParam(i, name, annotation, default, default is not inspect.Parameter.empty,
                    i in do_not_specialize or name in do_not_specialize, i in on_alignment or name in on_alignment)
        for i, (name, annotation, default) in enumerate(_described(fn))
    ]


def _line_of_def(lines):
    return next((i for i, line in enumerate(lines) if _begins.match(line)), None)


class _Constant:
    """A function of one argument that gives a text; it can be pickled."""

    def __init__(self, text):
        self.text = text

    def __call__(self, _=None):
        return self.text


class JITFunction(_native.Function):
    """A function in the kernel language: `kernel[grid](...)` launches it, other kernels call it."""

    def __init__(self, fn, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
                 do_not_specialize_on_alignment=None, debug=None, noinline=None):
        if not inspect.isfunction(fn):
            raise TypeError(f"@terrazzo.jit decorates a function, found {type(fn).__name__}")
        # Callers may take `fn` and __globals__ out (see copies.py); what compiles goes by _python.
        self.fn = self._python = fn
        self.__globals__ = fn.__globals__
        self.used_global_vals = {}  # (name, id of its globals) -> (value when compiled, globals)
        self.version, self.launch_metadata, self.debug, self.noinline = version, launch_metadata, debug, noinline
        self.repr = repr or _Constant(fn.__name__)
        self._text = None  # set by the user instead of the file's
        self.do_not_specialize = do_not_specialize or ()
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or ()
        self.params = _parameters(fn, self.do_not_specialize, self.do_not_specialize_on_alignment)
        self.arg_names = [p.name for p in self.params]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.pre_run_hooks = []
        self._path, self.starting_line_number = fn.__code__.co_filename, fn.__code__.co_firstlineno
        # The text as it is now: a file that is edited later is another program.
        self._lines = linecache.getlines(fn.__code__.co_filename, fn.__globals__)
        functools.update_wrapper(self, fn)
        self._scope = program_names.scope_of_function(self)
        self._told = {}  # what the compiler asked -> what it was told
        self._key = None  # of a copy: its cache_key
        unwritten.watch_if_asked()
        self._begin()

    def _begin(self):
        """What the extension needs, and nothing compiled yet."""
        self.device_caches = collections.defaultdict(lambda: ({}, {}, None, None, None))
        super().__init__(self.__name__, [
            (p.name, p.is_constexpr, p.annotation_type, p.has_default, p.default) for p in self.params])
        self._is_interpreted = knobs.runtime.interpret
        self._use_run(self._is_interpreted)

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__qualname__})"

    def __reduce__(self):
        """By its name, as functions are pickled; a copy is the same object. Without `fn` by what was compiled."""
        if self.fn is not None:
            return self.__qualname__
        from . import copies

        return copies.reduce(self)

    def __call__(self, *args, **kwargs):
        raise TerrazzoError(
            f"kernel '{self.__name__}' is called without a grid: write {self.__name__}[grid](...); "
            "only kernels call it without")

    @property
    def name(self):
        """As hooks are told of it."""
        return self.__qualname__

    @property
    def module(self):
        return self.__module__

    @property
    def jit_function(self):
        return self

    @functools.cached_property
    def signature(self):
        """As inspect.signature of the function."""
        if self._python is not None:
            return inspect.signature(self._python)
        return inspect.Signature([
            inspect.Parameter(p.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=p.default,
                              annotation=p.annotation or inspect.Parameter.empty) for p in self.params])

    def get_capture_scope(self):
        """Name -> value of all that the function's text may mean: its globals, and variables of functions around it."""
        fn = self._python
        if fn is None:
            return dict(self.__globals__ or {})
        found = dict(fn.__globals__)
        for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ()):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # not set yet
                pass
        return found

    def parse(self):
        """The text as Python's syntax tree: a module of one function."""
        return ast.parse(self.src)

    def is_gluon(self):
        """Whether it is written in Triton's other language, which Terrazzo does not have."""
        return False

    @functools.cached_property
    def raw_src(self):
        if not self._lines:
            raise TerrazzoError(
                f"the source of kernel '{self.__name__}' cannot be read: {self._path}; "
                "a function made by exec needs its text in linecache")
        return inspect.getblock(self._lines[self.starting_line_number - 1:])

    @property
    def src(self):
        """The text from `def` on, not indented. A new text is for kernels that are not compiled yet."""
        import textwrap

        return textwrap.dedent(self._excerpt()[0])

    @src.setter
    def src(self, text):
        self._text = text

    _unsafe_update_src = src.fset

    def _excerpt(self):
        """The text from `def` on as it stands in its file, and its first line."""
        if self._text is not None:
            # Whoever gives a text may say with raw_src where the function that it replaces begins.
            return self._text, self.starting_line_number + (_line_of_def(self.__dict__.get("raw_src", ())) or 0)
        lines = self.raw_src
        first = _line_of_def(lines)
        if first is None:
            raise TerrazzoError(f"{self._path}:{self.starting_line_number}: a kernel is a function that "
                                "'def' defines, found:\n    " + lines[0].strip())
        return "".join(lines[first:]), self.starting_line_number + first

    def run(self, *args, grid, warmup=False, **kwargs):
        """What kernel[grid](*args, **kwargs) does; gives the CompiledKernel."""
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        if warmup:
            return self.warmup(*args, grid=grid, **kwargs)
        if self._is_interpreted:
            from . import interpreter

            return interpreter.launch(self, grid, args, kwargs)
        return self._launch(grid, args, kwargs)

    def warmup(self, *args, grid=None, **kwargs):
        """Compiles for such arguments; arrays may be dtypes. Launches nothing."""
        return self._compile(args, kwargs, tells=True)

    def _compile(self, args, kwargs, tells, target=None, known=False):
        """tells: hooks of compilations are asked, and told; known: also of code that is there. target: a code target
        whose device need not be here."""
        constexprs = {p.name for p in self.params if p.is_constexpr}
        args = tuple(arg if i in self.constexprs else MockTensor.wrap_dtype(arg) for i, arg in enumerate(args))
        kwargs = {name: value if name in constexprs else MockTensor.wrap_dtype(value) for name, value in kwargs.items()}
        if target is not None:
            return self._compile_for(target, args, kwargs)
        if self._is_interpreted:
            from . import interpreter

            with interpreter.active():
                return self._warmup(args, kwargs, tells, known)
        return self._warmup(args, kwargs, tells, known)

    def preload(self, specialization_data):
        """Compiles what a hook of compilations was told of, in this process or another one; gives the CompiledKernel.

        Launches like that one find it compiled. The hooks hear of it as of a warm-up.
        """
        import json

        from ..compiler import preload

        args, options = preload.examples(self, specialization_data)
        # A parameter that is an option as well is given by keyword, and so is what follows it.
        first = next((p.num for p in self.params if p.name in options), len(self.params))
        options = {**{p.name: value for p, value in zip(self.params[first:], args[first:])}, **options}
        args = args[:first]
        told = json.loads(specialization_data)
        # Who clears device_caches wants to hear of it again.
        compiled = self._compile(args, options, tells=True, known=told["key"] not in self.device_caches[told["index"]][0])
        if compiled is not None and not any(compiled in cache[0].values() for cache in self.device_caches.values()):
            self.device_caches[told["index"]][0][told["key"]] = compiled
        return compiled

    def add_pre_run_hook(self, hook):
        """`hook` is called with the arguments of each launch, before it."""
        if not callable(hook):
            raise TypeError(f"a pre-run hook is a function, found {type(hook).__name__}")
        self.pre_run_hooks.append(hook)
        self._use_run(True)

    def _note_compiled(self, compiled, specialization):
        self.device_caches[specialization.device][0][specialization.key] = compiled
        knobs.warn_of_environment()
        for hook in (knobs.runtime.kernel_load_start_hook, knobs.runtime.kernel_load_end_hook):
            hook(compiled.module, compiled.function, compiled.name, {}, compiled.hash)
        if knobs.compilation.listener:
            knobs.compilation.listener(src=self, metadata=compiled.metadata._asdict(), metadata_group={}, times=None,
                                       cache_hit=False)
        if knobs.compilation.dump_ir:
            compiled.dump(os.path.join(knobs.cache.dump_dir, compiled.hash))

    @property
    def cache_key(self):
        """Changes with the text of the function, of those that it calls, and with the constants they read."""
        import hashlib

        return self._key or hashlib.sha256(repr(self._dependencies({})).encode()).hexdigest()

    def _dependencies(self, seen):
        if self._scope in seen:
            return seen[self._scope]
        seen[self._scope] = mine = [self.__name__, self._key or self.src]
        for name in sorted(self._names_read()):
            kind, text, *_, scope = program_names.find(None, self._scope, name) or (0, None, 0)
            function = program_names._functions.get(scope)
            if function is not None:
                function._dependencies(seen)
            elif kind == program_names.EXPRESSION:
                mine.append((name, text))
        return [seen[scope] for scope in seen]

    def _names_read(self):
        """Names that the text reads, and perhaps more."""
        if self._python is None:
            return set()
        if self._text is None:
            code = self._python.__code__
            return {*code.co_names, *code.co_freevars}
        return {node.id for node in ast.walk(self.parse()) if isinstance(node, ast.Name)}

    def _defined_name(self, text):
        """The name that the text defines: `__name__` may have been set since."""
        found = _begins.match(text)
        return found[1] if found and found[1] else self.__name__

    def _source(self):
        """For the extension: path, text, function, first line, scope; whether asserts are checked if no option says."""
        text, line = self._excerpt()
        if self._python is not None:  # its code may say since where the text comes from
            self._path = self._python.__code__.co_filename
        checks = bool(self.debug or self._is_interpreted or knobs.runtime.debug)
        return self._path, text, self._defined_name(text), line, self._scope, checks


KernelInterface.register(JITFunction)


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None):
    """Makes a function a kernel, or one that kernels call."""

    def decorate(fn):
        return JITFunction(fn, version=version, repr=repr, launch_metadata=launch_metadata,
                           do_not_specialize=do_not_specialize,
                           do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug,
                           noinline=noinline)

    return decorate if fn is None else decorate(fn)
