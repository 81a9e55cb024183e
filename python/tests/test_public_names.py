"""Each name that public code takes from triton is there, or asking for it says what it is and what to use.

public_names.tsv is made by survey_names.py.
"""

import importlib
import os
import re
import subprocess
import sys

import pytest

import survey_names

TABLE = os.path.join(os.path.dirname(__file__), "public_names.tsv")

# Where these are not installed, triton._internal_testing, which needs them, says so.
NEEDED = ["No module named 'torch'", "No module named 'numpy'", "No module named 'pytest'"]

PROGRAM = """
import importlib, sys
import terrazzo
terrazzo.install_as_triton()

def find(name):
    '''As `a.b.c` finds it, where `import a.b` was done before.'''
    head, _, last = name.rpartition(".")
    if not head:
        return importlib.import_module(name)
    owner = find(head)
    try:
        return getattr(owner, last)
    except AttributeError as error:
        if hasattr(sys.modules.get(head), last):  # as `from triton.runtime.driver import driver`
            return getattr(sys.modules[head], last)
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as absent:
            if "Terrazzo has no" in str(error):
                raise error
            is_ours = absent.name.split(".")[0] == "triton" and "Terrazzo has no" not in str(absent)
            raise error if is_ours else absent

for name in sys.stdin.read().split():
    try:
        find(name)
        print(name, "there", sep="\\t")
    except (ImportError, AttributeError) as error:
        print(name, type(error).__name__, error, sep="\\t")
"""

FROM = """
import sys
import terrazzo
terrazzo.install_as_triton()
for name in sys.stdin.read().split():
    module, _, last = name.rpartition(".")
    try:
        exec(f"from {module} import {last}")
        print(name, "there", sep="\\t")
    except ImportError as error:
        print(name, type(error).__name__, error, sep="\\t")
"""


def rows():
    with open(TABLE, encoding="utf-8") as file:
        return [line.split("\t") for line in file if not line.startswith("#")]


def answers(names, program=PROGRAM):
    run = subprocess.run([sys.executable, "-c", program], input="\n".join(names), capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return {line.split("\t")[0]: line.split("\t")[1:] for line in run.stdout.splitlines()}


def test_every_name_is_there_or_says_what_it_is():
    names = [row[0] for row in rows()]
    found = answers(names)
    assert len(names) > 500 and set(found) == set(names)
    silent = {name: said for name, said in found.items()
              if said != ["there"] and not re.match(r"Terrazzo has no triton[\w.]*: .{15}", said[1])
              and said[1] not in NEEDED}
    assert not silent, "\n".join(f"{name}: {said}" for name, said in silent.items())
    there = [name for name, said in found.items() if said == ["there"]]
    assert len(there) > 400  # the others say what to use instead


def test_a_from_import_says_it_too():
    # The class of a value is no module: `from` cannot name its attributes.
    of_values = r"\.driver\.|\.JITFunction\.|\.float32\.|\.int32\.|Backend\."
    names = [row[0] for row in rows() if "." in row[0] and not re.search(of_values, row[0])]
    found = answers(names, FROM)
    assert len(names) > 500
    silent = {name: said for name, said in found.items() if said != ["there"] and "Terrazzo has no triton" not in said[1]
              and said[1] not in NEEDED and "is not a package" not in said[1] and "No module named" not in said[1]}
    assert not silent, "\n".join(f"{name}: {said}" for name, said in silent.items())


def test_probing_for_a_name_is_as_ever():
    program = ("import terrazzo; terrazzo.install_as_triton(); import triton.language as tl, triton.compiler.compiler as c; "
               "assert not hasattr(tl, 'tanh') and getattr(c, 'AttrsDescriptor', 3) == 3 and not hasattr(tl.standard, '_indicator')")
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0


def test_what_is_said():
    said = answers(["triton._C.libtriton.ir", "triton.language.tanh", "triton.experimental.gluon", "triton.nothing",
                    "triton.language.semantic.TritonSemantic", "triton.runtime.interpreter.GridExecutor"])
    assert said["triton.language.tanh"] == [
        "AttributeError", "Terrazzo has no triton.language.tanh: it is in tl.extra.libdevice: from "
        "triton.language.extra.libdevice import tanh"]
    assert said["triton._C.libtriton.ir"][1].startswith("Terrazzo has no triton._C: it is Triton's compiler in C++; ")
    assert said["triton.experimental.gluon"][1].startswith("Terrazzo has no triton.experimental: it is Triton's second language")
    assert said["triton.language.semantic.TritonSemantic"][1].startswith("Terrazzo has no triton.language.semantic.TritonSemantic: ")
    assert said["triton.runtime.interpreter.GridExecutor"][1].startswith("Terrazzo has no triton.runtime.interpreter.GridExecutor: ")
    assert said["triton.nothing"] == ["AttributeError", "module 'triton' has no attribute 'nothing'"]


def test_survey(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.py").write_text("import triton\nimport triton.language as tl\nfrom triton.runtime import driver\n"
                                         "tl.load, triton.jit, driver.active.utils.get_device_properties(0).x\n")
    (tmp_path / "a" / "y.py").write_text("from vllm.triton_utils import tl\nfrom triton.runtime.jit import JITFunction as J\n"
                                         "tl.load, tl.float32.x, J.run, 'triton'\n")
    (tmp_path / "a" / "bad.py").write_text("import triton(")
    found = survey_names.survey([str(tmp_path / "a")])
    assert {name: sum(projects.values()) for name, projects in found.items()} == {
        "triton": 1, "triton.language": 1, "triton.runtime": 1, "triton.runtime.driver": 1, "triton.language.load": 2,
        "triton.jit": 1, "triton.runtime.driver.active": 1, "triton.runtime.driver.active.utils": 1,
        "triton.runtime.driver.active.utils.get_device_properties": 1, "triton.language.float32": 1,
        "triton.runtime.jit": 1, "triton.runtime.jit.JITFunction": 1}


@pytest.mark.parametrize("name", ["triton.language.extra.libdevice", "triton.tools.ragged_tma"])
def test_modules_are_one_by_both_names(name):
    program = f"import importlib, terrazzo; terrazzo.install_as_triton(); a = importlib.import_module({name!r}); " \
              f"assert a is importlib.import_module({'terrazzo.' + name!r})"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
    assert importlib.import_module("terrazzo." + name)
