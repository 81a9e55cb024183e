"""`triton.profiler`: what launches cost, by the scopes that made them.

    import triton.profiler as proton
    proton.start("run")
    with proton.scope("forward"):
        kernel[grid](...)
    proton.finalize()          # run.hatchet

    python -m terrazzo.triton.profiler.viewer -m time/ms run.hatchet

Kernels are timed by records of the device's plugin; where it makes none, by events around launches. What a kernel's
`launch_metadata` says (name, flops, bytes, any number) is summed beside the time with hook="triton". data="trace"
writes each launch and scope with its begin and end instead of sums (run.chrome_trace). docs/guide/profiling.md has the
rest.
"""

from . import context, data, flags, hooks, language, mode, specs
from .profile import DEFAULT_PROFILE_NAME, activate, deactivate, finalize, profile, start
from .scope import cpu_timed_scope, enter_scope, exit_scope, scope
from .state import enter_state, exit_state, metadata_state, state
