"""Settings and their variables."""

import os
import pathlib
import warnings

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo import knobs
from terrazzo.errors import KnobWarning
from terrazzo.triton import knobs as triton_knobs


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    for key in ("TRITON_CACHE_DIR", "TERRAZZO_CACHE_DIR", "TRITON_DEBUG", "TERRAZZO_DEBUG", "TRITON_REDIS_PORT"):
        monkeypatch.delenv(key, raising=False)
    with knobs.cache.scope(), knobs.runtime.scope(), knobs.redis.scope():
        yield


def test_one_module_by_two_names():
    assert triton_knobs is knobs and triton_knobs.build.knob_descriptors["cc"].key == "CC"


def test_variables_are_read_until_something_is_set(monkeypatch):
    assert knobs.runtime.debug is False
    monkeypatch.setenv("TRITON_DEBUG", "1")
    assert knobs.runtime.debug is True
    monkeypatch.setenv("TERRAZZO_DEBUG", "off")
    assert knobs.runtime.debug is False
    knobs.runtime.debug = True
    assert knobs.runtime.debug is True and os.environ["TRITON_DEBUG"] == "1"
    knobs.runtime.debug = knobs.env
    assert knobs.runtime.debug is False


def test_scope_undoes():
    with knobs.cache.scope():
        knobs.cache.dir = "/some/where"
        assert os.environ["TRITON_CACHE_DIR"] == "/some/where"
    assert "TRITON_CACHE_DIR" not in os.environ and knobs.cache.dir.endswith("cache")


def test_reset_and_copy():
    knobs.redis.port = 1
    other = knobs.redis.copy()
    assert knobs.redis.reset().port in (1, 6379) and other.port == 1
    assert knobs.redis.knob_descriptors["port"].key == "TRITON_REDIS_PORT"


def test_hooks_are_chains():
    seen = []
    knobs.runtime.launch_exit_hook.add(lambda: seen.append(1))
    knobs.runtime.launch_exit_hook.add(lambda: seen.append(2))
    knobs.runtime.launch_exit_hook()
    assert seen == [2, 1]
    knobs.runtime.launch_enter_hook = seen.append
    knobs.runtime.launch_enter_hook(3)
    assert seen[-1] == 3 and knobs.runtime.launch_enter_hook
    knobs.runtime.launch_enter_hook = None
    assert not knobs.runtime.launch_enter_hook


def test_a_value_that_is_none(monkeypatch):
    monkeypatch.setenv("TRITON_REDIS_PORT", "many")
    with pytest.raises(ValueError, match="TRITON_REDIS_PORT='many': expected an integer"):
        knobs.redis.port
    monkeypatch.setenv("TRITON_DEBUG", "perhaps")
    with pytest.raises(ValueError, match="TRITON_DEBUG='perhaps': expected one of"):
        knobs.runtime.debug


def test_idle_settings_say_so_once(monkeypatch):
    monkeypatch.setattr(knobs, "_told", set())
    with knobs.compilation.scope():
        with pytest.warns(KnobWarning, match="TRITON_ENABLE_ASAN changes nothing in Terrazzo: .*TRITON_INTERPRET=1"):
            knobs.compilation.enable_asan = True
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            knobs.compilation.enable_asan = True
            knobs.compilation.always_compile = False
    with knobs.runtime.scope(), pytest.warns(KnobWarning, match="knobs.runtime.add_stages_inspection_hook"):
        knobs.runtime.add_stages_inspection_hook = print
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("CC", "gcc")
    with pytest.warns(KnobWarning, match="TRITON_KERNEL_OVERRIDE") as told:
        knobs.warn_of_environment()
    assert len(told) == 1


def test_settings_of_numbers_reach_the_compiler(monkeypatch):
    @terrazzo.jit
    def kernel(x, a, out):
        i = tl.arange(0, 16)
        at = i[:, None] * 16 + i[None, :]
        tl.store(out + at, tl.dot(tl.load(x + at), tl.load(x + at)) * 2.0 + tl.load(a + at))

    x, a, out = (np.zeros((16, 16), np.float32) for _ in range(3))

    def tile(**options):
        code = kernel.warmup(x, a, out, grid=(1,), **options)
        return code.asm["tile"]

    assert "precision tf32x3" not in tile() and "contract" not in tile()
    monkeypatch.setenv("TRITON_F32_DEFAULT", "tf32x3")
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "0")
    assert "precision tf32x3" in tile(num_warps=2) and "tile.contract = false" in tile(num_warps=2)
    assert "precision tf32x3" not in tile(f32_default="ieee")
    monkeypatch.setenv("TERRAZZO_F32_DEFAULT", "exact")
    with pytest.raises(terrazzo.TerrazzoError, match="TERRAZZO_F32_DEFAULT is 'exact'; it is tf32, tf32x3, ieee, "):
        tile(num_warps=8)


def test_stages_are_dumped(tmp_path, monkeypatch):
    @terrazzo.jit
    def kernel(x):
        tl.store(x, 7)

    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path))
    code = kernel[(1,)](np.zeros(1, np.float32))
    folder = tmp_path / code.hash
    assert "tile.store" in (folder / "kernel.tile").read_text() and (folder / "kernel.llir").exists()


def test_each_setting_is_in_the_docs():
    table = (pathlib.Path(__file__).parents[2] / "docs" / "guide" / "python.md").read_text()
    groups = [group for group in vars(knobs).values() if isinstance(group, knobs.base_knobs)]
    missing = [setting.key for group in groups for setting in group.knob_descriptors.values()
               if f"`{setting.key}`" not in table]
    assert len(groups) > 8 and not missing
