"""Levels of a vendor's machines that this machine can stand for, for ci/test and ci/nightly.

A vendor whose machines differ in what code they run has test/levels.py: LEVELS, names of code targets; environment(level),
the variables that make this machine one of that level; UNIT_TESTS, unit tests to run for each; LONG_TEXT_TESTS, text tests
that ci/test runs for the machine's own level alone, and ci/nightly for each.

A vendor some of whose targets run on any machine, by a runtime of others, has test/machines.py: TARGETS; COMPILED, targets whose code is only compiled; BUILT, build
targets of its plugins; SECONDS_A_CASE; EXAMPLES, which part of the cases of the examples (I/N) ci/test runs on a target;
SMOKE, targets on which ci/test runs the other cases of the level smoke; QUICK, on targets without it, the families of which it runs a sample, none where a text test runs that level;
PYTHON_PERCENT, where more of the package's tests must pass than 95 %; environment(root), the variables to run with, none if the runtime is not installed.
"""
import collections
import glob
import os
import re
import resource
import runpy
import subprocess

Level = collections.namedtuple("Level", "plugin name target environment unit_tests long_text_tests runs")

Simulated = collections.namedtuple("Simulated", "plugin target environment built seconds quick examples smoke")


def vendor_files(root, name):
    """Each vendor that has the file, and what the file defines."""
    for path in sorted(glob.glob(os.path.join(root, "plugins", "*", "test", name)) +
                       glob.glob(os.path.join(root, "backends", "*", "test", name))):
        yield path.split(os.sep)[-3], runpy.run_path(path)


def simulated(root):
    """Targets that run on any machine by a runtime of others; without `environment` that is not installed."""
    return [Simulated(plugin, target, vendor["environment"](root), vendor["BUILT"], vendor["SECONDS_A_CASE"],
                      vendor["QUICK"].split(), vendor["EXAMPLES"].get(target, ""), target in vendor["SMOKE"])
            for plugin, vendor in vendor_files(root, "machines.py") for target in vendor["TARGETS"]]


def give_stack(size=64 << 20):
    """Of the main threads of processes that begin from now on. A runtime of others may run code that is not optimised in the
    thread that waits for it, and such code keeps each value on the stack."""
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = size if hard == resource.RLIM_INFINITY else min(size, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_STACK, (wanted, hard))


# Of these examples some cases are enough: the others have the same kernel with other sizes or arguments, and ci/nightly runs them.
EXAMPLE_OPS = {"attention": "causal", "attention_backward": "delta|dkdv|dq", "conv2d": "strided", "cross_entropy": "labels",
               "grouped_gemm": "few", "matmul": "plain|leaky_relu"}


def families(root):
    """Of conformance cases: (name, whether it is an example)."""
    return sorted((name, where.startswith("docs/examples")) for path in glob.glob(os.path.join(root, "test", "conformance", "*.cases"))
                  for name, where in re.findall(r"^family (\w+): (.*)", open(path).read(), re.M))


def example_cases(root):
    """A pattern of conformance cases that have each kernel of the examples, in one type."""
    operations = [f"{name}/({EXAMPLE_OPS.get(name, '[a-z0-9_]+')})" for name, is_example in families(root) if is_example]
    return f"^({'|'.join(operations)})/(f16|f8e4m3|i32)(/full)?$|^mamba_chunk_scan/passing/f32/full$"


def compiled(root):
    """Targets whose code is compiled and checked, and runs nowhere: (vendor, target, build targets of its plugins)."""
    return [(plugin, target, vendor["BUILT"]) for plugin, vendor in vendor_files(root, "machines.py") for target in vendor["COMPILED"]]


def simulated_python(root):
    """Of each such vendor whose runtime is installed: its name and its folder of Python tests (python/tests/package_on_target.py)."""
    return [(plugin, folder) for plugin, vendor in vendor_files(root, "machines.py")
            for folder in glob.glob(os.path.join(root, "*", plugin, "test", "python")) if vendor["environment"](root)]


def clean_environment():
    """Without variables of a user."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("TERRAZZO_", "TRITON_"))}


def target_of(tz, plugin, environment):
    """What code is made for on the plugin's first device, or None."""
    listed = subprocess.run([tz, "targets"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**clean_environment(), **environment}).stdout
    found = re.search(rf"^\s*{plugin}:0 .* compiles for (\S+)$", listed, re.M)
    return found and found.group(1)


def text_tests(root, level):
    """The folder of a level's text tests."""
    room = "plugins" if os.path.isdir(os.path.join(root, "plugins", level.plugin)) else "backends"
    return os.path.join(room, level.plugin, "test")


def own_target(tz, plugin):
    return target_of(tz, plugin, {})


def levels(root, tz):
    """All levels of all vendors; `runs`: this machine can stand for it."""
    made = []
    for plugin, vendor in vendor_files(root, "levels.py"):
        for name in vendor["LEVELS"]:
            environment = vendor["environment"](name)
            target = f"{plugin}:{name}"
            made.append(Level(plugin, name, target, environment, vendor["UNIT_TESTS"], vendor["LONG_TEXT_TESTS"],
                              target_of(tz, plugin, environment) == target))
    return made
