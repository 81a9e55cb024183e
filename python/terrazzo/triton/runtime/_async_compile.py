"""`triton.runtime._async_compile`: compiling on an executor."""

import contextvars
import threading

active_mode = contextvars.ContextVar("terrazzo_async_compile", default=None)


class FutureKernel:
    """A kernel that is being compiled; its attributes wait for it."""

    def __init__(self, finalize_compile, future):
        self.finalize_compile = finalize_compile
        self.future = future
        self.kernel = None
        self._lock = threading.Lock()

    def result(self, ignore_errors=False):
        """The compiled kernel; None if it failed and errors are ignored."""
        with self._lock:
            if self.kernel is None:
                try:
                    kernel = self.future.result()
                except Exception:
                    if ignore_errors:
                        return None
                    raise
                if self.finalize_compile is not None:
                    self.finalize_compile(kernel)
                self.kernel = kernel
            return self.kernel

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.result(), name)


class AsyncCompileMode:
    """`with AsyncCompileMode(executor):` makes warmup() return at once with a FutureKernel."""

    def __init__(self, executor, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.future_kernels = {}
        self._token = None

    def submit(self, key, compile_fn, finalize_fn=None):
        if key not in self.future_kernels:
            self.future_kernels[key] = FutureKernel(finalize_fn, self.executor.submit(compile_fn))
        return self.future_kernels[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("an AsyncCompileMode is active already; they do not nest")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, kind, value, traceback):
        for kernel in self.future_kernels.values():
            kernel.result(self.ignore_errors)
        active_mode.reset(self._token)
