"""`triton.profiler.hooks`: who is told of launches while a session runs."""

from . import hook, instrumentation, launch
from ....profiler.hooks import Hook, HookManager, InstrumentationHook, LaunchHook
