"""Records launches of Triton kernels while a program runs: a pytest plugin, or installed by hand.

  RACE_OUT=/tmp/records PYTHONPATH=test/bench/race pytest -p recorder ~/src/Library/tests
  test/bench/race/race record --out /tmp/records -- python ~/src/Library/benchmark.py

Every distinct launch (kernel, shapes, strides, alignments, constants, options, grid)
becomes one file. A kernel keeps the RACE_KEEP largest of its launches (default 8).
Configurations that an autotuner only tries are not recorded; what it chose is, with the
list of the others. Launches are not disturbed: what cannot be recorded is written to
refused.jsonl with the reason. Kernels of torch.compile are recorded as well.
"""

import contextlib
import hashlib
import json
import os
import sys
import threading

import arguments
from kernel_source import Collector, NotRecordable, encode_constant

FOLDER = os.path.expanduser(os.environ.get("RACE_OUT", "records"))
KEEP = int(os.environ.get("RACE_KEEP", "8"))
QUICK = os.environ.get("RACE_QUICK", "0") == "1"  # what a benchmark would time for long runs twice
CONFIGURATIONS = int(os.environ.get("RACE_CONFIGS", "0"))  # an autotuner tries so many at most; 0: all

_state = threading.local()
_known = {}  # kernel -> {identity: (bytes, file)}
_seen = set()
_warm = {}  # id of compiled code -> the code (kept, so that the id stays its own), its function, the options


def _digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def _shape_only(told):
    """An argument without the content of its tensors."""
    if isinstance(told, dict):
        return {key: _shape_only(value) for key, value in told.items() if key != "content"}
    if isinstance(told, list):
        return [_shape_only(item) for item in told]
    return told


def _quick_key(function, args, named, grid):
    """Equal for launches that are surely the same; without a look at any content."""
    def key(value):
        if hasattr(value, "data_ptr"):
            return (str(value.dtype), tuple(value.shape), value.stride(), value.data_ptr() % 16)
        if hasattr(value, "block_shape"):
            return (key(value.base), tuple(value.shape), tuple(value.strides), tuple(value.block_shape))
        if isinstance(value, (tuple, list)):
            return tuple(key(item) for item in value)
        return repr(value)
    return (id(function), tuple(key(a) for a in args), tuple(sorted((n, key(v)) for n, v in named.items())), grid)


def describe(function, args, named, grid, tuner=None):
    """The record of a launch. Raises NotRecordable."""
    functions, storages = Collector(), arguments.Storages()
    functions.add(function)
    names = [p.name for p in function.params]
    told = {name: arguments.describe(value, storages, functions) for name, value in zip(names, args)}
    options = {}
    for name, value in named.items():
        if name in names:
            told[name] = arguments.describe(value, storages, functions)
        elif name not in ("debug", "instrumentation_mode", "warmup") and value is not None:
            options[name] = encode_constant(value, functions)
    record = {"version": 1, "kernel": function.__name__, "module": function.__module__, "functions": functions.functions,
              "arguments": told, "storages": storages.entries, "grid": list(grid), "options": options}
    if tuner:
        record["configurations"] = tuner
    record["bytes"] = storages.bytes
    record["id"] = _digest([functions.functions, _shape_only(told), options, list(grid)])
    return record


def _keep(record):
    """Writes the record, unless its kernel has larger ones enough."""
    kernel = _digest(record["functions"])
    known = _known.setdefault(kernel, {})
    if record["id"] in known:
        return
    if len(known) >= KEEP:
        smallest = min(known, key=lambda identity: known[identity][0])
        if known[smallest][0] >= record["bytes"]:
            return
        with contextlib.suppress(OSError):
            os.remove(known.pop(smallest)[1])
    path = os.path.join(FOLDER, f"{record['kernel'][:60]}-{kernel[:8]}-{record['id']}.json")
    known[record["id"]] = record["bytes"], path
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "w") as out:
        json.dump(record, out)
    os.replace(temporary, path)


def _refuse(function, problem):
    with open(os.path.join(FOLDER, "refused.jsonl"), "a") as out:
        out.write(json.dumps({"kernel": getattr(function, "__name__", str(function)), "module": getattr(function, "__module__", ""),
                              "why": f"{type(problem).__name__}: {problem}"[:300]}) + "\n")


def _three(grid):
    grid = (grid,) if isinstance(grid, int) else tuple(grid)
    return tuple(int(extent) for extent in grid + (1,) * (3 - len(grid)))


def _note(function, args, named, grid, tuner):
    try:
        quick = _quick_key(function, args, named, grid)
        if quick in _seen:
            return
        _seen.add(quick)
        _keep(describe(function, args, named, grid, tuner() if tuner else None))
    except Exception as problem:  # whatever it is, the program goes on
        _refuse(function, problem)


def _launch(inner):
    def run(self, *args, grid, warmup, **named):
        if not warmup and not getattr(_state, "trying", False):
            given = dict(zip((p.name for p in self.params), args))
            given.update(named)
            for parameter in self.params:
                if parameter.has_default:
                    given.setdefault(parameter.name, parameter.default)
            extents = _three(grid(given) if callable(grid) else grid)
            _note(self, args, named, extents, getattr(_state, "tuner", None))
        result = inner(self, *args, grid=grid, warmup=warmup, **named)
        if warmup and result is not None:
            names = {parameter.name for parameter in self.params}
            _warm[id(result)] = result, self, {name: value for name, value in named.items() if name not in names}
        return result
    return run


