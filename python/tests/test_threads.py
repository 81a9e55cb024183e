"""Threads that launch and compile at once; children of fork."""

import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np

import terrazzo
import terrazzo.triton.language as tl
from kernels import add_kernel


def run_in_threads(count, body):
    errors = []

    def guarded(i):
        try:
            body(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    if errors:
        raise errors[0]


def test_launches_of_many_threads():

    def body(i):
        x = np.full(1000, i, np.float32)
        out = np.zeros_like(x)
        for _ in range(50):
            add_kernel[(8,)](x, x, out, 1000, BLOCK=128)
        assert (out == 2 * i).all()

    run_in_threads(8, body)


def test_threads_that_compile_the_same_and_others():

    @terrazzo.jit
    def kernel(out, VALUE: tl.constexpr):
        tl.store(out + tl.arange(0, 16), VALUE)

    def body(i):
        for value in (7, 100 + i):
            out = np.zeros(16, np.float32)
            kernel[(1,)](out, value)
            assert (out == value).all()

    run_in_threads(8, body)


@terrazzo.jit
def slow_to_compile(x, out, TIMES: tl.constexpr):
    at = tl.arange(0, 64)
    acc = tl.load(x + at[:, None] * 64 + at[None, :])
    for i in tl.static_range(TIMES):
        acc = tl.dot(acc, acc) * (i + 1)
    tl.store(out + at[:, None] * 64 + at[None, :], acc)


def test_other_threads_run_while_one_compiles():
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    x = np.zeros((64, 64), np.float32)
    start = time.monotonic()
    slow_to_compile.warmup(x, x, 24 + os.getpid() % 7, grid=(1,))
    end = time.monotonic()
    stop.set()
    thread.join()
    inside = [t for t in ticks if start < t < end]
    assert len(inside) > (end - start) * 1000 / 50, f"{len(inside)} ticks in {end - start:.2f} s: the GIL was held"


def test_other_threads_run_while_one_launches():

    @terrazzo.jit
    def busy(out, n):
        x = tl.zeros((1024,), tl.float32)
        for i in range(n):
            x = tl.sin(x + i)
        tl.store(out + tl.arange(0, 1024), x)

    out = np.zeros(1024, np.float32)
    busy[(1,)](out, 10)
    start = time.perf_counter()
    busy[(1,)](out, 100)
    # Some tenths of a second, on a simulated device as well.
    rounds = min(300000, 100 + int(100 * 0.3 / (time.perf_counter() - start)))
    done = threading.Event()
    thread = threading.Thread(target=lambda: (busy[(1,)](out, rounds), done.set()))
    thread.start()
    ticks = 0
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 3


def child(text, **environment):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment}, cwd=os.path.dirname(__file__))


def test_child_of_fork_is_told():
    done = child("""
        import os, sys, warnings
        warnings.simplefilter("ignore")
        import numpy as np
        from kernels import fill_kernel
        out = np.zeros(16, np.float32)
        fill_kernel[(1,)](out, 1, 16)
        if os.fork() == 0:
            try:
                fill_kernel[(1,)](out, 2, 16)
            except Exception as error:
                print(type(error).__name__, error, flush=True)
                os._exit(0 if "fork" in str(error) else 1)
            os._exit(2)
        _, status = os.wait()
        fill_kernel[(1,)](out, 3, 16)
        sys.exit(os.waitstatus_to_exitcode(status) or int(out[0] != 3))
    """)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "LaunchError" in done.stdout


def test_fork_before_the_first_launch():
    done = child("""
        import os, sys, warnings
        warnings.simplefilter("ignore")
        import numpy as np
        from kernels import fill_kernel
        out = np.zeros(16, np.float32)
        if os.fork() == 0:
            fill_kernel[(1,)](out, 2, 16)
            os._exit(int(out[0] != 2))
        sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
    """)
    assert done.returncode == 0, done.stdout + done.stderr


def test_launch_at_exit():
    done = child("""
        import atexit
        import numpy as np
        from kernels import fill_kernel
        out = np.zeros(16, np.float32)
        atexit.register(lambda: (fill_kernel[(1,)](out, 4, 16), print(out[0])))
        fill_kernel[(1,)](out, 2, 16)
    """)
    assert done.returncode == 0 and done.stdout == "4.0\n", done.stderr


def test_import_is_quick():
    """Bar: 50 ms. Loaded test machines are slower: twice that, best of five."""
    measure = "import time; t = time.perf_counter(); import terrazzo; print(time.perf_counter() - t)"
    assert min(float(child(measure).stdout) for _ in range(5)) < 0.1
