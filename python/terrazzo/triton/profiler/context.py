"""`triton.profiler.context`."""

from ...profiler.context import depth
