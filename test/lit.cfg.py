# One lit run finds every text test: test/ and each vendor's own test folder.
# Tools come from the build folder that ci/test names in TERRAZZO_BUILD.
import os
import re
import runpy
import shutil
import subprocess
import sys
import lit.formats

source = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
build = os.environ.get("TERRAZZO_BUILD", os.path.join(source, "build", "ci"))
suite = getattr(config, "suite", "test")  # a vendor's file names its own folder

config.name = "terrazzo:" + suite
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "fuzz", "bench", "Inputs", "golden"]
config.test_source_root = os.path.join(source, suite)
config.test_exec_root = os.path.join(build, "lit", suite)

llvm = "/usr/lib/llvm-22/bin"
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), llvm, os.environ.get("PATH", "")])
# Tests never see the user's plugins, cache or target. A cap on the machine stays: it stands for another machine.
for name in [n for n in os.environ if n.startswith(("TERRAZZO_", "TRITON_"))]:
    config.environment.pop(name, None)
if "TERRAZZO_CPU_CAP" in os.environ:
    config.environment["TERRAZZO_CPU_CAP"] = os.environ["TERRAZZO_CPU_CAP"]
config.environment["TERRAZZO_CACHE_DIR"] = os.path.join(build, "lit", "cache")
config.environment["XDG_STATE_HOME"] = os.path.join(build, "lit", "state")
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# What the suite's own environment.py sets, as for its unit tests. One process reads the files of all suites, so none imports
# its neighbour by a name that another suite has as well.
own = os.path.join(source, suite, "environment.py")
config.own_environment = runpy.run_path(own)["environment"](source) if os.path.exists(own) else {}
config.environment.update(config.own_environment)

# Conformance cases of the example kernels, each in one type.
config.substitutions.append(("%example_cases", runpy.run_path(os.path.join(source, "ci", "levels.py"))["example_cases"](source)))
config.substitutions.append(("%examples", os.path.join(source, "docs", "examples")))
config.substitutions.append(("%source", source))
config.substitutions.append(("%build", build))
config.substitutions.append(("%python", sys.executable))
# The CPU plugin with a wrong lowering, where it is built.
mutants = os.path.join(build, "lib", "terrazzo", "mutants", "mutant.json")
config.substitutions.append(("%mutants", mutants))
if os.path.exists(mutants):
    config.available_features.add("mutants")
# The SIMT library on fibers of the CPU.
fibers = os.path.join(build, "lib", "terrazzo", "fibers", "fibers.json")
config.substitutions.append(("%fibers", fibers))
if os.path.exists(fibers):
    config.available_features.add("fibers")
config.available_features.add("x86_64" if os.uname().machine == "x86_64" else os.uname().machine)
for program in ("fish", "groff", "zsh"):
    if shutil.which(program):
        config.available_features.add(program)
# The tests of a full disk mount a small one, which not every machine allows.
if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /tmp"], capture_output=True).returncode == 0:
    config.available_features.add("mount")
