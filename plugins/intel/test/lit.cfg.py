# The text tests of this plugin, with the settings of test/lit.cfg.py.
import ctypes
import glob
import os
import shutil
import sys

here = os.path.dirname(os.path.realpath(__file__))
root = os.path.realpath(os.path.join(here, "..", "..", ".."))
config.suite = os.path.relpath(here, root)
lit_config.load_config(config, os.path.join(root, "test", "lit.cfg.py"))
build = os.environ.get("TERRAZZO_BUILD", os.path.join(root, "build", "ci"))
plugins = os.path.join(build, "lib", "terrazzo", "plugins.d")
# Without SPIRV-Tools there is no compiler half, and none of these tests runs.
if not os.path.exists(os.path.join(plugins, "libtz_intel_compiler.so")):
    config.unsupported = True
# Intel's OpenCL runtime for CPUs, and a device half that finds it.
if config.own_environment and os.path.exists(os.path.join(plugins, "libtz_intel_opencl.so")):
    config.available_features.add("intel-cpu")
# A loader of OpenCL, which finds drivers by files.
try:
    ctypes.CDLL("libOpenCL.so.1")
    config.available_features.add("opencl-loader")
except OSError:
    pass
# A machine without a GPU of Intel's, as the device halves know one.
vendors = [open(path).read().strip() for path in glob.glob("/sys/class/drm/renderD*/device/vendor")]
if "0x8086" not in vendors and not os.path.exists("/dev/dxg"):
    config.available_features.add("no-intel-gpu")
# The programs of SPIRV-Tools; the compiler half needs the library alone.
if all(map(shutil.which, ("spirv-as", "spirv-dis", "spirv-opt", "spirv-val"))):
    config.available_features.add("spirv-tools")
# Intel's offline compiler, and what shows its code.
config.substitutions.insert(0, ("%ocloc", sys.executable + " " + os.path.join(here, "Inputs", "ocloc.py")))
if shutil.which("ocloc"):
    config.available_features.add("ocloc")
