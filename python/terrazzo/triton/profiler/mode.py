"""`triton.profiler.mode`."""

from ...profiler.modes import BaseMode, PeriodicFlushing
