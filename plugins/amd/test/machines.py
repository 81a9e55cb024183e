"""Targets that the simulator executes, for ci/nightly."""
TARGETS = ("amd:gfx942", "amd:gfx1100")
# Code for these is compiled and checked only.
COMPILED = ("amd:gfx90a", "amd:gfx950", "amd:gfx1201")
# Plugins that are built before.
BUILT = ("tz_amd_compiler", "tz_amd_device", "tz_amd_simulator")
# A case of the suite may take so long.
SECONDS_A_CASE = 300
# ci/test runs the level smoke and the examples as a text test (smoke.test).
SMOKE = ()
QUICK = ""
EXAMPLES = {}
# Of the package's own tests that pass on the CPU's target (python/tests/package_on_target.py).
PYTHON_PERCENT = 98


def environment(_):
    """The variables that such a run needs."""
    return {"TERRAZZO_SIMULATORS": "1"}
