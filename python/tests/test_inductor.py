"""torch.compile, whose kernels are compiled on threads, or in its own worker processes and come back pickled."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("torch")

PROGRAM = """
import terrazzo
terrazzo.install_as_triton()
import torch
import torch._inductor.config as config
config.cpu_backend = "triton"
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

came = []
restore = CachingAutotuner.restore_after_unpickle

def noted(self, old_values):
    restore(self, old_values)
    came.append(self.fn.fn)

CachingAutotuner.restore_after_unpickle = noted

def function(x):
    return (x.softmax(-1) + 1).sum(0)

if __name__ == "__main__":
    AsyncCompile.wait_pool_ready()
    compiled = torch.compile(function)
    for n in (50, 61):
        x = torch.randn(n, 70)
        torch.testing.assert_close(compiled(x), function(x))
    assert came and set(came) == {None}, came
    print("done")
"""


@pytest.mark.parametrize("start", ["subprocess", "fork"])
def test_compile_workers(tmp_path, start):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, env={
        **os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "2", "TORCHINDUCTOR_WORKER_START": start,
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"), "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "OMP_NUM_THREADS": "2"})
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


THREADS = """
import threading
import terrazzo
terrazzo.install_as_triton()
import torch
import torch._inductor.config as config
config.cpu_backend = "triton"
import torch._inductor.async_compile as async_compile
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

used, precompile = set(), CachingAutotuner.precompile

def noted(self, *args, **kwargs):
    if kwargs.get("warm_cache_only"):
        used.add(threading.current_thread().name)
    return precompile(self, *args, **kwargs)

CachingAutotuner.precompile = noted
assert async_compile.get_compile_threads() == 3

def function(x):
    return (x.softmax(-1) + 1).sum(0), x.cumsum(0) * 2, torch.nn.functional.embedding(x.argmax(-1), x)

import gc
before, seen, handler = gc.get_threshold(), [], torch._dynamo.callback.callback_handler
handler.register_start_callback(lambda _: seen.append(gc.get_threshold()))
x = torch.randn(70, 70)
for got, right in zip(torch.compile(function)(x), function(x), strict=True):
    torch.testing.assert_close(got, right)
assert seen and seen[0] > before == gc.get_threshold(), (seen, before)  # of garbage collections
assert used and all(name.startswith("terrazzo-inductor") for name in used), used
assert async_compile.AsyncCompile.use_process_pool()
async_compile.shutdown_compile_workers()
torch._dynamo.reset()
torch.testing.assert_close(torch.compile(lambda x: x.sin() + 3)(x), x.sin() + 3)  # with a new pool
try:
    torch.compile(lambda x: x.cos() + 3)
finally:
    children = open(f"/proc/self/task/{threading.get_native_id()}/children").read().split()
assert not any("compile_worker" in open(f"/proc/{child}/cmdline").read() for child in children)
print("done")
"""


def test_threads(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(THREADS)
    environment = {name: value for name, value in os.environ.items() if name != "TORCHINDUCTOR_WORKER_START"}
    run = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, env={
        **environment, "TORCHINDUCTOR_COMPILE_THREADS": "3", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
        "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "OMP_NUM_THREADS": "2"})
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


def test_prepare_for_pickle():
    """torch's own steps, in one process."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    import terrazzo

    from test_copies import make, run

    holder = CachingAutotuner.__new__(CachingAutotuner)
    holder.fn, holder.launchers = make(), ["launcher"]
    assert isinstance(holder.fn, terrazzo.JITFunction)
    before = holder.fn.fn, holder.fn.__globals__, holder.fn.used_global_vals, holder.fn.repr
    old = holder.prepare_for_pickle()
    assert (holder.fn.fn, holder.fn.__globals__, holder.fn.used_global_vals, holder.launchers) == (None, None, None, [])
    assert holder.fn.repr(None) == "kernel"
    holder.restore_after_unpickle(old)
    assert (holder.fn.fn, holder.fn.__globals__, holder.fn.used_global_vals, holder.fn.repr) == before
    run(holder.fn)
    assert holder.launchers == ["launcher"]
