"""What a launch gives: the compiled code and its facts; what is told of launches and compilations."""

import gc
import weakref

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo import knobs
from kernels import add_kernel, fill_kernel


def launch(**options):
    x = np.ones(256, np.float32)
    return add_kernel[(1,)](x, x, np.zeros_like(x), 256, BLOCK=256, **options)


def test_facts():
    code = launch(num_warps=2)
    assert code.name == "add_kernel"
    assert len(code.hash) == 64
    assert code.metadata.num_warps == 2 and code.metadata.name == "add_kernel"
    assert code.target.partition(":")[2] == code.metadata.target.arch
    assert code.n_spills == 0 and (code.n_regs == 0) == (code.metadata.target.backend == "cpu")
    assert code.n_max_threads >= 1
    assert "add_kernel" in repr(code)
    assert code.src is add_kernel


def test_stages():
    code = launch()
    assert "tile.load" in code.asm["tile"]
    assert "define" in code.asm["llir"]
    assert "add_kernel" in code.asm["asm"]
    assert "ttir" in code.asm and "tile" in list(code.asm)
    with pytest.raises(KeyError):
        code.asm["cubit"]


def test_places_in_the_text():
    """As programs look for them: `... loc(#loc3)`, and below `#loc3 = loc("file":18:4)`."""
    lines = launch().asm["ttir"].splitlines()
    at = next(i for i, line in enumerate(lines) if "tile.store" in line)
    name = lines[at].partition("loc(")[2].partition(")")[0]
    place = next(line for line in lines if line.startswith(name + " = "))
    store = add_kernel.starting_line_number + next(i for i, line in enumerate(add_kernel.raw_src) if "tl.store" in line)
    assert f'kernels.py":{store}:' in place


def test_stages_are_those_of_the_target():
    stages = dict(launch().asm.items())
    assert list(stages) == list(launch().asm) and len(launch().asm) == len(stages)
    assert {"ttir", "llir", "tile", "asm"} <= set(stages) and all(stages.values())
    # Tiles with layouts over threads: where a target has threads, not on the CPU.
    has_threads = launch().metadata.target.backend != "cpu"
    assert ("ttgir" in stages) == ("ttgir" in launch().asm) == (launch().asm.get("ttgir") is not None) == has_threads


def test_same_code_is_one_object():
    assert launch() is launch()
    assert launch() is not launch(num_warps=2)


def test_warmup_gives_the_code():
    x = np.ones(256, np.float32)
    code = add_kernel.warmup(x, x, np.zeros_like(x), 256, BLOCK=256, grid=(1,))
    assert code is launch()
    assert add_kernel.warmup(x, x, x, 256, BLOCK=256, grid=(1,)) is not code  # in place


def test_warmup_with_types_alone():
    code = fill_kernel.warmup(tl.float32, 3, 16, grid=(1,))
    assert code.name == "fill_kernel"


def test_code_launches():
    x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    launch()[(1,)](x, x, out, 256, BLOCK=256)
    assert (out == 2).all()


def make():

    @terrazzo.jit
    def kernel(out):
        tl.store(out, 5)

    return kernel


def test_code_outlives_its_function():
    kernel = make()
    code = kernel[(1,)](np.zeros(1, np.float32))
    alive = weakref.ref(kernel)
    del kernel
    gc.collect()
    assert alive() is None
    assert "tile.store" in code.asm["prepared"]
    with pytest.raises(terrazzo.LaunchError, match="the function of kernel 'kernel' is gone"):
        code[(1,)](np.zeros(1, np.float32))


def test_launch_hooks():
    seen = []

    def metadata(grid, metadata, args):
        return {"name": f"add of {args['n']}", "bytes": 12 * args["n"]}

    @terrazzo.jit(launch_metadata=metadata)
    def kernel(x, n, BLOCK: tl.constexpr):
        tl.store(x + tl.arange(0, BLOCK), n)

    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook.add(lambda lazy: seen.append(("enter", lazy.get())))
        knobs.runtime.launch_exit_hook.add(lambda lazy: seen.append(("exit", lazy.get())))
        kernel[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)
    kernel[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)
    assert [kind for kind, _ in seen] == ["enter", "exit"]
    assert seen[0][1]["name"] == "add of 16" and seen[0][1]["bytes"] == 192


def test_exception_of_a_hook_reaches_the_caller():

    def refuse(lazy):
        raise LookupError("not now")

    out = np.zeros(16, np.float32)
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook.add(refuse)
        with pytest.raises(LookupError, match="not now"):
            fill_kernel[(1,)](out, 3, 16)
    assert not out.any()


def test_hooks_of_loading():
    loaded, told = [], []
    with knobs.runtime.scope(), knobs.compilation.scope():
        knobs.runtime.kernel_load_start_hook.add(lambda *facts: loaded.append(facts[2]))
        knobs.runtime.kernel_load_end_hook.add(lambda *facts: loaded.append(facts[4]))
        knobs.compilation.listener = lambda **facts: told.append(facts["metadata"]["hash"])
        code = make().warmup(np.zeros(1, np.float32), grid=(1,), num_warps=2)
    assert loaded == ["kernel", code.hash] and told == [code.hash]


def test_pre_run_hook():
    seen = []
    kernel = make()
    kernel.add_pre_run_hook(lambda *args, **kwargs: seen.append(len(args)))
    kernel[(1,)](np.zeros(1, np.float32))
    assert seen == [1]
    with pytest.raises(TypeError, match="a pre-run hook is a function"):
        kernel.add_pre_run_hook(3)


def test_cache_key_follows_text_and_constants():
    one, same = make(), make()
    assert one.cache_key == same.cache_key
    one.src = one.src.replace("5", "6")
    assert one.cache_key != same.cache_key


def test_functions_are_freed():
    """A kernel that is made, launched and dropped leaves nothing behind but the cache."""
    alive = []
    for _ in range(3):
        kernel = make()
        kernel[(1,)](np.zeros(1, np.float32))
        alive.append(weakref.ref(kernel))
        del kernel
    gc.collect()
    assert [one() for one in alive] == [None] * 3


def source_of_add():
    from terrazzo.triton.compiler import ASTSource

    return ASTSource(add_kernel, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 256})


def test_a_target_that_nothing_compiles_for():
    import terrazzo.triton as triton
    from terrazzo.triton.backends.compiler import GPUTarget

    with pytest.raises(terrazzo.CompilationError, match="no compiler for GPUTarget.*'none'.*it compiles for the backends"):
        triton.compile(source_of_add(), target=GPUTarget("none", 1, 32))


def test_the_target_of_this_machine():
    import terrazzo.triton as triton

    x, out = np.ones(256, np.float32), np.zeros(256, np.float32)
    for target in (None, triton.runtime.driver.active.get_current_target()):
        kernel = triton.compile(source_of_add(), target=target)
        assert kernel.inner.target == launch().target
        kernel[(1,)](x, x, out, 256, 256)
        assert (out == 2).all()
