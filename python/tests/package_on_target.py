"""The package's own tests on a target other than the CPU's, for vendors whose targets run on any machine by a runtime of
others and have one memory with the host. A vendor's test/python calls `check_package`.

TERRAZZO_PACKAGE_TESTS names other files of this folder than the vendor's sample, or is "all", which takes minutes
(ci/nightly). Of what passes on the CPU's own target a share must then pass there, which the vendor gives (test/machines.py);
of the sample everything must.
"""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

TESTS = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(TESTS))
# Of the CPU alone: the checked mode, faults that are caught, ending a kernel, the interpreter that a variable chooses, figures
# of the CPU. Each runs without this file.
NOT_HERE = ("checked", "faults", "interrupts", "interpreter", "race", "torch_compile_table", "wheel")


def files(wanted):
    """Of names without "test_", or of "all": paths."""
    if wanted == "all":
        names = (re.fullmatch(r"test_(\w+)\.py", name) for name in sorted(os.listdir(TESTS)))
        wanted = " ".join(name.group(1) for name in names if name and name.group(1) not in NOT_HERE)
    return [os.path.join(TESTS, f"test_{name}.py") for name in wanted.split()]


def outcomes(folder, target, environment, paths, excluded):
    """Test -> whether it passed, of those that ran; and what pytest says."""
    report = folder / f"{target.replace(':', '-')}.xml"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *paths,
         *(f"--deselect=python/tests/{name}" for name in excluded), f"--rootdir={ROOT}"],
        cwd=ROOT, env={**environment, "TERRAZZO_TARGET": target, "TERRAZZO_CACHE_DIR": str(folder / "cache")},
        capture_output=True, text=True)
    said = run.stdout[-6000:] + run.stderr[-2000:]
    assert report.exists(), said
    cases = [case for case in ElementTree.parse(report).iter("testcase") if case.find("skipped") is None]
    return {f"{case.get('classname')}.{case.get('name')}": case.find("failure") is None and case.find("error") is None
            for case in cases}, said


def is_enough(lost, expected, percent):
    """Whether that share of `expected` tests is left without the `lost` ones."""
    return 100 * (expected - lost) >= percent * expected


def check_package(folder, target, environment, sample, excluded=(), percent=95):
    """`folder` holds reports and a cache, `excluded` the ids of tests that name the CPU, `percent` the share that must pass."""
    chosen = os.environ.get("TERRAZZO_PACKAGE_TESTS")
    paths = files(chosen or sample)
    here, said = outcomes(folder, target, environment, paths, excluded)
    assert here, said
    if not chosen:
        assert all(here.values()), said
        return
    on_cpu, _ = outcomes(folder, "cpu", environment, paths, excluded)
    expected = [name for name, ok in on_cpu.items() if ok]
    lost = [name for name in expected if not here.get(name)]
    print(f"{len(expected) - len(lost)} of {len(expected)} tests that pass on the CPU's own target pass here; not:", *lost, sep="\n  ")
    assert expected and is_enough(len(lost), len(expected), percent), f"{percent} % are wanted\n{said}"
