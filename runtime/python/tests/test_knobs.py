"""Settings and their variables."""

import os

import pytest
from terrazzo import knobs
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