def _of_compiled(inner):
    """compiled[grid](*arguments), where the program holds what a warm-up compiled."""
    def getitem(self, grid):
        launch = inner(self, grid)
        if id(self) not in _warm:
            return launch
        _, function, options = _warm[id(self)]

        def run(*args, **named):
            _note(function, args[:len(function.params)], options, _three(grid), None)
            return launch(*args, **named)
        return run
    return getitem


def _tuned(inner):
    def run(self, *args, **named):
        before = getattr(_state, "tuner", None)
        _state.tuner = lambda: _configurations(self, args, named)
        try:
            return inner(self, *args, **named)
        finally:
            _state.tuner = before
    return run


def _configurations(tuner, args, named):
    """The configurations that the tuner chooses from, each with its grid."""
    found = []
    if len(tuner.configs) < 2 or any(config.pre_hook for config in tuner.configs):
        return None
    with contextlib.suppress(Exception):
        grid = named.get("grid")
        for config in tuner.prune_configs({name: value for name, value in named.items()}):
            meta = {**dict(zip(tuner.arg_names, args)), **named, **config.all_kwargs()}
            found.append({"grid": list(_three(grid(meta) if callable(grid) else grid)),
                          "values": {name: encode_constant(value) for name, value in config.all_kwargs().items()}})
    return found or None


def _trying(inner):
    def bench(self, *args, **named):
        before = getattr(_state, "trying", False)
        _state.trying = True
        try:
            return inner(self, *args, **named)
        finally:
            _state.trying = before
    return bench


def _fewer(inner):
    """At most CONFIGURATIONS of an autotuner's, spread over its list."""
    def prune(self, named):
        found = list(inner(self, named))
        if len(found) > CONFIGURATIONS > 0:
            found = [found[i * len(found) // CONFIGURATIONS] for i in range(CONFIGURATIONS)]
        return found
    return prune


def _inductor(module):
    """torch.compile launches without JITFunction.run."""
    tuner = module.CachingAutotuner
    inner = tuner.run

    def run(self, *args, **named):
        result = inner(self, *args, **named)
        if not named.get("benchmark_run", False):
            _note_inductor(module, self, args, named)
        return result
    tuner.run = run


def _note_inductor(module, tuner, args, named):
    key = (id(tuner), tuple((str(a.dtype), tuple(a.shape), a.stride()) if hasattr(a, "data_ptr") else repr(a) for a in args))
    if key in _seen:
        return
    _seen.add(key)
    try:
        config = tuner.launchers[0].config
        constants = tuner.triton_meta.get("constants", {})
        signature = [name for name in tuner.triton_meta["signature"]]
        given, values = {}, list(args)
        for i, name in enumerate(signature):
            if name in config.kwargs:
                given[name] = config.kwargs[name]
            elif name in constants or (i,) in constants:
                given[name] = constants.get(name, constants.get((i,)))
                if values and name in getattr(tuner, "inductor_meta", {}).get("extra_launcher_args", ()):
                    values.pop(0)
            elif values:
                given[name] = values.pop(0)
        for name in tuner.fn.arg_names:
            if name in config.kwargs:
                given.setdefault(name, config.kwargs[name])
        grid = module.GridExpr.from_meta(tuner.inductor_meta, config).eval_slow({**given, **config.kwargs})
        options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
        ordered = {name: given[name] for name in tuner.fn.arg_names if name in given}
        _keep(describe(tuner.fn, (), {**ordered, **options}, _three(grid)))
    except Exception as problem:
        _refuse(tuner.fn, problem)


def _once(function, *args, quantiles=None, return_mode="mean", **named):
    """In place of do_bench: the second of two runs, in milliseconds."""
    import torch
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    function()
    begin.record()
    function()
    end.record()
    torch.cuda.synchronize()
    ms = begin.elapsed_time(end)
    if quantiles is not None:
        return [ms] * len(quantiles) if len(quantiles) > 1 else ms
    return [ms] if return_mode == "all" else ms


def install():
    """Begins to record, in this process."""
    from triton.compiler import compiler
    from triton.runtime import autotuner, jit
    os.makedirs(FOLDER, exist_ok=True)
    if os.environ.get("RACE_WITHOUT_GPU", "0") == "1":
        import without_gpu
        without_gpu.install(_launch)
        return
    if QUICK:
        import triton.testing
        triton.testing.do_bench = triton.testing.do_bench_cudagraph = _once
    jit.JITFunction.run = _launch(jit.JITFunction.run)
    compiler.CompiledKernel.__getitem__ = _of_compiled(compiler.CompiledKernel.__getitem__)
    autotuner.Autotuner.run = _tuned(autotuner.Autotuner.run)
    autotuner.Autotuner._bench = _trying(autotuner.Autotuner._bench)
    if CONFIGURATIONS:
        autotuner.Autotuner.prune_configs = _fewer(autotuner.Autotuner.prune_configs)
    if "torch._inductor.runtime.triton_heuristics" in sys.modules:
        _inductor(sys.modules["torch._inductor.runtime.triton_heuristics"])
    else:
        sys.meta_path.insert(0, _AfterImport())


class _AfterImport:
    """Waits for Inductor's launcher to be imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "torch._inductor.runtime.triton_heuristics":
            return None
        import importlib.util
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        inner = spec.loader.exec_module

        def exec_module(module):
            inner(module)
            _inductor(module)
        spec.loader.exec_module = exec_module
        return spec


if os.environ.get("RACE_OUT"):
    install()
