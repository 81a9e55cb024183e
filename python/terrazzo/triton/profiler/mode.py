"""`triton.profiler.mode`."""

from ...profiler.modes import (MMA, BaseMode, Default, InstrumentationMode, Optimize, PCSampling, PeriodicFlushing,
                               buffer_strategies, buffer_types, granularities, metric_types, optimizations, sampling_strategies)
