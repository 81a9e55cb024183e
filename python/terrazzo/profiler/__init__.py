"""What launches cost, by the scopes that made them. `terrazzo.triton.profiler` has the names for programs."""
