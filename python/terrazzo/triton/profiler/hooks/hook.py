"""`triton.profiler.hooks.hook`."""

from ....profiler.hooks import Hook, HookManager
