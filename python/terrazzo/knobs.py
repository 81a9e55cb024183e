"""Settings, in groups: `knobs.cache.dir`, `knobs.runtime.debug` ...

A setting that was not set is read from its variable of the environment, by the
name that begins with TERRAZZO_ where there is one, else by TRITON_'s. Setting
it while `propagate_env` is true sets the variable too, for child processes and
for the library, which reads the same names. `with knobs.cache.scope():` undoes
what was set inside; `reset()` forgets what was set.

A setting with a reason for being `idle` changes nothing here: whoever gives it
is told so once (KnobWarning).
"""

import contextlib
import importlib
import os
import warnings

from . import _native
from .errors import KnobWarning

propagate_env = True

_TRUE, _FALSE = {"1", "true", "on", "yes", "y"}, {"0", "false", "off", "no", "n", ""}
_UNSET = object()


def _boolean(text, key):
    low = text.strip().lower()
    if low in _TRUE or low in _FALSE:
        return low in _TRUE
    raise ValueError(f"{key}={text!r}: expected one of {', '.join(sorted(_TRUE))} or {', '.join(sorted(_FALSE - {''}))}")


def _integer(text, key):
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{key}={text!r}: expected an integer") from None


def _class(text, key):
    module, _, name = text.partition(":") if ":" in text else text.rpartition(".")
    if not module:
        raise ValueError(f"{key}={text!r}: expected module:Class")
    return getattr(importlib.import_module(module), name)


def _text(value):
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, type):
        return f"{value.__module__}:{value.__qualname__}"
    return str(value)


_told = set()


def _warn_idle(name, reason):
    if name not in _told:
        _told.add(name)
        warnings.warn(f"{name} changes nothing in Terrazzo: {reason}", KnobWarning, stacklevel=3)


class Setting:
    """One variable of the environment as an attribute of a group."""

    def __init__(self, key, default=None, read=lambda text, key: text, idle=None):
        self.key, self.default, self._read, self.idle = key, default, read, idle
        self.keys = ((("TERRAZZO_" + key[len("TRITON_"):]),) if key.startswith("TRITON_") else ()) + (key,)

    def __set_name__(self, owner, name):
        self.name = name

    def get(self):
        """The value of the environment or the default."""
        for key in self.keys:
            text = os.environ.get(key)
            if text is not None and (text != "" or self._read is not _integer):
                return self._read(text, key)
        return self.usual()

    def is_given(self):
        """Whether the environment has one of its variables."""
        return any(key in os.environ for key in self.keys)

    def usual(self):
        """The value where nothing says another."""
        return self.default() if callable(self.default) else self.default

    def __get__(self, group, owner=None):
        if group is None:
            return self
        value = group.__dict__.get(self.name, _UNSET)
        return self.get() if value is _UNSET else value

    def __set__(self, group, value):
        if value is not None and value is not env and isinstance(value, str) and self._read is _boolean:
            value = _boolean(value, self.key)
        if isinstance(value, _FromEnvironment):
            group.__dict__.pop(self.name, None)
            return
        if self.idle and value != self.usual():
            _warn_idle(self.key, self.idle)
        if propagate_env:
            if value is None:
                os.environ.pop(self.key, None)
            else:
                os.environ[self.key] = _text(value)
        group.__dict__[self.name] = value

    def __delete__(self, group):
        group.__dict__.pop(self.name, None)


class _FromEnvironment:
    """The value that makes a setting follow the environment again."""


env = _FromEnvironment()


class HookChain:
    """Functions that are called one after the other at some point of a launch."""

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)
        _native._watch_launches()

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)

    def __bool__(self):
        return bool(self.calls)

    def __call__(self, *args, **kwargs):
        for function in self.calls[::-1] if self.reversed else self.calls:
            function(*args, **kwargs)


class _Hook:
    """A HookChain attribute: a plain function set to it becomes the only one of the chain."""

    def __init__(self, reversed=False):
        self.reversed = reversed

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        if group is None:
            return self
        return group.__dict__.setdefault(self.name, HookChain(self.reversed))

    def __set__(self, group, value):
        chain = HookChain(self.reversed)
        if isinstance(value, HookChain):
            chain = value
        elif value is not None:
            chain.add(value)
        group.__dict__[self.name] = chain


class _Plain:
    """An attribute with a default and no variable."""

    def __init__(self, default=None, idle=None):
        self.default, self.idle = default, idle

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, group, owner=None):
        return self if group is None else group.__dict__.get(self.name, self.default)

    def __set__(self, group, value):
        if self.idle and value != self.default:
            _warn_idle(f"knobs.{type(group).__name__.removesuffix('_knobs')}.{self.name}", self.idle)
        group.__dict__[self.name] = value


class _CompilationHook(_Plain):
    """A function that is called where code is compiled, or None."""

    def __set__(self, group, value):
        super().__set__(group, value)
        if value is not None:
            _native._watch_launches()


class base_knobs:
    """A group of settings."""

    @property
    def knob_descriptors(self):
        return {name: value for kind in reversed(type(self).__mro__) for name, value in vars(kind).items()
                if isinstance(value, Setting)}

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        other = type(self)()
        for name, value in self.__dict__.items():
            if isinstance(value, HookChain):
                chain = HookChain(value.reversed)
                chain.calls = list(value.calls)
                value = chain
            other.__dict__[name] = value
        return other

    def reset(self):
        """Forgets what was set; returns the group."""
        self.__dict__.clear()
        return self

    @contextlib.contextmanager
    def scope(self):
        """What is set inside of the `with` is undone at its end, in the environment too."""
        before = self.copy().__dict__
        keys = [descriptor.key for descriptor in self.knob_descriptors.values()]
        variables = {key: os.environ.get(key) for key in keys}
        try:
            yield self
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)
            for key, value in variables.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value


