"""Hooks that are asked before code is compiled and told after; specialisations that another process preloads."""

import json
import subprocess
import sys
import types
from collections import namedtuple

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo import knobs
from terrazzo.errors import ArgumentError, CompilationError
from terrazzo.triton.runtime.jit import JitFunctionInfo
from kernels import add_kernel, fill_kernel, warps_kernel


@pytest.fixture(autouse=True)
def clean():
    with knobs.runtime.scope():
        yield


class Hook:
    """Keeps what it is told."""

    def __init__(self, answer=None):
        self.told, self.answer = [], answer

    def __call__(self, **facts):
        self.told.append(facts)
        return self.answer


def make(offset=5):

    @terrazzo.jit
    def kernel(out, n, N: tl.constexpr = 8):
        tl.store(out + tl.arange(0, N), n + OFFSET)

    OFFSET = tl.constexpr(offset)
    return kernel


def launch(kernel, n=3, **options):
    out = np.zeros(8, np.float32)
    return kernel[(1,)](out, n, **options), out


def test_refused_code_is_not_compiled():
    before, after, compiled = Hook(True), Hook(), []
    knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook = before, after
    with knobs.compilation.scope():
        knobs.compilation.listener = lambda **facts: compiled.append(facts)
        kernel = make()
        code, out = launch(kernel)
        assert code is None and not out.any()
        assert kernel.warmup(out, 3, grid=(1,)) is None
        assert [facts["is_manual_warmup"] for facts in before.told] == [False, True]
        assert not after.told and not compiled and not kernel.device_caches[0][0]
        knobs.runtime.jit_cache_hook = None
        code, out = launch(kernel)
        assert code.name == "kernel" and (out == 8).all() and len(compiled) == len(after.told) == 1


def test_mistakes_of_a_kernel_that_is_refused_are_not_seen():

    @terrazzo.jit
    def kernel(out):
        tl.store(out + tl.arange(0, 7), 1)

    knobs.runtime.jit_cache_hook = Hook(True)
    assert kernel[(1,)](np.zeros(8, np.float32)) is None
    after = Hook()
    knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook = None, after
    with pytest.raises(CompilationError, match="power of two"):
        kernel[(1,)](np.zeros(8, np.float32))
    assert not after.told


def test_order_and_facts():
    seen = []
    knobs.runtime.jit_cache_hook = lambda **facts: seen.append(("before", facts))
    knobs.runtime.jit_post_compile_hook = lambda **facts: seen.append(("after", facts))
    with knobs.compilation.scope():
        knobs.compilation.listener = lambda **facts: seen.append(("compiled", None))
        kernel = make()
        launch(kernel, num_warps=2)
        launch(kernel, num_warps=2)
    assert [what for what, _ in seen] == ["before", "compiled", "after"]
    before, after = seen[0][1], seen[2][1]
    assert before["compile"] == after["compile"] and before["key"] == after["key"] in kernel.device_caches[0][0]
    facts = before["compile"]
    assert set(facts) == {"key", "signature", "device", "constants", "num_warps", "num_ctas", "num_stages",
                          "enable_fp_fusion", "launch_cooperative_grid", "extern_libs", "configs", "specialization_data",
                          "is_warmup"}
    assert facts["signature"] == {"out": "*fp32", "n": "i32", "N": "constexpr"}
    assert facts["constants"] == {(2,): 8} and facts["configs"] == [{(0,): [["tt.divisibility", 16]]}]
    assert (facts["num_warps"], facts["num_stages"], facts["device"], facts["is_warmup"]) == (2, 3, 0, False)
    assert isinstance(before["fn"], JitFunctionInfo) and before["fn"].jit_function is kernel
    assert before["fn"].name == "make.<locals>.kernel" and before["fn"].module == __name__
    assert before["repr"].startswith("make.<locals>.kernel[num_warps=2, num_ctas=1,")
    assert before["repr"].endswith("](out: *fp32, n: i32, N: constexpr)")
    assert before["is_manual_warmup"] is False and before["already_compiled"] is False


def test_each_specialisation_is_asked_for():
    hook = knobs.runtime.jit_cache_hook = Hook()
    kernel = make()
    for n in (3, 5, 16, 32, 1, 1, 2**40, 3):
        launch(kernel, n)
    # Of small numbers, of multiples of 16 ..., of 1, of numbers that do not fit 32 bits.
    kinds = [facts["compile"]["signature"]["n"] for facts in hook.told]
    assert kinds[0] == "i32" and kinds[-1] == "i64" and len(kinds) <= 4 and len({f["key"] for f in hook.told}) == len(kinds)


