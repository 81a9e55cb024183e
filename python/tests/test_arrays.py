"""Arrays of other frameworks, each where it is installed."""

import sys

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from kernels import add_kernel, fill_kernel


def test_numpy_arrays_that_are_views():
    whole = np.zeros(64, np.float32)
    fill_kernel[(1,)](whole[32:], 7, 16)
    assert whole[32:48].tolist() == [7] * 16 and not whole[:32].any() and not whole[48:].any()


def test_read_only_array_is_an_input():
    x = np.ones(128, np.float32)
    x.flags.writeable = False
    out = np.zeros(128, np.float32)
    add_kernel[(1,)](x, x, out, 128, BLOCK=128)
    assert (out == 2).all()


def test_arrays_of_no_elements():
    """Frameworks give them the address 0."""

    class Empty:
        dtype = np.dtype(np.float32)

        def __init__(self, shape):
            self.shape = shape
            self.__array_interface__ = {"data": (0, False), "shape": shape, "typestr": "<f4", "version": 3}

    @terrazzo.jit
    def kernel(x, out, n):
        at = tl.arange(0, 16)
        tl.store(out + at, tl.load(x + at, mask=at < n, other=3.0))

    out = np.zeros(16, np.float32)
    for empty in (Empty((0,)), Empty((4, 0)), np.zeros((0, 4), np.float32)):
        kernel[(1,)](empty, out, 0)
        assert (out == 3).all()
        out[:] = 0
        kernel[(0,)](empty, empty, 0)
        kernel[(4, 0)](empty, out, 16)
        assert not out.any()


def test_bfloat16_of_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    out = np.zeros(32, ml_dtypes.bfloat16)
    fill_kernel[(1,)](out, 1.5, 32)
    assert (out.astype(np.float32) == 1.5).all()


def test_memory_of_ctypes_by_array_interface():
    import ctypes

    class Holder:
        """An array type that nobody has heard of."""

        def __init__(self, n):
            self.memory = (ctypes.c_float * n)()
            self.shape, self.dtype = (n,), np.dtype(np.float32)
            self.__array_interface__ = {"data": (ctypes.addressof(self.memory), False), "shape": (n,), "typestr": "<f4",
                                        "version": 3}

    held = Holder(16)
    fill_kernel[(1,)](held, 9, 16)
    assert list(held.memory) == [9.0] * 16


def test_object_without_memory():
    with pytest.raises(terrazzo.errors.ArgumentError, match="is of type object, which no kernel takes"):
        fill_kernel[(1,)](object(), 1, 16)


def test_cupy():
    cupy = pytest.importorskip("cupy")
    if not cupy.is_available():
        pytest.skip("CuPy has no device here")
    x = cupy.arange(1024, dtype=cupy.float32)
    out = cupy.zeros_like(x)
    device = sys.modules[type(x.device).__module__.rpartition(".")[0]]  # CuPy's module of the vendor
    with device.Stream(non_blocking=True) as stream:
        x += 1
        add_kernel[(8,)](x, x, out, 1024, BLOCK=128)
        out += 1
        stream.synchronize()
    assert (out.get() == 2 * (np.arange(1024) + 1) + 1).all()
    with pytest.raises(terrazzo.errors.ArgumentError, match="a launch takes arrays of one memory"):
        add_kernel[(8,)](x, np.zeros(1024, np.float32), out, 1024, BLOCK=128)


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(1024, dtype=jax.numpy.float32)
    out = jax.numpy.zeros(1024, dtype=jax.numpy.float32)
    out.block_until_ready()

    @terrazzo.jit
    def tells(x, out, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at) * 2)
        tl.device_assert(tl.sum(tl.load(x + at)) > 0, "the sum is positive")  # so that the launch waits

    tells[(1,)](x, out, BLOCK=1024)
    assert np.asarray(out).tolist() == [2.0 * i for i in range(1024)]


def test_bfloat16_of_jax():
    """On a device JAX tells of these by DLPack alone."""
    jax = pytest.importorskip("jax")
    x = jax.numpy.arange(256, dtype=jax.numpy.bfloat16)
    out = jax.numpy.zeros(256, dtype=jax.numpy.float32)
    out.block_until_ready()

    @terrazzo.jit
    def tells(x, out, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at).to(tl.float32) + 1)
        tl.device_assert(tl.sum(tl.load(x + at).to(tl.float32)) > 0, "the sum is positive")  # so that the launch waits

    tells[(1,)](x, out, BLOCK=256)
    assert np.asarray(out).tolist() == [1.0 + i for i in range(256)]


@pytest.mark.parametrize("torch_first", [True, False])
def test_streams_of_two_frameworks(torch_first):
    """A launch with arrays of both comes after what either has enqueued, and before what it enqueues next."""
    torch, cupy = pytest.importorskip("torch"), pytest.importorskip("cupy")
    if not (torch.accelerator.is_available() and cupy.is_available()):
        pytest.skip("torch and CuPy have no device here")
    count = 1 << 24
    accelerator = torch.accelerator.current_accelerator()
    module = sys.modules[type(cupy.zeros(1).device).__module__.rpartition(".")[0]]  # CuPy's module of the vendor
    theirs, ours = module.Stream(non_blocking=True), torch.Stream(device=accelerator)
    slow = torch.ones(2048, 2048, device=accelerator)
    x, a = torch.zeros(count, device=accelerator), cupy.zeros(count, cupy.float32)
    torch.accelerator.synchronize()
    grid = (count // 1024,)
    for turn in range(1, 4):
        with theirs, ours:
            for _ in range(20):
                slow = slow @ slow / 2048  # before what the launch reads of torch's
            x.fill_(turn)
            for _ in range(20):
                a += 1
            a.fill(10 * turn)  # before what it reads of CuPy's
            if torch_first:
                add_kernel[grid](x, a, x, count, BLOCK=1024)  # on torch's stream
                a.fill(0)  # after it has read
            else:
                add_kernel[grid](a, x, a, count, BLOCK=1024)  # on CuPy's
                x.zero_()
        ours.synchronize()
        theirs.synchronize()
        result = x.cpu().numpy() if torch_first else a.get()
        assert (result == 11 * turn).all()
