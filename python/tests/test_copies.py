"""Jit functions whose `fn` was taken out, as torch's compile workers do, and their copies in other processes."""

import collections
import inspect
import linecache
import pickle
import subprocess
import sys
import threading
import types

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo.triton.compiler import ASTSource
from terrazzo.triton.compiler import compile as compile_source

# A module that no other process can import.
TEXT = """
import math
import types
import terrazzo
import terrazzo.triton.language as tl
from terrazzo.triton.language.extra import libdevice

WEIGHT = tl.constexpr(0.5)
box = types.ModuleType("box")
box.inner = types.ModuleType("inner")
box.inner.two = tl.constexpr(2)

def half(n, pick):
    return n // 2 if pick is weigh else 0

@terrazzo.jit
def weigh(a):
    return WEIGHT * a + SHIFT

SHIFT = tl.constexpr(3)

@terrazzo.jit
def kernel(x, out, n, scale=2.0, BLOCK: tl.constexpr = 64, LONG: tl.constexpr = False):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    more: tl.constexpr = half(BLOCK, weigh)
    y = scale * weigh(libdevice.abs(tl.load(x + at, mask=at < n))) + more + box.inner.two
    if LONG:
        y += UNSEEN
    tl.store(out + at, y, mask=at < n)

UNSEEN = tl.constexpr(7)
"""

IN_ANOTHER = """
import pickle, sys
import numpy as np
function, compiled = pickle.load(sys.stdin.buffer)
assert function.fn is None and function.__globals__ is None and function.used_global_vals is None
assert function.repr(function) == "kernel" and function.arg_names[:3] == ["x", "out", "n"]
x, out = np.arange(-50, 50, dtype=np.float32), np.zeros(100, np.float32)
expected = 2 * (0.5 * abs(x) + 3) + 32 + 2
function[(2,)](x, out, 100)
assert (out == expected).all(), out
out[:] = 0
function[(1,)](x, out, 100, BLOCK=128)
assert (out == expected + 32).all(), out
if compiled is not None:
    compiled._init_handles()
    out[:] = 0
    compiled.run(2, 1, 1, 0, compiled.function, compiled.metadata, None, None, None, x, out, 100, 2.0)
    assert (out == expected).all() and "tile.load" in compiled.asm["tile"]
again = pickle.loads(pickle.dumps(function))
out[:] = 0
again[(2,)](x, out, 100)
assert (out == expected).all() and again.cache_key == function.cache_key
try:
    function[(2,)](x, out, 100, LONG=True)
except Exception as error:
    assert "'UNSEEN'" in str(error) and "comes from another process" in str(error), error
else:
    raise AssertionError("a name that was never asked for")
print("done")
"""

COUNT = collections.Counter()


def make():
    """The kernel in a module that is nowhere."""
    COUNT["modules"] += 1
    name = f"nowhere_{COUNT['modules']}"
    module = types.ModuleType(name)
    linecache.cache[name + ".py"] = (len(TEXT), None, TEXT.splitlines(keepends=True), name + ".py")
    exec(compile(TEXT, name + ".py", "exec"), vars(module))
    return module.kernel


def take_out(function):
    """As torch's CachingAutotuner.prepare_for_pickle does."""
    old = (function.fn, function.__globals__, function.used_global_vals, function.repr, getattr(function, "_hash_lock", None))
    text = function.repr(function)
    function.fn = function.__globals__ = function.used_global_vals = function._hash_lock = None
    function.repr = Constant(text)
    return old


class Constant:

    def __init__(self, value):
        self.value = value

    def __call__(self, _=None):
        return self.value

    def __reduce__(self):  # the tests' modules are not for other processes
        from terrazzo.runtime.jit_function import _Constant
        return _Constant, (self.value,)


def put_back(function, old):
    function.fn, function.__globals__, function.used_global_vals, function.repr, function._hash_lock = old


def run(function):
    x, out = np.arange(-50, 50, dtype=np.float32), np.zeros(100, np.float32)
    function[(2,)](x, out, 100)
    assert (out == 2 * (0.5 * abs(x) + 3) + 34).all()


