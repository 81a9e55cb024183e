# The text tests of this backend, with the settings of test/lit.cfg.py.
import ctypes
import os

here = os.path.dirname(os.path.realpath(__file__))
root = os.path.realpath(os.path.join(here, "..", "..", ".."))
config.suite = os.path.relpath(here, root)
lit_config.load_config(config, os.path.join(root, "test", "lit.cfg.py"))
# A driver over host memory.
fake = os.path.join("%build", "backends", "nvidia", "test", "fake-cuda-driver.so")
config.substitutions.insert(0, ("%fake", fake))

if "TERRAZZO_PTXAS" in config.own_environment:
    config.available_features.add("ptxas")
for library in ("libnvJitLink.so.13", "libnvJitLink.so.12", "/usr/local/cuda/lib64/libnvJitLink.so.13"):
    try:
        ctypes.CDLL(library)
        config.available_features.add("nvjitlink")
    except OSError:
        pass