def test_a_preload_after_device_caches_were_cleared_is_told():
    hook = knobs.runtime.jit_cache_hook = Hook()
    kernel = make()
    code, _ = launch(kernel)
    data = hook.told[0]["compile"]["specialization_data"]
    hook.told.clear()
    assert kernel.preload(data) is code and not hook.told
    kernel.device_caches.clear()
    assert kernel.preload(data) is code and len(hook.told) == 1
    assert launch(kernel)[0] is code and len(hook.told) == 1


def test_an_exception_of_a_hook_reaches_the_caller():

    def refuse(**facts):
        raise LookupError("not now")

    knobs.runtime.jit_cache_hook = refuse
    kernel = make()
    with pytest.raises(LookupError, match="not now"):
        launch(kernel)
    knobs.runtime.jit_cache_hook = None
    assert (launch(kernel)[1] == 8).all()


def test_compile_by_a_signature_asks_nobody():
    """As in Triton: the hooks are those of launches and warm-ups."""
    from terrazzo.triton.compiler import ASTSource, compile

    hook = knobs.runtime.jit_cache_hook = knobs.runtime.jit_post_compile_hook = Hook(True)
    made = compile(ASTSource(make(), {"out": "*fp32", "n": "i32", "N": "constexpr"}, {"N": 8}))
    assert made.name == "kernel" and not hook.told


# ---- preload -----------------------------------------------------------------


def data_of(launches):
    """specialization_data of what `launches` compiles."""
    hook = knobs.runtime.jit_cache_hook = Hook()
    launches()
    knobs.runtime.jit_cache_hook = None
    return [facts["compile"]["specialization_data"] for facts in hook.told]


def test_preload():
    data, = data_of(lambda: launch(make(), 48, num_warps=2))
    kernel = make()
    code = kernel.preload(data)
    hook = knobs.runtime.jit_cache_hook = Hook(True)
    found, out = launch(kernel, 64, num_warps=2)
    assert found is code and (out == 69).all() and not hook.told
    assert launch(kernel, 64)[0] is None and len(hook.told) == 1  # with other options
    assert len(kernel.device_caches[0][0]) == 1
    kernel.device_caches[0][0].clear()
    knobs.runtime.jit_cache_hook = None
    assert kernel.preload(data) is code and list(kernel.device_caches[0][0].values()) == [code]


def test_a_parameter_that_is_an_option_is_preloaded_as_both():
    out = np.zeros(16, np.int32)
    data, = data_of(lambda: warps_kernel[(1,)](out, BLOCK=16, num_warps=2))
    code = warps_kernel.preload(data)
    assert code.metadata.num_warps == 2 and warps_kernel[(1,)](out, BLOCK=16, num_warps=2) is code


def test_preload_tells_the_hooks():
    data, = data_of(lambda: launch(make()))
    before, after = Hook(), Hook()
    knobs.runtime.jit_cache_hook, knobs.runtime.jit_post_compile_hook = before, after
    make().preload(data)
    assert [facts["compile"]["specialization_data"] for facts in before.told + after.told] == [data] * 2
    assert before.told[0]["is_manual_warmup"]
    before.answer = True
    assert make(6).preload(data) is None


Pair = namedtuple("Pair", "left right")


def descriptor(rows, columns):
    from terrazzo import TensorDescriptor

    return TensorDescriptor.from_tensor(np.zeros((rows, columns), np.float32), [4, 8], padding="nan")


@terrazzo.jit
def many(a, b, n, m, flag, scale, pair, d, wide: tl.int64, half: "fp16", KIND: tl.constexpr, F: tl.constexpr, T: tl.constexpr):
    at = tl.arange(0, 8)
    value = F(n + m + pair.left + wide) * scale + half + tl.sum(tl.sum(d.load([0, 0]), 0)) + T[1]
    tl.store(b + at, tl.load(a + at) + value.to(KIND) + tl.where(flag, 1, 0))


@terrazzo.jit
def twice(x):
    return x * 2


def many_arguments(in_place=False, n=32, m=7, rows=16, left=4):
    a = np.zeros(8, np.float32)
    b = a if in_place else np.zeros(8, np.float32)
    return (a, b, n, m, True, 0.5, Pair(left, a), descriptor(rows, 32), 5, 1.5, tl.float32, twice, (1, 2.5, "x"))


