"""TERRAZZO_TARGET with a code target: what is compiled, what is refused, when it changes."""

import numpy as np
import pytest

import terrazzo
from terrazzo import _native
from kernels import scale_kernel


@pytest.fixture(autouse=True)
def _own_target(monkeypatch):
    monkeypatch.delenv("TERRAZZO_TARGET", raising=False)


def launch():
    x = np.arange(300, dtype=np.float32)
    out = np.zeros_like(x)
    code = scale_kernel[(3,)](x, out, 300)
    assert (out == 2 * x).all()
    return code


def test_the_named_code_target_runs(monkeypatch):
    own = launch()
    assert own.target == _native.describe_device("cpu")["target"]
    monkeypatch.setenv("TERRAZZO_TARGET", "cpu:x86-64-v2")
    named = launch()
    assert named.target == "cpu:x86-64-v2" and named.metadata.target.arch == "x86-64-v2"
    assert "ymm" not in named.asm["asm"] and "zmm" not in named.asm["asm"]
    assert _native.describe_device("cpu:0:x86-64-v2")["target"] == "cpu:x86-64-v2"
    monkeypatch.setenv("TERRAZZO_TARGET", "cpu")
    assert launch().target == own.target


def test_tuned_timings_are_of_one_code_target(monkeypatch):
    from terrazzo.triton.runtime.driver import HostDriver
    own = HostDriver().get_code_target()
    assert own == _native.describe_device("cpu")["target"]
    monkeypatch.setenv("TERRAZZO_TARGET", "auto")
    assert HostDriver().get_code_target() == own
    monkeypatch.setenv("TERRAZZO_TARGET", "cpu:x86-64-v2")
    assert HostDriver().get_code_target() == "cpu:x86-64-v2"


@pytest.mark.parametrize("target, words", [
    ("cpu:nonsense", "there is no code target 'nonsense'; cpu:0 can run: cpu:x86-64-v"),
    ("cpu:x86-64-v2+avxvnni", "there is no code target"),
    ("cpu:0:x86_64-v2", "did you mean 'cpu:x86-64-v2'?"),
    ("cpu:1", "there is 1 device"),
])
def test_others_are_refused(monkeypatch, target, words):
    monkeypatch.setenv("TERRAZZO_TARGET", target)
    with pytest.raises(terrazzo.errors.TerrazzoError) as refused:
        launch()
    assert words in str(refused.value) and target in str(refused.value)


def test_warps_have_the_size_of_the_architecture():
    from terrazzo.compiler.targets import vendors, warp_size_of

    vendor = {"warp_size": 64, "warp_sizes": {"32": "m10 m11"}}
    assert warp_size_of(vendor, "m942") == 64 and warp_size_of(vendor, "m1100") == 32
    assert warp_size_of({"warp_size": 32}, 90) == 32
    others = [(facts, size, name.split()[0] + "99") for facts in vendors().values()
              for size, name in facts.get("warp_sizes", {}).items()]
    assert others and all(warp_size_of(facts, machine) == int(size) != facts["warp_size"] for facts, size, machine in others)