def another(function, compiled=None):
    done = subprocess.run([sys.executable, "-c", IN_ANOTHER], input=pickle.dumps((function, compiled)), capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"done\n"), done.stderr.decode()


def test_taken_out_and_put_back():
    kernel = make()
    first = kernel.fn
    assert kernel.__globals__ is first.__globals__ and kernel.repr(kernel) == "kernel"
    old = take_out(kernel)
    assert kernel.fn is None and kernel.__globals__ is None and kernel.repr(None) == "kernel"
    run(kernel)  # it is still the same program
    put_back(kernel, old)
    assert kernel.fn is first and kernel.__globals__ is first.__globals__
    run(kernel)
    kernel._hash_lock = threading.RLock()
    kernel.fn = None
    kernel.mine = 3
    assert kernel._hash_lock.acquire() and kernel.mine == 3 and kernel.src.startswith("def kernel(")


def test_values_of_globals():
    kernel = make()
    assert kernel.used_global_vals == {}
    run(kernel)
    values = {name: value for (name, _), (value, _) in kernel.used_global_vals.items()}
    assert values["WEIGHT"] == 0.5 and values["SHIFT"] == 3
    assert all(number == id(place) and place is kernel.__globals__
               for (_, number), (_, place) in kernel.used_global_vals.items())


def test_copy_in_another_process():
    kernel = make()
    run(kernel)
    kernel[(1,)](np.zeros(100, np.float32), np.zeros(100, np.float32), 100, BLOCK=128)
    with pytest.raises((pickle.PicklingError, AttributeError, ModuleNotFoundError)):
        pickle.dumps(kernel)  # by a name that is nowhere
    take_out(kernel)
    another(kernel)


def test_compiled_kernel_in_another_process():
    kernel = make()
    source = ASTSource(kernel, {"x": "*fp32", "out": "*fp32", "n": "i32", "scale": "fp32", "BLOCK": "constexpr", "LONG": "constexpr"},
                       {"BLOCK": 64, "LONG": False})
    compiled = compile_source(source, options={"num_warps": 4})
    run(kernel)
    kernel[(1,)](np.zeros(100, np.float32), np.zeros(100, np.float32), 100, BLOCK=128)
    take_out(kernel)
    compiled._init_handles()
    another(kernel, compiled)
    # As torch's TritonCompileResult does: the dictionary alone, with None for what is not to be sent.
    state = pickle.loads(pickle.dumps({**compiled.__dict__, "metadata": compiled.metadata._asdict(), "module": None,
                                       "function": None, "run": None}))
    made = type(compiled).__new__(type(compiled))
    made.__dict__.update(state)
    made._init_handles()
    assert made.src.fn is not kernel and made.function is not None
    x, out = np.arange(-50, 50, dtype=np.float32), np.zeros(100, np.float32)
    made.run(2, 1, 1, 0, made.function, made.packed_metadata, None, None, None, x, out, 100, 2.0)
    assert (out == 2 * (0.5 * abs(x) + 3) + 34).all()


def test_signature_of_a_copy():
    kernel = make()
    kernel.fn = None
    copy = pickle.loads(pickle.dumps(kernel))
    assert [(p.name, p.default) for p in copy.signature.parameters.values()] == \
        [(p.name, p.default) for p in kernel.signature.parameters.values()]
    assert copy.signature.parameters["x"].default is inspect.Parameter.empty and copy.raw_src == kernel.raw_src


def test_options_that_are_off():
    """False says something where the default is True."""

    @terrazzo.jit
    def kernel(x, y, out):
        tl.store(out, tl.load(x) * tl.load(y) + tl.load(out))

    for fuses in (True, False):
        source = ASTSource(kernel, {"x": "*fp32", "y": "*fp32", "out": "*fp32"})
        text = compile_source(source, options={"enable_fp_fusion": fuses, "debug": False}).asm["tile"]
        assert ("contract = false" in text) == (not fuses)
