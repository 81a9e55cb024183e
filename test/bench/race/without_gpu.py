"""Recording on a machine without a GPU: tensors are the CPU's, launches are noted and not run.

What the libraries ask of the device is answered as an H100 would. Tensors that no kernel
has written hold nothing; a record says of such a tensor that it holds numbers from 0.05
to 1, or the integer 0, which is a valid index and no address. Of an autotuner's
configurations, one from the middle of its list is recorded.
"""

import contextlib
import functools
import importlib
import importlib.machinery
import math
import os
import sys
import types

import arguments

_SAMPLED = 1 << 16  # elements of a large tensor that are looked at
_UNWRITTEN = {"normal": [0.5, 0.2, 0.05, 1.0]}


class _Device(contextlib.nullcontext):
    """torch.cuda.device(i), and what torch.cuda.get_device_properties(i) tells."""

    name, major, minor, idx, gcnArchName = "NVIDIA H100 80GB HBM3", 9, 0, 0, ""
    multi_processor_count, total_memory, warp_size = 132, 80 << 30, 32
    max_threads_per_multi_processor, regs_per_multiprocessor, L2_cache_size = 2048, 65536, 50 << 20
    shared_memory_per_block_optin, shared_memory_per_multiprocessor = 232448, 233472

    def __init__(self, *_, **__):
        super().__init__()


def _pretend_torch(torch):
    cuda = torch.cuda
    cuda.device = cuda.device_of = cuda.get_device_properties = _Device
    cuda.get_device_capability = lambda *_: (9, 0)
    cuda.get_device_name = lambda *_: _Device.name
    cuda.current_device = lambda: 0
    cuda.device_count = lambda: 1
    cuda.synchronize = cuda.empty_cache = lambda *_: None
    cuda.mem_get_info = lambda *_: (79 << 30, 80 << 30)
    cuda.current_stream = lambda *_: types.SimpleNamespace(cuda_stream=0, synchronize=lambda: None)
    cuda.is_current_stream_capturing = lambda: False
    torch._C._cuda_getCurrentRawStream = lambda _: 0


def _pretend_triton(torch):
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver
    properties = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
                  "sm_clock_rate": 1980000, "mem_clock_rate": 2619000, "mem_bus_width": 5120}
    driver.set_active(types.SimpleNamespace(
        utils=types.SimpleNamespace(get_device_properties=lambda *_: properties),
        get_current_target=lambda: GPUTarget("cuda", 90, 32), get_current_device=lambda: 0, get_current_stream=lambda *_: 0,
        set_current_device=lambda _: None, get_device_interface=lambda: torch.cuda, get_active_torch_device=lambda: torch.device("cpu"),
        get_benchmarker=lambda: lambda run, **_: [1.0] * 3, get_empty_cache_for_benchmark=lambda: torch.empty(1), clear_cache=lambda _: None))


def _empty(inner):
    @functools.wraps(inner)
    def made(*args, **named):
        tensor = inner(*args, **named)
        return tensor if tensor.is_floating_point() or tensor.is_meta else tensor.zero_()
    return made


