"""Arrays that a kernel may misread are warned of, once; those that it must not write are refused."""

import warnings

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from terrazzo import knobs
from terrazzo.runtime import array_checks
from terrazzo.errors import ArgumentError, ArrayWarning
from kernels import add_kernel, scale_kernel


@terrazzo.jit
def rows_kernel(x, out, stride, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * stride + at, mask=at < columns)
    tl.store(out + tl.program_id(0) * columns + at, row, mask=at < columns)


@terrazzo.jit
def fixed_rows_kernel(x, out, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + at, tl.load(x + tl.program_id(0) * STRIDE + at))


@terrazzo.jit
def gather_kernel(x, index, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + tl.load(index + at)))


@pytest.fixture(autouse=True)
def nothing_told():
    """Warnings come once for a kernel and argument; here for each test. One that is not expected fails it."""
    array_checks._told.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ArrayWarning)
        yield


def numbers(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def doubled(x, n=None):
    out = np.zeros(x.size, np.float32)
    scale_kernel[((x.size + 127) // 128,)](x, out, x.size if n is None else n)
    return out


@pytest.mark.parametrize(
    "x, shape, strides, step",
    [
        (numbers(200)[::2], (100,), (2,), "2"),
        (numbers(10, 200)[:, :100], (10, 100), (200, 1), "200"),
        (numbers(100)[::-1], (100,), (-1,), "1"),
        (numbers(4, 10, 30)[:, :9:3, :20], (4, 3, 20), (300, 90, 1), "90 or 300"),
    ],
)
def test_gaps(x, shape, strides, step):
    with pytest.warns(ArrayWarning) as caught:
        doubled(x, 10)
        doubled(x, 10)
    text, = (str(warning.message) for warning in caught)
    assert "argument 'x' of kernel 'scale_kernel' has gaps" in text
    assert f"shape {shape}, strides {strides}" in text and f"any step of {step}:" in text
    assert caught[0].filename == __file__  # the line of the launch


def test_gaps_of_what_is_written():
    out = np.zeros(200, np.float32)
    with pytest.warns(ArrayWarning, match="argument 'out' of kernel 'scale_kernel' has gaps"):
        scale_kernel[(1,)](numbers(100), out[::2], 100)
    assert (out[:100] == 2 * numbers(100)).all() and not out[100:].any()


def test_a_warning_that_is_an_error_stops_the_launch():
    out = np.zeros(200, np.float32)
    for _ in range(2):
        with pytest.raises(ArrayWarning, match="argument 'out' of kernel 'scale_kernel' has gaps"):
            scale_kernel[(1,)](numbers(100), out[::2], 100)
    assert not out.any()


@terrazzo.jit
def fill_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, 1.0, mask=at < n)


@terrazzo.jit
def pad_kernel(x, out, COLUMNS: tl.constexpr, PADDED: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    is_element = at % PADDED < COLUMNS
    tl.store(out + at, tl.load(x + at, mask=is_element, other=-1.0))


def test_padding_that_is_read_flat_under_a_mask():
    """Rows of a vocabulary's logits, padded to a multiple of 64, as in the training of BERT."""
    for padded in (64 * 7, 512):  # by a remainder, by a mask of bits
        memory = np.full((8, padded), 7, np.float32)
        x, out = memory[:, :442], np.zeros((8, padded), np.float32)
        x[:] = numbers(8, 442)
        pad_kernel[(8 * padded // 64,)](x, out, COLUMNS=442, PADDED=padded, BLOCK=64)
        assert (out[:, :442] == x).all() and (out[:, 442:] == -1).all()


def test_padding_that_is_filled_with_the_rest():
    for n in (30 * 64, 29 * 64 + 50):
        memory = np.zeros((30, 64), np.float32)
        fill_kernel[(15,)](memory[:, :50], n, BLOCK=128)
        assert memory.sum() == n
    with pytest.warns(ArrayWarning, match="argument 'x' of kernel 'fill_kernel' has gaps"):
        fill_kernel[(15,)](memory[:, :50], 30 * 50, BLOCK=128)


def test_the_check_can_be_turned_off():
    with knobs.runtime.scope():
        knobs.runtime.check_arrays = False
        assert (doubled(numbers(200)[::2], 100) == numbers(100) * 2).all()


@pytest.mark.parametrize(
    "x",
    [
        numbers(10, 20).T,  # another order of the same memory
        numbers(3, 4, 5).transpose(1, 2, 0),
        numbers(50, 4)[:30],
        numbers(50, 4)[:1, :3],  # one row of a row
        numbers(200)[::2][:1],
        numbers(200)[::2][:0],
    ],
)
def test_arrays_without_gaps(x):
    memory = np.lib.stride_tricks.as_strided(x, (x.size,), (4,))
    assert (doubled(x) == memory * 2).all()


def test_strides_that_are_arguments():
    x, out = numbers(10, 200)[:, :100], np.zeros((10, 100), np.float32)
    rows_kernel[(10,)](x, out, 200, 100, BLOCK=128)
    assert (out == x).all()


def test_strides_that_are_constants():
    x, out = numbers(10, 200)[:, :64], np.zeros((10, 64), np.float32)
    fixed_rows_kernel[(10,)](x, out, STRIDE=200, BLOCK=64)
    assert (out == x).all()
    with pytest.warns(ArrayWarning, match="any step of 200:"):
        fixed_rows_kernel[(10,)](x, out, STRIDE=100, BLOCK=64)


def test_indices_that_are_loaded():
    x, out = numbers(200)[::2], np.zeros(64, np.float32)
    gather_kernel[(1,)](x, np.arange(0, 128, 2, dtype=np.int32), out, BLOCK=64)
    assert (out == x[:64]).all()


def test_arrays_that_are_not_touched():

    @terrazzo.jit
    def kernel(like, out, BLOCK: tl.constexpr):
        tl.store(out + tl.arange(0, BLOCK), 1.0)

    out = np.zeros(64, np.float32)
    kernel[(1,)](numbers(200)[::2], out, BLOCK=64)
    assert out.all()


def test_read_only():
    fixed = numbers(100)
    fixed.flags.writeable = False
    assert (doubled(fixed) == fixed * 2).all()
    with pytest.raises(ArgumentError, match="argument 'out' of kernel 'add_kernel' is read-only, but the kernel writes"):
        add_kernel[(1,)](numbers(100), numbers(100), fixed, 100, BLOCK=128)
    assert (fixed == numbers(100)).all()


def test_bfloat16_of_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, out = numbers(200).astype(ml_dtypes.bfloat16), np.zeros(100, np.float32)
    with pytest.warns(ArrayWarning, match=r"'x' of kernel 'scale_kernel' has gaps .*shape \(100,\), strides \(2,\)"):
        scale_kernel[(1,)](x[::2], out, 100)
    scale_kernel[(1,)](x[100:], out, 100)
    assert (out == 2 * x[100:].astype(np.float32)).all()
    scale_kernel[(1,)](x.reshape(10, 20).T, out, 100)
    fixed = x[:100].copy()
    fixed.flags.writeable = False
    with pytest.raises(ArgumentError, match="argument 'out' of kernel 'scale_kernel' is read-only"):
        scale_kernel[(1,)](x, fixed, 100)
    scale_kernel[(1,)](fixed, out, 100)
    assert (out == 2 * fixed.astype(np.float32)).all()


class Held:
    """An array that an array interface alone tells of."""

    def __init__(self, array, **facts):
        self.memory, self.dtype = array, array.dtype
        self.__array_interface__ = {**array.__array_interface__, **facts}


def test_array_interface():
    x, out = numbers(200), np.zeros(100, np.float32)
    with pytest.warns(ArrayWarning, match=r"'x' of kernel 'scale_kernel' has gaps .*shape \(100,\), strides \(2,\)"):
        scale_kernel[(1,)](Held(x[::2]), out, 100)
    for fine in (x[100:], x.reshape(20, 10).T[:, :10]):
        scale_kernel[(1,)](Held(fine), out, 100)
        assert (out == 2 * np.lib.stride_tricks.as_strided(fine, (100,), (4,))).all()
    scale_kernel[(1,)](Held(x[:100], strides=None), out, 100)
    address = x.__array_interface__["data"][0]
    with pytest.raises(ArgumentError, match="argument 'out' of kernel 'scale_kernel' is read-only"):
        scale_kernel[(1,)](x, Held(x, data=(address, True)), 100)
    with pytest.raises(ArgumentError, match="does not say where its memory is"):
        scale_kernel[(1,)](Held(x, data=None), out, 100)


class Exported:
    """An array that DLPack alone tells of."""

    def __init__(self, array):
        self.memory, self.dtype = array, array.dtype

    def __dlpack_device__(self):
        return self.memory.__dlpack_device__()

    def __dlpack__(self, **options):
        return self.memory.__dlpack__(**options)


def test_dlpack():
    x, out = numbers(200), np.zeros(100, np.float32)
    with pytest.warns(ArrayWarning, match="'x' of kernel 'scale_kernel' has gaps"):
        scale_kernel[(1,)](Exported(x[::2]), out, 100)
    target = np.zeros(100, np.float32)
    scale_kernel[(1,)](Exported(x[100:]), Exported(target), 100)
    assert (target == 2 * x[100:]).all()


def test_capsules():
    """What a device's arrays are read by, shown with the host's."""
    from terrazzo import _native

    x = numbers(10, 20)
    seen = _native.read_dlpack(x[:, ::2].__dlpack__())
    address = x.__array_interface__["data"][0]
    assert seen == {"data": (address, False), "shape": (10, 10), "strides": (80, 8), "typestr": "|V4"}
    with pytest.raises(BufferError, match="gave no array"):
        _native.read_dlpack(3)


def test_jax():
    jax = pytest.importorskip("jax")
    with jax.default_device(jax.local_devices(backend="cpu")[0]):
        x, out = jax.numpy.arange(100, dtype=jax.numpy.bfloat16), np.zeros(100, np.float32)
        scale_kernel[(1,)](x, out, 100)
        assert (out == 2 * np.asarray(x).astype(np.float32)).all()
        made = jax.numpy.zeros(100, jax.numpy.float32)
        made.block_until_ready()
        tells = scale_kernel[(1,)](x, made, 100)  # JAX marks its arrays as read-only
        assert tells.name == "scale_kernel"


def test_cupy():
    cupy = pytest.importorskip("cupy")
    if not cupy.is_available():
        pytest.skip("CuPy has no device here")
    x, out = cupy.arange(200, dtype=cupy.float32), cupy.zeros(100, cupy.float32)
    with pytest.warns(ArrayWarning, match=r"'x' of kernel 'scale_kernel' has gaps .*shape \(100,\), strides \(2,\)"):
        scale_kernel[(1,)](x[::2], out, 100)
    scale_kernel[(1,)](x[100:], out, 100)
    assert (out == 2 * x[100:]).all()
    scale_kernel[(1,)](x.reshape(10, 20).T, out, 100)
    assert (out == 2 * x[:100]).all()


def test_reinterpreted():
    torch = pytest.importorskip("torch")
    from terrazzo import reinterpret

    x, out = torch.arange(200, dtype=torch.int32), torch.zeros(100)
    with pytest.warns(ArrayWarning, match=r"'x' of kernel 'scale_kernel' has gaps .*shape \(100,\), strides \(2,\)"):
        scale_kernel[(1,)](reinterpret(x[::2], tl.uint32), out, 100)
    scale_kernel[(1,)](reinterpret(x[100:], tl.uint32), out, 100)
    assert (out == 2 * x[100:]).all()


def test_no_programs_no_check():
    scale_kernel[(0,)](numbers(200)[::2], numbers(100), 100)


@pytest.mark.parametrize("device", ["cpu", "accelerator"])
def test_torch(device):
    torch = pytest.importorskip("torch")
    if device == "accelerator":
        if not torch.accelerator.is_available():
            pytest.skip("torch has no accelerator here")
        device = torch.accelerator.current_accelerator()
    x, out = torch.arange(200.0, device=device), torch.zeros(100, device=device)
    with pytest.warns(ArrayWarning, match=r"shape \(100,\), strides \(2,\)"):
        scale_kernel[(1,)](x[::2], out, 100)
    scale_kernel[(1,)](x[:100].reshape(4, 25).t(), out, 100)
    assert out.sum() == 2 * torch.arange(100.0).sum()
    rows = torch.zeros(2, 50, device=device)
    rows_kernel[(2,)](x.reshape(2, 100)[:, :50], rows, 100, 50, BLOCK=64)
    assert torch.equal(rows, x.reshape(2, 100)[:, :50])


def test_no_memory():
    torch = pytest.importorskip("torch")
    x = torch.empty(100, device="meta")
    with pytest.raises(ArgumentError, match=r"'x' of kernel 'scale_kernel' has elements but no memory \(device meta\)"):
        scale_kernel[(1,)](x, torch.zeros(100), 100)
    scale_kernel[(1,)](torch.empty(0), torch.zeros(100), 0)
    assert scale_kernel.warmup(x, x, 100, grid=(1,)).name == "scale_kernel"


def test_no_memory_that_is_not_touched():
    torch = pytest.importorskip("torch")

    @terrazzo.jit
    def kernel(like, out):
        tl.store(out, 1.0)

    out = torch.zeros(1)
    kernel[(1,)](torch.empty(100, device="meta"), out)
    assert out.item() == 1