def test_all_kinds_of_arguments_are_preloaded():
    """What the stand-ins of preload find compiled is what the launch had."""
    cases = [many_arguments(), many_arguments(True), many_arguments(n=1, m=2**40), many_arguments(rows=1, left=1),
             many_arguments(n=8, m=12, rows=24, left=2**63)]
    for arguments in cases:
        one, other = terrazzo.jit(many.fn), terrazzo.jit(many.fn)
        data, = data_of(lambda one=one, arguments=arguments: one.warmup(*arguments, grid=(1,)))
        code = other.preload(data)
        hook = knobs.runtime.jit_cache_hook = Hook()
        assert other.warmup(*arguments, grid=(1,)) is code and not hook.told
        assert list(one.device_caches[0][0]) == list(other.device_caches[0][0])
        knobs.runtime.jit_cache_hook = None


def test_constants_in_constants():

    @terrazzo.jit
    def kernel(out, sizes, more: tl.constexpr):
        tl.store(out + tl.arange(0, sizes[0]), sizes[1] + more[0][1])

    out = np.zeros(8, np.float32)
    arguments = out, tl.constexpr((8, 3)), ((tl.constexpr(1), 20.5), "x", None, True)
    data, = data_of(lambda: kernel.warmup(*arguments, grid=(1,)))
    other = terrazzo.jit(kernel.fn)
    other.preload(data)
    knobs.runtime.jit_cache_hook = Hook(True)
    assert other[(1,)](*arguments) and (out == 23.5).all()


def test_another_process_preloads():
    data, = data_of(lambda: fill_kernel.warmup(np.zeros(64, np.float64), 7, 64, grid=(1,), num_warps=2))
    program = """
import sys
import types
import numpy as np
from terrazzo import knobs
from kernels import fill_kernel
fill_kernel.preload(sys.argv[1])
knobs.runtime.jit_cache_hook = lambda **facts: sys.exit("asked for " + facts["repr"])
out = np.zeros(64, np.float64)
fill_kernel[(1,)](out, 9, 64, num_warps=2)
assert (out == 9).all()
"""
    subprocess.run([sys.executable, "-c", program, data], check=True, cwd=__file__.rpartition("/")[0])


def test_what_preload_refuses():
    data, = data_of(lambda: launch(make()))
    with pytest.raises(RuntimeError, match="was made for .*make.*kernel; preload it there, not for kernels.add_kernel"):
        add_kernel.preload(data)
    for text in ("", "{}", "[1]", json.dumps({"name": "x", "signature": 3})):
        with pytest.raises(ArgumentError, match="preload of 'add_kernel' takes the specialization_data of a hook"):
            add_kernel.preload(text)


def test_constants_without_a_name_have_no_data():

    class Local:
        size = 8

    @terrazzo.jit
    def kernel(out, shape: tl.constexpr):
        tl.store(out + tl.arange(0, shape.size), 1)

    assert data_of(lambda: kernel.warmup(np.zeros(8, np.float32), Local(), grid=(1,))) == [None]


def test_serialized_by_its_caller():
    """As programs do that wrap a hook: from what it was told."""
    from terrazzo.triton.runtime import jit

    kernel, hook = make(), Hook()
    knobs.runtime.jit_post_compile_hook = hook
    launch(kernel)
    told = hook.told[0]["compile"]
    options = {name: told[name] for name in ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion")}
    data = jit.serialize_specialization_data(jit.get_full_name(kernel), told["signature"], told["constants"],
                                             told["configs"][0], types.SimpleNamespace(**options, extern_libs=None), told["key"])
    assert json.loads(data)["name"] == jit.get_full_name(kernel)
    again = make()
    assert again.preload(data) is not None
    with pytest.raises(TypeError, match="has no name in a module"):
        jit.serialize_specialization_data("m.f", {"x": "constexpr"}, {(0,): lambda: 0}, {}, options, "")


def test_keys_of_specialisations():
    from terrazzo.triton.runtime.jit import compute_cache_key

    keys, options = {}, types.SimpleNamespace(num_warps=4)
    one = compute_cache_key(keys, [("*fp32", "D"), ("constexpr", make())], options)
    assert compute_cache_key(keys, [("*fp32", "D"), ("constexpr", make())], options) == one and len(keys) == 2
    for other in ([("*fp32", ""), ("constexpr", make())], [("*fp32", "D"), ("constexpr", make(6))]):
        assert compute_cache_key(keys, other, options) != one
    assert compute_cache_key(keys, [("*fp32", "D"), ("constexpr", make())], types.SimpleNamespace(num_warps=8)) != one
