"""`triton.profiler.hooks.instrumentation`."""

from ....profiler.hooks import InstrumentationHook
