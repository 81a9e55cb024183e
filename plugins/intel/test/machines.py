"""Targets whose code runs on Intel's OpenCL runtime for CPUs, for ci/test and ci/nightly: any OpenCL device, and the layouts
of both machines with functions of shuffles for their matrix instructions."""
import os
import runpy

TARGETS = ("intel:opencl", "intel:pvc-emulated", "intel:dg2-emulated")
# Code for these is compiled and checked only.
COMPILED = ("intel:pvc", "intel:dg2")
# Plugins that are built before.
BUILT = ("tz_intel_compiler", "tz_intel_opencl")
# A case of the suite may take so long, most of it in the runtime's own compiler.
SECONDS_A_CASE = 600
# The level smoke runs by threads; with the layouts of the machines a sample of it, of families whose cases that compiler takes a few seconds for at most.
SMOKE = ("intel:opencl",)
QUICK = ("annotated arithmetic argreduce assert atomic atomic_many bitcast bits block_ptr block_walk cast cast_once compare control "
         "counting create descriptor dot_added dot_batch dot_size exits gather handed_on histogram host_rows in_place intdiv "
         "last_one leading_zeros load map math offsets order print programs promote random reduce reduce_tuple rms_norm scan select "
         "shape softmax sort store store_cast umulhi unary vector_add waits")

# Each case of an example by threads, as on any OpenCL device, and with the layouts of one machine; ci/nightly has both machines.
EXAMPLES = {"intel:opencl": "1/1", "intel:pvc-emulated": "2/2", "intel:dg2-emulated": "1/2"}


def environment(root):
    """The variables that such a run needs; none: the runtime is not installed."""
    found = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "environment.py"))["environment"](root)
    return {**found, "TERRAZZO_SIMULATORS": "1"} if found else {}
