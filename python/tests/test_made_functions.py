"""Functions that a program makes at run time: code of one function, the text and `__signature__` of another."""

import inspect
import types

import numpy as np
import pytest

import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo.errors import CompilationError

SCALE = tl.constexpr(3)


@terrazzo.jit
def negate(x):
    return -x


def define(text, names, **options):
    """As triton_kernels.specialize makes its kernels."""

    def empty():
        pass

    scope = {**empty.__globals__, **names}
    fn = types.FunctionType(empty.__code__, scope)
    made = {}
    exec(text, scope, made)
    first, = made.values()
    fn.__signature__, fn.__name__ = inspect.signature(first), first.__name__
    kernel = triton.JITFunction(fn, **options)
    kernel._unsafe_update_src(text)
    return kernel


TEXT = """def scaled(x, n, BLOCK: tl.constexpr = 64):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, change(SCALE * tl.load(x + at, mask=at < n)), mask=at < n)
"""


def test_its_signature_says_the_parameters():
    kernel = define(TEXT, {"change": negate}, do_not_specialize=["n"])
    assert kernel.arg_names == ["x", "n", "BLOCK"] and kernel.constexprs == [2]
    assert [p.do_not_specialize for p in kernel.params] == [False, True, False]
    assert kernel.params[2].default == 64 and list(kernel.signature.parameters) == kernel.arg_names
    x = np.ones(100, np.float32)
    kernel[(1,)](x, 50)
    assert (x[:50] == -3).all() and (x[50:] == 1).all()
    kernel[(1,)](x, n=100, BLOCK=128)
    assert (x[:50] == 9).all() and (x[50:] == -3).all()
    with pytest.raises(TypeError, match="kernel 'scaled' needs a value for 'n'"):
        kernel[(1,)](x)


def test_its_key_follows_what_the_text_reads():
    one = define(TEXT, {"change": negate})
    assert one.cache_key == define(TEXT, {"change": negate}).cache_key
    assert one.cache_key != define(TEXT, {"change": terrazzo.jit(lambda_like)}).cache_key
    assert one.cache_key != define(TEXT, {"change": negate, "SCALE": tl.constexpr(4)}).cache_key


def lambda_like(x):
    return x


def test_errors_name_the_place_that_was_given():
    kernel = define("def wrong(x):\n    tl.store(x, nowhere)\n", {})
    kernel.raw_src, kernel.starting_line_number = ["def wrong(x):\n"], 77
    kernel.fn.__code__ = kernel.fn.__code__.replace(co_filename="/some/where.py", co_firstlineno=77)
    with pytest.raises(CompilationError, match=r"/some/where.py:78:\d+: error: .*nowhere"):
        kernel.warmup(np.zeros(1, np.float32), grid=(1,))


def test_decorators_stand_above_the_text():
    kernel = define("def wrong(x):\n    tl.store(x, nowhere)\n", {})
    kernel.raw_src, kernel.starting_line_number = ["@triton.jit\n", "def template(x):\n", "    pass\n"], 77
    kernel.fn.__code__ = kernel.fn.__code__.replace(co_filename="/some/where.py", co_firstlineno=77)
    with pytest.raises(CompilationError, match=r"/some/where.py:79:\d+: error: .*nowhere"):
        kernel.warmup(np.zeros(1, np.float32), grid=(1,))


def test_capture_scope():
    outer = tl.constexpr(5)

    @terrazzo.jit
    def kernel(x):
        tl.store(x, outer + SCALE + later)

    scope = kernel.get_capture_scope()
    assert scope["outer"] is outer and scope["SCALE"] is SCALE and scope["tl"] is tl and "later" not in scope
    later = 3
    assert kernel.get_capture_scope()["later"] is later
    assert kernel.parse().body[0].name == "kernel" and not kernel.is_gluon()


def test_interpreted_functions(monkeypatch):
    from terrazzo.triton.runtime.interpreter import InterpretedFunction

    assert not isinstance(negate, InterpretedFunction) and not isinstance(3, InterpretedFunction)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert isinstance(terrazzo.jit(lambda_like), InterpretedFunction)
    monkeypatch.delenv("TRITON_INTERPRET")
    assert isinstance(InterpretedFunction(lambda_like), InterpretedFunction)


def test_functions_that_get_another_name():
    """As triton_kernels' `cacheable` does, so that a process that preloads a kernel finds it."""
    kernel, helper = define(TEXT, {"change": negate}), terrazzo.jit(lambda_like)
    for function in (kernel, helper):
        function.fn.__name__ = function.__name__ = function.fn.__qualname__ = function.__qualname__ = "renamed"
    x = np.ones(100, np.float32)
    kernel[(1,)](x, 50)
    assert x.sum() == 50 - 150
    kernel = define(TEXT, {"change": helper})
    kernel[(1,)](x, 50)
    assert (x[:50] == -9).all()
