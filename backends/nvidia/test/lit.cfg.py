# The text tests of this backend, with the settings of test/lit.cfg.py.
import ctypes
import glob
import os
import re
import sys

here = os.path.dirname(__file__)
root = os.path.realpath(os.path.join(here, "..", "..", ".."))
config.suite = os.path.relpath(os.path.realpath(os.path.dirname(__file__)), root)
lit_config.load_config(config, os.path.join(root, "test", "lit.cfg.py"))
# A driver over host memory.
fake = os.path.join("%build", "backends", "nvidia", "test", "fake-cuda-driver.so")
config.substitutions.insert(0, ("%fake", fake))

sys.path.insert(0, here)
from environment import environment

found = environment(root)
config.environment.update(found)
if "TERRAZZO_PTXAS" in found:
    config.available_features.add("ptxas")
for library in ("libnvJitLink.so.13", "libnvJitLink.so.12", "/usr/local/cuda/lib64/libnvJitLink.so.13"):
    try:
        ctypes.CDLL(library)
        config.available_features.add("nvjitlink")
    except OSError:
        pass

# Conformance cases of the example kernels, each in one type.
families = [name for path in glob.glob(os.path.join(root, "test", "conformance", "*.cases"))
            for name in re.findall(r"^family (\w+): docs/examples", open(path).read(), re.M)]
cases = "^(%s)/[a-z0-9_]+/(f16|f8e4m3|i32)(/full)?$|^mamba_chunk_scan/passing/f32/full$" % "|".join(sorted(families))
config.substitutions.insert(0, ("%example_cases", cases))