def _content_of(inner):
    """Large tensors by a sample; what nothing has written as it would be after a kernel."""
    def content(tensor):
        if not tensor.numel() or not tensor.is_floating_point():
            return inner(tensor)
        flat = arguments._flat(tensor.detach())
        values = flat[::max(1, flat.numel() // _SAMPLED)].float()
        fine = values[values.isfinite()]
        if fine.numel() < values.numel() or (fine == 0).float().mean() > 0.9 or fine.abs().max() > 1e6:
            return _UNWRITTEN
        if flat.numel() <= arguments.EXACT_FLOATS or flat.element_size() == 1:
            return inner(tensor)
        return {"normal": [float(f"{number.item():.6g}") for number in (fine.mean(), fine.std(), fine.min(), fine.max())]}
    return content


def _one_configuration(tuner, *args, **named):
    tuner.nargs = dict(zip(tuner.arg_names, args))
    configurations = list(tuner.prune_configs(named))
    chosen = tuner.best_config = configurations[len(configurations) // 2]
    values = {**named, **chosen.all_kwargs()}
    if chosen.pre_hook:
        chosen.pre_hook({**tuner.nargs, **values})
    result = tuner.fn.run(*args, **values)
    tuner.nargs = None
    return result


def _hide_programs():
    """The programs of shapes/ have their libraries' names, and Python looks into a program's folder first."""
    shapes = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes")
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != shapes]


def _compiled(function, *_, grid, warmup, **__):
    """In place of what a launch compiled; libraries print its facts."""
    return None if warmup else types.SimpleNamespace(name=function.__name__, n_regs=0, n_spills=0, metadata=None, asm={})


def install(launch):
    """launch: what recorder.py puts around JITFunction.run."""
    _hide_programs()
    import torch
    from triton.runtime import autotuner, jit
    _pretend_torch(torch)
    _pretend_triton(torch)
    arguments._content = _content_of(arguments._content)
    torch.empty, torch.empty_like, torch.Tensor.new_empty = map(_empty, (torch.empty, torch.empty_like, torch.Tensor.new_empty))
    jit.JITFunction.run = launch(_compiled)
    autotuner.Autotuner.run = _one_configuration


def without_init(name, path):
    """Makes a package whose own __init__ is not run; only some of its modules are wanted."""
    package = types.ModuleType(name)
    package.__path__ = [path]
    package.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    sys.modules[name] = package
    return package


class _Anything(type):
    """A class that has every attribute; each is the class again."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *given, **_):
        return given[0] if given and callable(given[0]) else cls  # as a decorator gives its function


def _placeholder(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return _Anything(name, (), {})


class _Parts:
    """Modules below one that stands in do so as well."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if getattr(sys.modules.get(name.rpartition(".")[0]), "stands_in", False) is True:
            return importlib.machinery.ModuleSpec(name, cls, is_package=True)
        return None

    @staticmethod
    def create_module(spec):
        module = types.ModuleType(spec.name)
        module.__path__, module.__getattr__, module.stands_in = [], _placeholder, True
        return module

    @staticmethod
    def exec_module(module):
        pass


def stand_in(name, **content):
    """A module of this content, and of a class for each other name, for one that a library imports and its kernels do not need."""
    if _Parts not in sys.meta_path:
        sys.meta_path.append(_Parts)
    parent, _, last = name.rpartition(".")
    if parent and parent not in sys.modules:
        stand_in(parent)
    spec = importlib.machinery.ModuleSpec(name, _Parts, is_package=True)
    module = sys.modules[name] = _Parts.create_module(spec)
    module.__spec__ = spec
    module.__dict__.update(content)
    if parent:
        setattr(sys.modules[parent], last, module)
    return module


def of(module, name=None):
    """A module, or what it calls `name`; imported when it is asked for."""
    found = importlib.import_module(module)
    return getattr(found, name) if name else found


def attempt(what, run):
    """One library function; a line for one that does not run."""
    try:
        run()
    except Exception as problem:
        print(f"{what}: {type(problem).__name__}: {str(problem)[:160]}", flush=True)


def random(*shape, dtype=None, scale=1.0):
    """Normal numbers, soon made: a large tensor repeats as many as its record looks at."""
    import torch
    count = math.prod(shape)
    drawn = torch.randn(min(count, _SAMPLED + 1)).mul_(scale).to(dtype or torch.bfloat16)
    return drawn.repeat(-(-count // drawn.numel()))[:count].view(shape) if count else drawn.view(shape)


def forward_backward(function, *args, **named):
    """Both of an autograd function, with random gradients."""
    import torch
    results = function(*args, **named)
    results = results if isinstance(results, (tuple, list)) else (results,)
    wanted = [one for one in results if isinstance(one, torch.Tensor) and one.requires_grad]
    if wanted:
        torch.autograd.backward(wanted, [random(*one.shape, dtype=one.dtype) for one in wanted])
