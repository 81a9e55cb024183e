"""triton.profiler as programs for Proton use it: its names, sessions side by side, hooks, metrics of tensors, threads."""

import importlib
import json
import threading

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
import terrazzo.triton.profiler as proton
from terrazzo.triton.profiler.hooks import Hook, HookManager, InstrumentationHook, LaunchHook

# Module -> what programs take from it.
NAMES = {
    "": "start activate deactivate finalize profile scope cpu_timed_scope enter_scope exit_scope state enter_state exit_state "
        "metadata_state context specs mode data hooks language DEFAULT_PROFILE_NAME",
    ".context": "depth",
    ".data": "get get_msgpack advance_phase is_phase_complete clear",
    ".flags": "flags",
    ".hooks": "Hook HookManager LaunchHook InstrumentationHook",
    ".hooks.launch": "LaunchHook COMPUTE_METADATA_SCOPE_NAME op_name id",
    ".hooks.hook": "Hook HookManager",
    ".hooks.instrumentation": "InstrumentationHook",
    ".language": "scope enter_scope exit_scope enable_semantic disable_semantic",
    ".mode": "BaseMode Default MMA InstrumentationMode Optimize PCSampling PeriodicFlushing metric_types buffer_strategies buffer_types "
             "sampling_strategies granularities optimizations",
    ".profile": "start activate deactivate finalize profile DEFAULT_PROFILE_NAME",
    ".proton": "main",
    ".scope": "scope cpu_timed_scope enter_scope exit_scope",
    ".specs": "max_flops max_bps",
    ".state": "state enter_state exit_state",
    ".viewer": "get_min_time_flops get_min_time_bytes get_raw_metrics format_frames derive_metrics filter_frames parse apply_diff_profile "
               "read print_tree match_available_metrics main",
}


@terrazzo.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def run():
    fill[(1,)](np.zeros(16, np.float32), BLOCK=16)


def children(node):
    return {child["frame"]["name"]: child for child in node["children"]}


def top(path):
    return children(json.loads(path.read_text())[0])


@pytest.fixture(autouse=True)
def ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    proton.finalize()


@pytest.mark.parametrize("module", NAMES)
def test_names(module):
    found = importlib.import_module("terrazzo.triton.profiler" + module)
    assert not [name for name in NAMES[module].split() if not hasattr(found, name)]


def test_hooks_of_sessions():
    """One hook serves several sessions; the launch hook is told first of what begins."""
    HookManager.register(LaunchHook(), 0)
    HookManager.register(LaunchHook(), 0)
    (hook,) = HookManager.active_hooks
    assert isinstance(hook, LaunchHook) and HookManager.session_hooks[0] == {hook: True}
    HookManager.register(LaunchHook(), 1)
    HookManager.unregister(0)
    assert HookManager.active_hooks == [hook]
    HookManager.unregister(1)
    assert not HookManager.active_hooks
    HookManager.register(InstrumentationHook(""), 2)
    HookManager.register(LaunchHook(), 2)
    assert [type(one) for one in HookManager.active_hooks] == [LaunchHook, InstrumentationHook] and proton.flags.flags.instrumentation_on
    HookManager.deactivate(2)
    assert not HookManager.active_hooks and not any(HookManager.session_hooks[2].values()) and not proton.flags.flags.instrumentation_on
    HookManager.activate()
    assert len(HookManager.active_hooks) == 2
    HookManager.unregister()
    assert not HookManager.active_hooks and not HookManager.session_hooks


def test_sessions_side_by_side(tmp_path):
    first, second = proton.start("first"), proton.start("second", backend="instrumentation")
    run()
    proton.deactivate(first)
    with proton.scope("forward", metrics={"a": 1.0}):
        run()
    proton.finalize(first)
    proton.finalize(second)
    assert top(tmp_path / "first.hatchet")["fill"]["metrics"]["count"] == 1
    assert set(top(tmp_path / "second.hatchet")) == {"fill", "forward"} and set(top(tmp_path / "first.hatchet")) == {"fill"}


