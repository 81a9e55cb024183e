"""What stands at the lines of a profile's samples: terrazzo.profiler.statements, in analyze and in the viewer."""

import json
import os

import pytest

from terrazzo.profiler import analyze, viewer
from terrazzo.profiler.statements import Statements

SOURCE = """\
def square(v):
    return v * v


def norm(x):
    s = square(x)
    return s + square(x + 1)


def work(x, y, n):
    v = load(x)
    for _ in range(n):
        total += norm(
            v)  # hot
        w = square(v)
    store(y, total)


def alone(x):
    a, b = x
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(SOURCE)
    return str(path)


def place(source, text):
    return f"{source}:{SOURCE[:SOURCE.index(text)].count(chr(10)) + 1}"


def test_statements(source):
    statements = Statements(os.stat(source).st_mtime)

    def said(text, kernel="work"):
        return str(statements.at(place(source, text), kernel))

    assert said("v = load") == "v = load(x)"
    assert said("for _") == "for _ in range(n):"
    assert said("total +=") == said("v)  #") == "total += norm( v)"
    assert said("s = square") == "s = square(x) (called at line 13)"
    assert said("return v") == "return v * v (called at line 13 > 6 and 13 > 7 and 15)"
    assert said("return v", "alone") == "return v * v"  # it does not call it
    assert said("def norm") == "None"


def test_no_statement_of_another_program(source, tmp_path):
    where = place(source, "v = load")
    assert Statements(os.stat(source).st_mtime - 1).at(where, "work") is None  # changed since
    now = Statements(os.stat(source).st_mtime + 1)
    assert now.at(str(tmp_path / "none.py") + ":3", "work") is None
    assert now.at("no place", "work") is None and now.at(f"{source}:900", "work") is None
    (tmp_path / "broken.py").write_text("def (")
    assert Statements(os.stat(tmp_path / "broken.py").st_mtime).at(str(tmp_path / "broken.py") + ":1", "work") is None


def node(name, *children, **metrics):
    return {"frame": {"name": name, "type": "function"}, "metrics": metrics, "children": list(children)}


@pytest.fixture
def profile(source, tmp_path):
    kernel = node("work", node(place(source, "v = load") + "@work", num_samples=50),
                  node(place(source, "s = square") + "@work", num_samples=150), count=1, **{"time (ns)": 10**6})
    path = tmp_path / "run.hatchet"
    path.write_text(json.dumps([node("ROOT", kernel), {}]))
    os.utime(path, (os.stat(source).st_mtime + 1,) * 2)
    return str(path)


def test_analyze(profile, source):
    (found,) = (one for one in analyze.findings(analyze.read(profile)) if one.rule.startswith("one statement"))
    assert found.evidence == f"75 % of 200 samples are at {source}:6, s = square(x) (called at line 13)"


def test_viewer(capsys, profile, source):
    assert viewer.main(["-m", "num_samples", "-s", "-f", "function_line", profile]) == 0
    shown = capsys.readouterr().out
    assert "6@work  s = square(x) (called at line 13)" in shown and "11@work  v = load(x)" in shown
    os.utime(source, (os.stat(profile).st_mtime + 1,) * 2)
    assert viewer.main(["-m", "num_samples", "--statements", profile]) == 0
    assert "square(x)" not in capsys.readouterr().out
