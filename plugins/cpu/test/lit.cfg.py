# The text tests of this plugin, with the settings of test/lit.cfg.py.
import os
import re
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
# What the plugin says of this machine, or of the one that TERRAZZO_CPU_CAP makes of it: "x86-64-v4", "avx512bf16" ...
listed = subprocess.run(["tz", "targets"], capture_output=True, text=True, env={**os.environ, **config.environment}).stdout
level = re.search(r"compiles for cpu:(\S+)", listed)
config.available_features.update(level.group(1).split("+") if level else [])