def _home():
    return os.environ.get("TERRAZZO_HOME") or os.environ.get("TRITON_HOME") or os.path.expanduser("~")


def _below_home(name):
    return lambda: os.path.join(_home(), ".triton", name)


class redis_knobs(base_knobs):
    """Of RedisRemoteCacheBackend."""

    key_format = Setting("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = Setting("TRITON_REDIS_HOST", "localhost")
    port = Setting("TRITON_REDIS_PORT", 6379, _integer)


class cache_knobs(base_knobs):
    """Folders, and classes that keep files. Compiled kernels are in the library's cache, below `dir`."""

    home_dir = Setting("TRITON_HOME", _home)
    dump_dir = Setting("TRITON_DUMP_DIR", _below_home("dump"))
    override_dir = Setting("TRITON_OVERRIDE_DIR", _below_home("override"))
    dir = Setting("TRITON_CACHE_DIR", _below_home("cache"))
    manager_class = Setting("TRITON_CACHE_MANAGER", None, _class)
    remote_manager_class = Setting("TRITON_REMOTE_CACHE_BACKEND", None, _class)

    def get_triton_dir(self, name):
        return os.path.join(self.home_dir, ".triton", name)


class compilation_knobs(base_knobs):
    """What is compiled again, written out or asked for."""

    override = Setting("TRITON_KERNEL_OVERRIDE", False, _boolean,
                       idle="a stage cannot be replaced by a file; set the function's src instead")
    dump_ir = Setting("TRITON_KERNEL_DUMP", False, _boolean)
    dump_ir_extract_di_local_variables = Setting("LLVM_EXTRACT_DI_LOCAL_VARIABLES", False, _boolean,
                                                 idle="names of variables come with debug_level=2")
    store_binary_only = Setting("TRITON_STORE_BINARY_ONLY", False, _boolean,
                                idle="stages are made when they are asked for and are never stored")
    always_compile = Setting("TRITON_ALWAYS_COMPILE", False, _boolean)
    use_ir_loc = Setting("USE_IR_LOC", idle="places are those of the kernel's source")
    enable_asan = Setting("TRITON_ENABLE_ASAN", False, _boolean, idle="TRITON_INTERPRET=1 checks every access")
    disable_line_info = Setting("TRITON_DISABLE_LINE_INFO", False, _boolean)
    front_end_debugging = Setting("TRITON_FRONT_END_DEBUGGING", False, _boolean,
                                  idle="the frontend is no Python program that could be traced")
    allow_non_constexpr_globals = Setting("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", False, _boolean)
    instrumentation_mode = _Plain("", idle="there is no instrumentation of kernels")
    listener = _Plain()


class autotuning_knobs(base_knobs):
    """Of autotune; `threads`: compilations at the same time, 0 for as many as there are cores."""

    cache = Setting("TRITON_CACHE_AUTOTUNING", False, _boolean)
    print = Setting("TRITON_PRINT_AUTOTUNING", False, _boolean)
    deterministic = Setting("TERRAZZO_AUTOTUNE_DETERMINISTIC", False, _boolean)
    threads = Setting("TERRAZZO_AUTOTUNE_THREADS", 0, _integer)


class runtime_knobs(base_knobs):
    """Checks of launches, and hooks that are called around them."""

    interpret = Setting("TRITON_INTERPRET", False, _boolean)
    debug = Setting("TRITON_DEBUG", False, _boolean)
    override_arch = Setting("TRITON_OVERRIDE_ARCH", idle="TERRAZZO_TARGET chooses the code's target")
    check_arrays = Setting("TERRAZZO_CHECK_ARRAYS", True, _boolean)
    checked = Setting("TERRAZZO_CHECKED", False, _boolean)
    launch_enter_hook = _Hook()
    launch_exit_hook = _Hook(reversed=True)
    kernel_load_start_hook = _Hook()
    kernel_load_end_hook = _Hook(reversed=True)
    jit_cache_hook = _CompilationHook()
    jit_post_compile_hook = _CompilationHook()
    add_stages_inspection_hook = _Plain(idle="the compiler's stages are not Python functions")


class language_knobs(base_knobs):
    """What kernels mean where neither they nor the launch say it."""

    fp32_default = Setting("TRITON_F32_DEFAULT")
    default_fp_fusion = Setting("TRITON_DEFAULT_FP_FUSION", True, _boolean)


class proton_knobs(base_knobs):
    """Of the profiler."""

    disable = Setting("TRITON_PROTON_DISABLE", False, _boolean)
    cupti_lib_dir = Setting("TRITON_CUPTI_LIB_PATH", "")
    enable_nvtx = Setting("TRITON_ENABLE_NVTX", True, _boolean)
    profile_buffer_size = Setting("TRITON_PROFILE_BUFFER_SIZE", 64 * 1024 * 1024, _integer, idle="buffers grow by themselves")
    max_records = Setting("TERRAZZO_PROFILE_MAX_RECORDS", None, _integer)


redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
proton = proton_knobs()


def warn_of_environment():
    """Tells of idle settings that the environment gives; once, when a kernel is compiled."""
    if "environment" in _told:
        return
    _told.add("environment")
    for group in list(globals().values()):
        for setting in group.knob_descriptors.values() if isinstance(group, base_knobs) else ():
            # Programs besides Triton read CC.
            if setting.idle and setting.key != "CC" and setting.is_given() and setting.get() != setting.usual():
                _warn_idle(setting.key, setting.idle)


def refresh_knobs():
    """Makes every setting follow the environment again."""
    for group in list(globals().values()):
        for name in group.knob_descriptors if isinstance(group, base_knobs) else ():
            group.__dict__.pop(name, None)
