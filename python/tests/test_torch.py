"""Tensors of torch, on the host and on the accelerator."""

import sys

import numpy as np
import pytest

import terrazzo
import terrazzo.triton.language as tl
from kernels import add_kernel, fill_kernel

torch = pytest.importorskip("torch")

DEVICES = [pytest.param("cpu"), pytest.param("accelerator", marks=pytest.mark.skipif(
    not torch.accelerator.is_available(), reason="torch has no accelerator here"))]
needs_accelerator = DEVICES[1].marks[0]


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param if request.param == "cpu" else torch.accelerator.current_accelerator().type


@pytest.fixture
def accelerator():
    return torch.accelerator.current_accelerator().type


def test_adds(device):
    x, y = torch.rand(1000, device=device), torch.rand(1000, device=device)
    out = torch.empty_like(x)
    code = add_kernel[(8,)](x, y, out, 1000, BLOCK=128)
    torch.testing.assert_close(out, x + y)
    assert code.name == "add_kernel"


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                   "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2"])
def test_element_types(device, dtype):
    out = torch.zeros(64, dtype=getattr(torch, dtype), device=device)
    fill_kernel[(1,)](out, 1, 64)
    assert (out.float() == 1).all() if dtype != "uint64" else (out.cpu().numpy() == 1).all()


def test_parameter_and_view(device):
    weight = torch.nn.Parameter(torch.ones(32, device=device))
    fill_kernel[(1,)](weight.data[16:], 3, 16)
    fill_kernel[(1,)](weight, 5, 16)
    assert weight.tolist() == [5] * 16 + [3] * 16


def test_complex_is_refused(device):
    with pytest.raises(terrazzo.errors.ArgumentError, match="no kernel has arrays of torch.complex64"):
        fill_kernel[(1,)](torch.zeros(16, dtype=torch.complex64, device=device), 1, 16)


def test_sparse_is_refused(device):
    with pytest.raises(RuntimeError, match="storage") as caught:
        fill_kernel[(1,)](torch.eye(4, device=device).to_sparse(), 1, 16)
    assert sys.version_info < (3, 11) or caught.value.__notes__ == ["argument 'out' of kernel 'fill_kernel'"]


def test_numpy_and_torch_together():
    x, y, out = np.ones(128, np.float32), torch.ones(128), torch.zeros(128)
    add_kernel[(1,)](x, y, out, 128, BLOCK=128)
    assert (out == 2).all()


def test_dtype_of_torch_as_constexpr(device):

    @terrazzo.jit
    def kernel(out, D: tl.constexpr):
        tl.store(out + tl.arange(0, 16), (tl.arange(0, 16) + 0.3).to(D).to(tl.float32))

    out = torch.zeros(16, device=device)
    kernel[(1,)](out, tl.bfloat16)
    torch.testing.assert_close(out, (torch.arange(16) + 0.3).bfloat16().float().to(device))


def test_compile_error_on_each_device(device):
    x = torch.zeros(1000, device=device)
    with pytest.raises(terrazzo.CompilationError, match="arange length must be a power of two"):
        add_kernel[(8,)](x, x, x, 1000, BLOCK=100)


@needs_accelerator
def test_two_targets_in_one_process(accelerator):
    for device in ("cpu", accelerator, "cpu", accelerator):
        x = torch.rand(1000, device=device)
        out = torch.empty_like(x)
        code = add_kernel[(8,)](x, x, out, 1000, BLOCK=128)
        torch.testing.assert_close(out, 2 * x)
        assert code.target.startswith("cpu") == (device == "cpu")


@needs_accelerator
def test_mixed_memories_are_refused(accelerator):
    x, y = torch.ones(128, device=accelerator), torch.ones(128)
    with pytest.raises(terrazzo.errors.ArgumentError, match="argument 'y' .* lies in host memory, but argument 'x'"):
        add_kernel[(1,)](x, y, x, 128, BLOCK=128)
    with pytest.raises(terrazzo.errors.ArgumentError, match="lies in the memory of torch's"):
        add_kernel[(1,)](y, y.numpy(), x, 128, BLOCK=128)
    pinned = y.pin_memory()
    add_kernel[(1,)](x, pinned, x, 128, BLOCK=128)
    assert (x == 2).all()