def test_metrics_while_nothing_runs(tmp_path):
    session = proton.start("run")
    proton.deactivate(session)
    proton.enter_scope("unseen", metrics={"a": 1.0})
    proton.exit_scope()
    proton.activate(session)
    for _ in range(2):
        proton.enter_scope("seen", metrics={"a": 1.0})
        proton.exit_scope(metrics={"b": 2})
    proton.finalize()
    assert {name: node["metrics"] for name, node in top(tmp_path / "run.hatchet").items()} == {"seen": {"a": 2.0, "b": 4}}


def test_finalize_inside_of_a_scope(tmp_path):
    session = proton.start("run")
    with proton.scope("open"):
        run()
        proton.finalize(session)
    assert list(children(top(tmp_path / "run.hatchet")["open"])) == ["fill"]
    assert proton.start("next") == session + 1 and proton.context.depth() == 0


def test_depth():
    session = proton.start("run")
    depths = []
    with proton.scope("one"), proton.cpu_timed_scope("two"):
        depths.append(proton.context.depth(session))
        thread = threading.Thread(target=lambda: depths.append(proton.context.depth(session)))
        thread.start()
        thread.join()
    assert depths == [2, 0] and proton.context.depth(session) == 0


def test_threads(tmp_path):
    proton.start("run")

    def work(number):
        with proton.scope(f"thread {number}"):
            run()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    proton.finalize()
    found = top(tmp_path / "run.hatchet")
    assert {name: list(children(node)) for name, node in found.items()} == {f"thread {i}": ["fill"] for i in range(4)}


def test_tensors_as_metrics(tmp_path):
    torch = pytest.importorskip("torch")
    proton.start("run")
    told = {"int": torch.tensor(2), "float": torch.tensor(3.5), "vector": torch.tensor([1.0, 2.0]), "seed (pty)": torch.tensor(7)}
    with proton.scope("scope", told):
        run()
    proton.finalize()
    assert top(tmp_path / "run.hatchet")["scope"]["metrics"] == {"int": 2, "float": 3.5, "vector": [1.0, 2.0], "seed": 7}


def test_what_kernels_say(tmp_path):
    """Also tensors, and kernels that only compute them, which stand apart."""

    def metadata(grid, metadata, args):
        run()
        return {"name": f"named {args['BLOCK']}", "flops32": 10, "bytes": np.array(5), "share": 0.5}

    @terrazzo.jit(launch_metadata=metadata)
    def kernel(x, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), 1.0)

    proton.start("run", hook="triton")
    kernel[(1,)](np.zeros(16, np.float32), BLOCK=16)
    proton.finalize()
    found = top(tmp_path / "run.hatchet")
    assert {key: found["named 16"]["metrics"][key] for key in ("count", "flops32", "bytes", "share")} == {
        "count": 1, "flops32": 10, "bytes": 5, "share": 0.5}
    assert list(children(found["__proton_launch_metadata"])) == ["fill"]


def test_own_hook():
    """It may say nothing but what it wants to: the rest does nothing."""
    told = []

    class Own(Hook):
        priority = 1

        def activate(self):
            told.append("activate")

        def deactivate(self):
            told.append("deactivate")

        def exit(self, metadata):
            told.append(metadata.get()["name"])

    session = proton.start("run", hook=Own())
    run()
    proton.deactivate(session)
    run()
    proton.activate(session)
    proton.finalize(session)
    assert told == ["activate", "fill", "deactivate", "activate", "deactivate"]


@pytest.mark.parametrize("options", ({}, {"context": "python"}, {"mode": "pcsampling:interval=3000000"}, {"backend": "instrumentation"}))
def test_launches_need_no_python(options, tmp_path, monkeypatch):
    """Only hooks that hear of launches are called around them."""
    monkeypatch.chdir(tmp_path)
    hooks = terrazzo.knobs.runtime.launch_enter_hook
    before = len(hooks.calls)
    proton.start("run", **options)
    try:
        assert len(hooks.calls) == before
        heard = proton.start("heard", hook="triton")
        assert len(hooks.calls) == before + 1
        proton.finalize(heard)
    finally:
        proton.finalize()
    assert len(hooks.calls) == before
