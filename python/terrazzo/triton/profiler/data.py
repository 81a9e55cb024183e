"""`triton.profiler.data`."""

from ...profiler.data import advance_phase, clear, get, get_msgpack, is_phase_complete
