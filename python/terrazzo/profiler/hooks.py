"""Who is told of launches while a session runs: what kernels say of themselves, frames of the program, hooks of programs."""

import contextvars
import re

from .. import _native, knobs
from ..compiler.specialization import options_of_profile
from . import frames, metrics, modes
from .flags import flags
from .scopes import record_scope
from .states import COMPUTE_METADATA_SCOPE_NAME, enter_state, exit_state

# Of the launch that this thread is in.
op_name = contextvars.ContextVar("op_name", default=None)
id = contextvars.ContextVar("id", default=None)


class Hook:
    """A program's own: start(hook=Own()). Those of higher priority are told first of what begins, last of what ends."""

    priority = 0

    def init_handle(self, module, function, name, metadata_group, hash):
        """A kernel was loaded."""

    def enter(self, metadata):
        """A launch begins. metadata.data has name, function, stream and target; metadata.get() what launch_metadata says, too."""

    def exit(self, metadata):
        """The launch has been made."""

    def activate(self):
        """The first session that has it runs."""

    def deactivate(self):
        """No session that has it runs any more."""


class LaunchHook(Hook):
    """hook="triton": launches have the name and the metrics that the kernel's launch_metadata gives. There is one."""

    priority = 100
    flops_width = (8, 16, 32, 64)
    metrics = (*(f"flops{width}" for width in flops_width), "bytes", "flops")
    _instance = None
    _include = _exclude = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    def configure(self, *, include=None, exclude=None):
        """Which kernels are asked, by regular expressions that match the beginning of their names. None: all, none."""
        self._include = re.compile(include) if include else None
        self._exclude = re.compile(exclude) if exclude else None

    def _is_asked(self, name):
        if self._include and not self._include.match(name):
            return False
        return not (self._exclude and self._exclude.match(name))

    def enter(self, metadata):
        _native.profile_name_launches(None)  # a launch that failed has not taken its name back
        own = dict(metadata.data)
        if not self._is_asked(own["name"]):
            return
        enter_state(COMPUTE_METADATA_SCOPE_NAME)
        try:
            told = metadata.get()
        finally:
            exit_state()
        op_name.set(told["name"])
        id.set(record_scope())
        _native.profile_name_launches(told["name"])
        metrics.add({name: value for name, value in told.items()
                     if name != "name" and (name not in own or value is not own[name])})

    def exit(self, metadata):
        _native.profile_name_launches(None)


class FramesHook(Hook):
    """context="python": the runtime asks where in the program a launch is made, also by another library. There is one."""

    priority = 50

    def activate(self):
        """From now on."""
        _native.profile_watch_frames(frames.tell)

    def deactivate(self):
        """No longer."""
        _native.profile_watch_frames(None)


frames_hook = FramesHook()


class HookManager:
    """The hooks of all sessions."""

    active_hooks = []  # the highest priority first
    session_hooks = {}  # number of a session -> hook -> whether that session runs

    @staticmethod
    def init_handle(module, function, name, metadata_group, hash):
        """As Hook.init_handle, for each."""
        for hook in HookManager.active_hooks:
            hook.init_handle(module, function, name, metadata_group, hash)

    @staticmethod
    def enter(metadata):
        """As Hook.enter, for each."""
        for hook in list(HookManager.active_hooks):
            hook.enter(metadata)

    @staticmethod
    def exit(metadata):
        """As Hook.exit, for each, the last that entered first."""
        for hook in HookManager.active_hooks[::-1]:
            hook.exit(metadata)

    @staticmethod
    def _of(session):
        return list(HookManager.session_hooks.values()) if session is None else [HookManager.session_hooks.get(session, {})]

    @staticmethod
    def _begin(hook):
        if hook not in HookManager.active_hooks:
            hook.activate()
            HookManager.active_hooks.append(hook)
            HookManager.active_hooks.sort(key=lambda one: -one.priority)

    @staticmethod
    def _end_unused():
        used = [hook for hooks in HookManager.session_hooks.values() for hook, runs in hooks.items() if runs]
        for hook in [one for one in HookManager.active_hooks if one not in used]:
            hook.deactivate()
            HookManager.active_hooks.remove(hook)

    @staticmethod
    def _hears_launches(hook):
        return any(getattr(getattr(hook, name), "__func__", None) is not getattr(Hook, name) for name in ("init_handle", "enter", "exit"))

    @staticmethod
    def register(hook, session):
        """Gives a session a hook, which is told from now on."""
        HookManager.session_hooks.setdefault(session, {})
        HookManager._begin(hook)
        HookManager.session_hooks[session][hook] = True
        if HookManager._hears_launches(hook):  # else launches need no Python
            knobs.runtime.kernel_load_end_hook.add(HookManager.init_handle)
            knobs.runtime.launch_enter_hook.add(HookManager.enter)
            knobs.runtime.launch_exit_hook.add(HookManager.exit)

    @staticmethod
    def activate(session=None):
        """The hooks of one session, or of all, are told."""
        for hooks in HookManager._of(session):
            for hook in hooks:
                HookManager._begin(hook)
                hooks[hook] = True

    @staticmethod
    def deactivate(session=None):
        """They are not told, unless another session that runs has them."""
        for hooks in HookManager._of(session):
            for hook in hooks:
                hooks[hook] = False
        HookManager._end_unused()

    @staticmethod
    def unregister(session=None):
        """A session ends, or all."""
        if session is None:
            HookManager.session_hooks.clear()
        else:
            HookManager.session_hooks.pop(session, None)
        HookManager._end_unused()
        if not HookManager.session_hooks:
            _native.profile_name_launches(None)
            knobs.runtime.kernel_load_end_hook.remove(HookManager.init_handle)
            knobs.runtime.launch_enter_hook.remove(HookManager.enter)
            knobs.runtime.launch_exit_hook.remove(HookManager.exit)


class LinesHook(Hook):
    """mode="pcsampling": kernels that are launched while it is told have line tables, by which samples have lines."""

    def activate(self):
        """From now on."""
        _native.make_lines(True)

    def deactivate(self):
        """No longer."""
        _native.make_lines(False)


lines_hook = LinesHook()


class InstrumentationHook(Hook):
    """backend="instrumentation": kernels that are launched while it is told record when their parts begin and end."""

    active_count = 0
    _active = []

    def __init__(self, mode=None):
        self.mode = modes.interpret_instrumentation(mode)

    @classmethod
    def _tell(cls):
        """Kernels record what any of the active ones wants."""
        cls.active_count = len(cls._active)
        flags.instrumentation_on = bool(cls._active)
        wanted = [one for hook in cls._active for one in hook.mode.part_list]
        warps = [hook.mode.warp_list for hook in cls._active]
        chosen = sorted(set().union(*warps)) if all(warps) else []
        parts, chosen = ",".join(one for one in modes.PARTS if one in wanted), ",".join(str(one) for one in chosen)
        options_of_profile.clear()
        if parts:
            options_of_profile.update(records=parts, record_warps=chosen)
        _native.record_parts(parts, chosen)

    def activate(self):
        self._active.append(self)
        self._tell()

    def deactivate(self):
        self._active.remove(self)
        self._tell()
