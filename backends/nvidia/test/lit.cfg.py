# The text tests of this backend, with the settings of test/lit.cfg.py.
import os

lit_config.load_config(
    config, os.path.join(os.path.dirname(__file__), "..", "..", "..", "test", "lit.cfg.py"))
# A driver over host memory.
fake = os.path.join("%build", "backends", "nvidia", "test", "fake-cuda-driver.so")
config.substitutions.insert(0, ("%fake", fake))
