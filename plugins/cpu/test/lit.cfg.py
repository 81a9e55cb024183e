# The text tests of this plugin, with the settings of test/lit.cfg.py.
import os
import re
import subprocess

here = os.path.dirname(os.path.realpath(__file__))
root = os.path.realpath(os.path.join(here, "..", "..", ".."))
config.suite = os.path.relpath(here, root)
lit_config.load_config(config, os.path.join(root, "test", "lit.cfg.py"))
# Some machines lack gdb, or do not let it start a program.
try:
    if subprocess.run(["gdb", "-q", "-nx", "-batch", "-ex", "run", "/bin/true"],
                      capture_output=True, text=True, timeout=30).stdout.find("exited normally") >= 0:
        config.available_features.add("gdb")
except (OSError, subprocess.TimeoutExpired):
    pass
# What the plugin says of this machine, or of the one that TERRAZZO_CPU_CAP makes of it: "avx512bf16", "x86-64-v4" and
# the levels below it.
listed = subprocess.run(["tz", "targets"], capture_output=True, text=True, env={**os.environ, **config.environment}).stdout
level = re.search(r"compiles for cpu:(\S+)", listed)
names = level.group(1).split("+") if level else []
config.available_features.update(names[1:] + [f"x86-64-v{n}" for n in (2, 3, 4) if names and f"x86-64-v{n}" <= names[0]])
