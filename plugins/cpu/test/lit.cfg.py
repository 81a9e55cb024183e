# The text tests of this plugin, with the settings of test/lit.cfg.py.
import os
import subprocess

lit_config.load_config(
    config, os.path.join(os.path.dirname(__file__), "..", "..", "..", "test", "lit.cfg.py"))
# Some machines lack gdb, or do not let it start a program.
try:
    if subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", "run", "/bin/true"],
                      capture_output=True, text=True, timeout=30).stdout.find("exited normally") >= 0:
        config.available_features.add("gdb")
except (OSError, subprocess.TimeoutExpired):
    pass
