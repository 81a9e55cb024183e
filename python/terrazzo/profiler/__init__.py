"""The time of each kernel, by the scopes that launched it. `terrazzo.triton.profiler` has the names for programs."""
