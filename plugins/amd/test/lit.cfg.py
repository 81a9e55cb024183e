# The text tests of this plugin, with the settings of test/lit.cfg.py.
import os

here = os.path.dirname(os.path.realpath(__file__))
root = os.path.realpath(os.path.join(here, "..", "..", ".."))
config.suite = os.path.relpath(here, root)
lit_config.load_config(config, os.path.join(root, "test", "lit.cfg.py"))
build = os.environ.get("TERRAZZO_BUILD", os.path.join(root, "build", "ci"))
# Without LLD's libraries there is no compiler half, and none of these tests runs.
if not os.path.exists(os.path.join(build, "lib", "terrazzo", "plugins.d", "libtz_amd_compiler.so")):
    config.unsupported = True
if os.path.exists(os.path.join(build, "lib", "terrazzo", "plugins.d", "libtz_amd_simulator.so")):
    config.available_features.add("amd-simulator")
