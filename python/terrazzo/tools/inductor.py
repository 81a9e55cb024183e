"""torch.compile's compilations, on threads of its own process.

Inductor hands each kernel to a pool of worker processes, which have to import
torch before they compile. Terrazzo compiles outside of the interpreter lock,
so threads do: from the first kernel on, at the same time, and without a copy of
anything. Where a program chooses how workers start, torch's own pool stays.
"""

import functools
import gc
import importlib.abc
import importlib.machinery
import os
import sys
import time

_MODULE = "torch._inductor.async_compile"


class ThreadPool:
    """What Inductor asks of a pool of compile workers."""

    def __init__(self, threads):
        import concurrent.futures

        self._threads = concurrent.futures.ThreadPoolExecutor(threads, "terrazzo-inductor")

    def submit(self, job, *args):
        import concurrent.futures

        from torch._inductor.runtime.compile_tasks import _worker_compile_triton

        if job is _worker_compile_triton:
            return self._threads.submit(_compile, *args)
        done = concurrent.futures.Future()  # asks whether the workers are ready
        done.set_result(job(*args))
        return done

    def shutdown(self, wait=True):
        self._threads.shutdown(wait=wait, cancel_futures=True)


def _compile(load_kernel, environment, settings):
    """As _worker_compile_triton, whose settings are those of this process: the kernel and microseconds."""
    start = time.time_ns()
    kernel = load_kernel()
    kernel.precompile(warm_cache_only=True)
    return kernel, (time.time_ns() - start) // 1000


class _FewerCollections:
    """Lets Python look for garbage more rarely while torch traces and lowers, which makes millions of objects that stay."""

    thresholds = 20_000, 20, 50

    def __init__(self):
        self._before = None

    def begin(self, _=None):
        before = gc.get_threshold()
        if gc.isenabled() and before[0] and before < self.thresholds:
            self._before = before
            gc.set_threshold(*self.thresholds)

    def end(self, _=None):
        if self._before and gc.get_threshold() == self.thresholds:  # else the program has chosen
            gc.set_threshold(*self._before)
        self._before = None


def _collect_less():
    from torch._dynamo.callback import callback_handler

    fewer = _FewerCollections()
    callback_handler.register_start_callback(fewer.begin)
    callback_handler.register_end_callback(fewer.end)
    if getattr(callback_handler, "_CompilationCallbackHandler__pending_callbacks_counter", 0):
        fewer.begin()  # Inductor is imported by the first compilation


def use_threads(module):
    """Makes torch._inductor.async_compile compile on threads."""
    _collect_less()
    async_compile = module.AsyncCompile
    torchs_own = async_compile.process_pool

    @functools.lru_cache(1)
    def process_pool():
        if "TORCHINDUCTOR_WORKER_START" in os.environ or module.config.worker_start_method != "subprocess":
            return torchs_own()
        pool = ThreadPool(module.get_compile_threads())
        module._pool_set.add(pool)
        return pool

    async_compile.process_pool = staticmethod(process_pool)


class _Loader(importlib.abc.Loader):
    """Loads the module as it would have been, then changes it."""

    def __init__(self, real):
        self._real = real

    def __getattr__(self, name):
        return getattr(self._real, name)

    def create_module(self, spec):
        return self._real.create_module(spec)

    def exec_module(self, module):
        self._real.exec_module(module)
        use_threads(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module, as Python's own finder does."""

    def find_spec(self, name, path=None, target=None):
        if name != _MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def install():
    """Now, or when Inductor is imported."""
    if _MODULE in sys.modules:
        use_threads(sys.modules[_MODULE])
    else:
        sys.meta_path.insert(0, _Finder())
