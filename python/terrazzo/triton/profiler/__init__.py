"""`triton.profiler`: the time of each kernel, by the scopes that launched it.

    import triton.profiler as proton
    proton.start("run")
    with proton.scope("forward"):
        kernel[grid](...)
    proton.finalize()          # run.hatchet

    python -m terrazzo.triton.profiler.viewer -m time/ms run.hatchet

Launches are timed by events of the device, on the host by the clock. What a
kernel's `launch_metadata` says (name, flops, bytes) is summed beside the time
with hook="triton". data="trace" writes each launch and scope with its begin and
end instead of sums (run.chrome_trace). Known limit: no instrumentation of
kernels.
"""

from ...profiler.scopes import cpu_timed_scope, enter_scope, exit_scope, scope
from ...profiler.sessions import activate, deactivate, finalize, profile, start
