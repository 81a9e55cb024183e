"""`triton.profiler.flags`."""

from ...profiler.flags import flags