@needs_accelerator
def test_streams(accelerator):
    """Launches go to torch's current stream: what is enqueued there before and after is ordered with them."""
    side = torch.Stream(device=accelerator)
    x = torch.zeros(1 << 22, device=accelerator)
    torch.accelerator.synchronize()
    with side:
        for i in range(20):
            x.fill_(i)
            add_kernel[(x.numel() // 1024,)](x, x, x, x.numel(), BLOCK=1024)
            x.add_(1)
    side.synchronize()
    assert (x == 2 * 19 + 1).all()


@needs_accelerator
def test_memory_of_dropped_tensors(accelerator):
    """A tensor that is dropped right after the launch is not given to others before the kernel has read it."""
    total = torch.zeros(1 << 20, device=accelerator)
    for i in range(50):
        x = torch.full((1 << 20,), float(i), device=accelerator)
        add_kernel[(1024,)](total, x, total, 1 << 20, BLOCK=1024)
        del x
        torch.full((1 << 20,), -1.0, device=accelerator)
    assert (total == sum(range(50))).all()


@needs_accelerator
def test_facts_of_the_accelerators_code(accelerator):
    x = torch.ones(1024, device=accelerator)
    code = add_kernel[(1,)](x, x, x, 1024, BLOCK=1024, num_warps=8)
    assert code.n_regs > 0 and code.n_spills == 0
    assert code.n_max_threads == 8 * code.metadata.target.warp_size
    assert "tile.load" in code.asm["tile"] and code.asm["asm"]


@needs_accelerator
def test_too_much_shared_memory(accelerator):

    @terrazzo.jit
    def kernel(a, out, N: tl.constexpr):
        at = tl.arange(0, N)
        x = tl.load(a + at[:, None] * N + at[None, :])
        tl.store(out + at[:, None] * N + at[None, :], tl.dot(x, tl.trans(x)))

    a = torch.ones(512, 512, device=accelerator, dtype=torch.float32)
    out = torch.empty_like(a)
    with pytest.raises(terrazzo.OutOfResources, match="use smaller tiles") as caught:
        kernel[(1,)](a, out, 512)
    assert caught.value.required > caught.value.limit > 0 and caught.value.name == "shared memory"


@needs_accelerator
def test_prints_and_asserts(accelerator, capfd):

    @terrazzo.jit
    def kernel(out, n):
        tl.device_print("value", n)
        tl.device_assert(n < 5, "n is too large")
        tl.store(out, n)

    out = torch.zeros(1, device=accelerator)
    kernel[(1,)](out, 3)
    assert "value" in capfd.readouterr().out
    with pytest.raises(terrazzo.errors.DeviceAssertionError, match="n is too large"):
        kernel[(1,)](out, 7)
    kernel[(1,)](out, 4)
    assert out.item() == 4


@terrazzo.jit
def product_kernel(a, b, c, size, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK, BLOCK), tl.float32)
    for at in range(0, size, BLOCK):
        inner = at + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * size + inner[None, :])
        right = tl.load(b + inner[:, None] * size + columns[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * size + columns[None, :], sums)


@needs_accelerator
@pytest.mark.parametrize("warm", [3, 0])
def test_graphs(accelerator, warm):
    """A recorded graph runs the kernels on what its tensors hold then; code may be compiled and loaded meanwhile."""
    backend = getattr(torch, accelerator)
    if not hasattr(backend, "make_graphed_callables"):
        pytest.skip("torch has no graphs for this accelerator")
    size = 256 + 64 * warm

    def step(x):
        y, z = torch.empty_like(x), torch.empty_like(x)
        product_kernel[(size // 64, size // 64)](x, x, y, size, BLOCK=64)
        add_kernel[(size * size // 1024,)](x, y, z, size * size, BLOCK=1024)
        return z

    x = torch.randn(size, size, device=accelerator, dtype=torch.float16) / 16
    replay = backend.make_graphed_callables(step, (x,), num_warmup_iters=warm)
    for _ in range(3):
        x = torch.randn(size, size, device=accelerator, dtype=torch.float16) / 16
        torch.testing.assert_close(replay(x), x + x @ x, rtol=1e-2, atol=1e-2)
