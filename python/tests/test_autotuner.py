"""autotune and heuristics on the CPU."""

import json
import warnings

import numpy as np
import pytest
import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo import knobs
from terrazzo.runtime.configurations import AutotunerError
from terrazzo.errors import AutotuneWarning

CONFIGS = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=8), triton.Config({"BLOCK": 256})]


@terrazzo.jit
def add_one(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@terrazzo.jit
def count(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


def grid(meta):
    return (triton.cdiv(meta["n"], meta["BLOCK"]),)


def quick(**more):
    return dict(key=["n"], warmup=1, rep=1, **more)


def test_takes_one_and_keeps_it():
    tuned = triton.autotune(CONFIGS, **quick())(add_one)
    x, out = np.arange(500, dtype=np.float32), np.zeros(500, dtype=np.float32)
    tuned[grid](x, out, 500)
    np.testing.assert_array_equal(out, x + 1)
    best = tuned.best_config
    assert best in CONFIGS and set(tuned.configs_timings) == set(CONFIGS) and list(tuned.cache) == [(500, "float32", "float32")]
    tuned.configs_timings = None
    tuned[grid](x, out, 500)
    assert tuned.configs_timings is None and tuned.best_config is best  # not timed again
    tuned[grid](x, out, 400)
    assert len(tuned.cache) == 2


def test_reset_and_restore():
    for what in ("reset_to_zero", "restore_value"):
        x = np.full(500, 5, dtype=np.float32)
        tuned = triton.autotune(CONFIGS, **quick(**{what: ["x"]}))(count)
        tuned[grid](x, 500)
        assert (x == (1 if what == "reset_to_zero" else 6)).all()
    with pytest.raises(AutotunerError, match="restore_value of autotune names 'y', which is no parameter"):
        triton.autotune(CONFIGS, key=[], restore_value=["y"])(count)
    with pytest.raises(AutotunerError, match="restore_value of autotune takes names of arguments, found 25; Triton 2 had `warmup`"):
        triton.autotune(CONFIGS, [], None, None, 25, 100)(count)


def test_hooks():
    seen = []
    config = triton.Config({"BLOCK": 64}, pre_hook=lambda args: seen.append(("config", args["BLOCK"], args["n"])))
    tuned = triton.autotune([config, CONFIGS[1]], key=[], warmup=1, rep=1,
                            pre_hook=lambda args, reset_only=False: seen.append("pre"),
                            post_hook=lambda args, exception: seen.append(("post", exception)))(add_one)
    x = np.zeros(64, dtype=np.float32)
    tuned[grid](x, x.copy(), 64)
    assert ("config", 64, 64) in seen and "pre" in seen and ("post", None) in seen


def test_pruning():
    tuned = triton.autotune(CONFIGS, **quick(prune_configs_by={
        "perf_model": lambda BLOCK, **rest: -BLOCK, "top_k": 1}))(add_one)
    x = np.zeros(128, dtype=np.float32)
    tuned[grid](x, x.copy(), 64)
    assert tuned.best_config is CONFIGS[2]
    tuned = triton.autotune(CONFIGS, **quick(prune_configs_by={
        "early_config_prune": lambda configs, args, **rest: [c for c in configs if c.kwargs["BLOCK"] >= args["n"]]}))(add_one)
    tuned[grid](x, x.copy(), 128)
    assert set(tuned.configs_timings) == set(CONFIGS[1:])
    tuned = triton.autotune(CONFIGS, **quick(prune_configs_by={"early_config_prune": lambda *a, **k: []}))(add_one)
    with pytest.raises(AutotunerError, match="left no configuration"):
        tuned[grid](x, x.copy(), 64)


def test_table_on_disk(tmp_path):
    x = np.zeros(64, dtype=np.float32)
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        triton.autotune(CONFIGS, **quick(cache_results=True))(add_one)[grid](x, x.copy(), 64)
        file, = (tmp_path / "autotune").iterdir()
        rows = json.loads(file.read_text())["configs"]
        assert len(rows) == 3
        rows[1]["ms"] = [0.0, 0.0, 0.0]
        file.write_text(json.dumps({"configs": rows}))
        again = triton.autotune(CONFIGS, **quick(cache_results=True))(add_one)
        again[grid](x, x.copy(), 64)
        assert str(again.best_config) == rows[1]["config"]
        file.write_text("{")  # a broken table is made anew
        triton.autotune(CONFIGS, **quick(cache_results=True))(add_one)[grid](x, x.copy(), 64)
        assert len(json.loads(file.read_text())["configs"]) == 3


@pytest.fixture
def deterministic(monkeypatch):
    """Compute units; nothing may be timed."""
    from terrazzo.runtime import autotuner

    monkeypatch.setenv("TERRAZZO_AUTOTUNE_DETERMINISTIC", "1")
    monkeypatch.setattr(autotuner, "_compute_units", lambda plugin: 4)
    return {"key": ["n"], "do_bench": lambda *a, **k: pytest.fail("timed")}


def chosen(tuned, n=64):
    x = np.zeros(n, dtype=np.float32)
    tuned[grid](x, x.copy(), n)
    return tuned.best_config


def test_deterministic(deterministic):
    # 64 elements are one program by each; of 130, programs of 64 keep three of four units busy; of 300, those of 128 do,
    # of 3000 all.
    tuned = triton.autotune(CONFIGS[::-1], **deterministic)(add_one)
    assert [chosen(tuned, n) for n in (64, 130, 300, 3000)] == [CONFIGS[2], CONFIGS[0], CONFIGS[1], CONFIGS[2]]
    assert len(tuned.cache) == 4 and chosen(tuned, 300) is CONFIGS[1]


def test_deterministic_without_spills(deterministic, monkeypatch):
    from terrazzo.compiler.compiled_kernel import CompiledKernel

    monkeypatch.setattr(CompiledKernel, "n_spills", property(lambda code: {8: 0, 4: 12}[code.metadata.num_warps]))
    assert chosen(triton.autotune(CONFIGS, **deterministic)(add_one)) is CONFIGS[1]
    monkeypatch.setattr(CompiledKernel, "n_spills", property(lambda code: 12))
    assert chosen(triton.autotune(CONFIGS, **deterministic)(add_one)) is CONFIGS[0]


def test_deterministic_believes_a_model(deterministic):
    model = {"perf_model": lambda BLOCK, **rest: abs(BLOCK - 128)}
    assert chosen(triton.autotune(CONFIGS, prune_configs_by=model, **deterministic)(add_one), 300) is CONFIGS[1]


def test_deterministic_takes_what_compiles(deterministic):
    broken = triton.Config({"BLOCK": 100})
    with pytest.warns(AutotuneWarning, match="add_one goes on without 1 of 2 configurations"):
        assert chosen(triton.autotune([broken, CONFIGS[1]], **deterministic)(add_one)) is CONFIGS[1]
    with pytest.raises(AutotunerError, match="(?s)none of the 2 configurations of add_one can run:.*power of two"):
        chosen(triton.autotune([broken, triton.Config({"BLOCK": 3})], **deterministic)(add_one))


def test_deterministic_calls_hooks_before_it_compiles(deterministic):
    """Where a configuration's hook changes an argument (the block of a descriptor, say), that is what is compiled."""
    from terrazzo import TensorDescriptor

    @terrazzo.jit
    def kernel(d, n, BLOCK: tl.constexpr):
        d.store([tl.program_id(0) * BLOCK], tl.zeros((BLOCK,), tl.float32) + n)

    def fit(args):
        args["d"].block_shape = [args["BLOCK"]]

    configs = [triton.Config({"BLOCK": block}, pre_hook=fit) for block in (64, 128)]
    x = np.zeros(512, np.float32)
    tuned = triton.autotune(configs, **deterministic)(kernel)
    tuned[lambda meta: (512 // meta["BLOCK"],)](TensorDescriptor.from_tensor(x, [16]), 7)
    assert tuned.best_config is configs[0] and (x == 7).all()


def test_a_bench_of_ones_own():
    times = iter([3.0, 1.0, 2.0])

    def bench(call, quantiles):
        call()
        return [next(times)] * len(quantiles)

    tuned = triton.autotune(CONFIGS, key=["n"], do_bench=bench)(add_one)
    x = np.zeros(64, dtype=np.float32)
    tuned[grid](x, x.copy(), 64)
    assert tuned.best_config is CONFIGS[1]


def test_given_twice():
    tuned = triton.autotune(CONFIGS, **quick())(add_one)
    x = np.zeros(64, dtype=np.float32)
    with pytest.raises(ValueError, match="BLOCK is given at the launch and by autotune's configurations"):
        tuned[grid](x, x.copy(), 64, BLOCK=32)


def test_progress_only_on_a_terminal(capsys):
    tuned = triton.autotune(CONFIGS, **quick())(add_one)
    x = np.zeros(64, dtype=np.float32)
    tuned[grid](x, x.copy(), 64)
    assert capsys.readouterr().err == ""


def test_heuristics():
    tuned = triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})(add_one)
    x, out = np.arange(60, dtype=np.float32), np.zeros(60, dtype=np.float32)
    tuned[grid](x, out, 60)
    np.testing.assert_array_equal(out, x + 1)
    both = triton.autotune([triton.Config({}, num_warps=2), triton.Config({}, num_warps=4)], **quick())(
        triton.heuristics({"BLOCK": lambda args: 64})(add_one))
    both[grid](x, out, 60)
    assert both.base_fn is add_one.fn


def test_configs():
    config = triton.Config({"BLOCK": 64}, num_warps=8, num_stages=2)
    assert config.all_kwargs() == {"BLOCK": 64, "num_warps": 8, "num_ctas": 1, "num_stages": 2}
    assert str(config) == "BLOCK: 64, num_warps: 8, num_ctas: 1, num_stages: 2, maxnreg: None"
    assert config == triton.Config({"BLOCK": 64}, num_warps=8, num_stages=2) and config != CONFIGS[0]
    assert len({config, triton.Config({"BLOCK": 64}, num_warps=8, num_stages=2)}) == 1


def test_times_roughly_first(monkeypatch):
    """All configurations for a short time, those near the best for the usual one."""
    from terrazzo import testing
    timed = []

    def bench(call, warmup, rep, quantiles):
        call()
        block = current.pop()
        timed.append((block, rep))
        return [{64: 1.0, 128: 1.1, 256: 5.0}[block]] * 3

    current = []
    monkeypatch.setattr(testing, "do_bench", bench)
    x, out = np.arange(500, dtype=np.float32), np.zeros(500, dtype=np.float32)
    tuned = triton.autotune(CONFIGS, key=["n"], pre_hook=lambda args, **_: current.append(args["BLOCK"]))(add_one)
    tuned[grid](x, out, 500)
    short = timed[0][1]
    assert timed == [(64, short), (128, short), (256, short), (64, 100), (128, 100)] and short < 100
    assert tuned.best_config == CONFIGS[0] and set(tuned.configs_timings) == set(CONFIGS)
    timed.clear()
    tuned = triton.autotune(CONFIGS, key=["n"], rep=50, pre_hook=lambda args, **_: current.append(args["BLOCK"]))(add_one)
    tuned[grid](x, out, 500)
    assert [rep for _, rep in timed] == [50] * 3  # as asked for


@terrazzo.jit
def pick(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    if BLOCK == 128:
        tl.static_assert(BLOCK != 128, "no 128")
    if BLOCK == 256:
        tl.store(x + at, nowhere)
    tl.store(x + at, BLOCK, mask=at < n)


def test_configurations_that_do_not_compile_are_left_out():
    tuned = triton.autotune(CONFIGS, **quick())(pick)
    x = np.zeros(512, dtype=np.float32)
    with pytest.warns(AutotuneWarning) as caught:
        tuned[(1,)](x, 64)
    text, = (str(warning.message) for warning in caught)
    assert caught[0].filename == __file__
    assert text.startswith("autotune of pick goes on without 2 of 3 configurations:\n")
    assert "no 128" in text and "    of BLOCK: 128, num_warps: 8" in text
    assert "nowhere" in text and "    of BLOCK: 256, num_warps: 4" in text
    assert tuned.best_config is CONFIGS[0] and (x[:64] == 64).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tuned[(1,)](x, 32)  # tuned anew; named before
    kernels = tuned.warmup(x, 64, grid=(1,))
    assert [kernel.name for kernel in kernels] == ["pick"]


def test_no_configuration_compiles():
    tuned = triton.autotune(CONFIGS[1:], **quick())(pick)
    x = np.zeros(512, dtype=np.float32)
    for call in (lambda: tuned[(1,)](x, 64), lambda: tuned.warmup(x, 64, grid=(1,))):
        with pytest.raises(AutotunerError) as caught:
            call()
        text = str(caught.value)
        assert text.startswith("none of the 2 configurations of pick can run:\n")
        assert "    of BLOCK: 128, num_warps: 8" in text and "    of BLOCK: 256, num_warps: 4" in text
        assert isinstance(caught.value, terrazzo.CompilationError) and caught.value.line and "nowhere" in text


def test_configurations_that_fail_alike_are_named_together():
    configs = [triton.Config({"BLOCK": 128}, num_warps=warps) for warps in (1, 2, 4, 8)]
    tuned = triton.autotune([CONFIGS[0], *configs], **quick())(pick)
    with pytest.warns(AutotuneWarning) as caught:
        tuned[(1,)](np.zeros(512, dtype=np.float32), 64)
    lines = str(caught[0].message).splitlines()
    assert len(lines) == 1 + 1 + 4 and all("    of BLOCK: 128" in line for line in lines[2:])


def test_none_fits(monkeypatch):
    def refuse(*args, **kwargs):
        raise terrazzo.OutOfResources("the kernel needs 300 bytes of shared memory, a block has 200", 300, 200, "shared memory")

    tuned = triton.autotune(CONFIGS, **quick())(add_one)
    monkeypatch.setattr(terrazzo.JITFunction, "run", refuse)
    with pytest.raises(terrazzo.OutOfResources, match="none of the 3 configurations of add_one can run") as caught:
        tuned[grid](np.zeros(64, np.float32), np.zeros(64, np.float32), 64)
    assert isinstance(caught.value, AutotunerError) and str(caught.value).count("    of BLOCK") == 3


@terrazzo.jit
def doubtful(x, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, BLOCK, mask=at < n)


def test_warnings_of_the_compiler_are_those_of_the_chosen_configuration(monkeypatch):
    from terrazzo import errors

    compile = terrazzo.JITFunction.warmup

    def warmup(self, *args, **kwargs):
        errors.warn_of_compilation(f"{kwargs['BLOCK']} elements: the assembler says that they are slow")  # as the extension
        return compile(self, *args, **kwargs)

    monkeypatch.setattr(terrazzo.JITFunction, "warmup", warmup)
    times = {64: 3.0, 128: 1.0, 256: 2.0}
    tuned = triton.autotune(CONFIGS, key=["n"], do_bench=lambda call, quantiles: [times[current[0]]] * 3)(doubtful)
    current, bench = [None], tuned._bench
    monkeypatch.setattr(tuned, "_bench", lambda *args, config, **rest: (
        current.__setitem__(0, config.kwargs["BLOCK"]), bench(*args, config=config, **rest))[1])
    with pytest.warns(errors.CompilationWarning) as caught:
        tuned[(1,)](np.zeros(256, np.float32), 64)
    assert [str(warning.message) for warning in caught] == ["128 elements: the assembler says that they are slow"]
    with pytest.warns(errors.CompilationWarning, match="64 elements"):  # one that nobody chose among others
        doubtful.warmup(np.zeros(256, np.float32), 64, BLOCK=64, grid=(1,))


def test_small_kernels_are_tuned_quickly():
    """Each launch of ten microseconds had memory of 32 MiB written before it, 2 s for three configurations."""
    tuned = triton.autotune(CONFIGS, key=["n"])(doubtful)
    launches = []
    doubtful.add_pre_run_hook(lambda *args, **kwargs: launches.append(1))
    tuned[(1,)](np.zeros(256, np.float32), 64)
    assert len(launches) > 150  # in 15 ms each: a sweep takes 1 ms and more
