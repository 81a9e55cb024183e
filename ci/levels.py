"""Levels of a vendor's machines that this machine can stand for, for ci/test and ci/nightly.

A vendor whose machines differ in what code they run has test/levels.py: LEVELS, names of code targets; environment(level),
the variables that make this machine one of that level; UNIT_TESTS, unit tests to run for each.
"""
import collections
import glob
import os
import re
import runpy
import subprocess

Level = collections.namedtuple("Level", "plugin name target environment unit_tests runs")


def clean_environment():
    """Without variables of a user."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("TERRAZZO_", "TRITON_"))}


def target_of(tz, plugin, environment):
    """What code is made for on the plugin's first device, or None."""
    listed = subprocess.run([tz, "targets"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**clean_environment(), **environment}).stdout
    found = re.search(rf"^\s*{plugin}:0 .* compiles for (\S+)$", listed, re.M)
    return found and found.group(1)


def own_target(tz, plugin):
    return target_of(tz, plugin, {})


def levels(root, tz):
    """All levels of all vendors; `runs`: this machine can stand for it."""
    made = []
    for path in sorted(glob.glob(os.path.join(root, "plugins", "*", "test", "levels.py")) +
                       glob.glob(os.path.join(root, "backends", "*", "test", "levels.py"))):
        plugin = path.split(os.sep)[-3]
        vendor = runpy.run_path(path)
        for name in vendor["LEVELS"]:
            environment = vendor["environment"](name)
            target = f"{plugin}:{name}"
            made.append(Level(plugin, name, target, environment, vendor["UNIT_TESTS"],
                              target_of(tz, plugin, environment) == target))
    return made
