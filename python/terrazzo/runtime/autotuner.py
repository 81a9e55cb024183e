"""autotune: choosing a kernel's configuration.

The configurations that are left after pruning are compiled at the same time, on
threads (compiling releases the interpreter lock), then timed one after the other:
all of them roughly, those near the best once more and longer, unless the caller
says how long to time.
A configuration that does not compile, or does not fit the device, is left out and
named in a warning; if none is left, one error names them all. Warnings of the
compiler are told for the configuration that is chosen alone. The choice is kept
per key, and on disk if asked for. In deterministic mode nothing is timed: a rule
chooses by what is known without a clock (_rank).
"""

import functools
import inspect
import math
import os
import time
import warnings

from .. import _native, knobs, testing
from ..errors import CompilationError, OutOfResources
from . import timing
from .configurations import AutotunerError, Config
from .drivers import driver
from .interface import KernelInterface
from .tuning_report import Progress, Report, say

_ROUGH = 5, 15  # milliseconds of warm-up and timing
_NEAR = 1.2  # times the best rough time


def _clone(value):
    if hasattr(value, "clone"):
        return value.clone()
    return value.copy()


def _zero(value):
    if hasattr(value, "zero_"):
        value.zero_()
    else:
        value[...] = 0


def _restore(value, saved):
    if hasattr(value, "copy_"):
        value.copy_(saved)
    else:
        value[...] = saved


@functools.cache
def _compute_units(plugin):
    return _native.describe_device(plugin)["compute_units"]


def _names(what, given):
    """A list of names that an option of autotune has."""
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        raise AutotunerError(f"{what} of autotune takes names of arguments, found {given!r}; Triton 2 had `warmup` and `rep` at "
                             "these places: give them by name")
    return [given] if isinstance(given, str) else list(given or [])


class Autotuner(KernelInterface):
    """A kernel that is launched with the best of some configurations. Made by autotune."""

    def __init__(self, fn, arg_names, configs, key, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
                 prune_configs_by=None, warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
        self.fn = fn
        self.arg_names = arg_names
        self.configs = list(configs) or [Config({})]
        self.keys = [key] if isinstance(key, str) else list(key or [])
        self.cache = {}
        self.reset_to_zero = _names("reset_to_zero", reset_to_zero)
        self.restore_value = _names("restore_value", restore_value)
        for what, names in (("reset_to_zero", self.reset_to_zero), ("restore_value", self.restore_value)):
            unknown = [name for name in names if name not in arg_names]
            if unknown:
                raise AutotunerError(f"{what} of autotune names {unknown[0]!r}, which is no parameter of the kernel "
                                     f"({', '.join(arg_names)})")
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = pre_hook or self._prepare
        self.post_hook = post_hook or self._put_back
        self._saved = {}
        rules = prune_configs_by or {}
        self.perf_model = rules.get("perf_model")
        self.configs_top_k = rules.get("top_k", 1.0)
        self.early_config_prune = rules.get("early_config_prune")
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn) and hasattr(self.base_fn, "fn"):
            self.base_fn = self.base_fn.fn
        self.num_warmups, self.num_reps = warmup, rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench
        self.cache_results = cache_results
        self.best_config = None
        self.configs_timings = {}
        self.bench_time = 0.0
        self.nargs = None
        self._report = Report(self._name)
        functools.update_wrapper(self, self.base_fn, updated=())

    # What a run of a configuration needs before and after it.

    def _prepare(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            _zero(kwargs[name])
        if not reset_only:
            self._saved = {name: _clone(kwargs[name]) for name in self.restore_value}

    def _put_back(self, kwargs, exception=None):
        for name in self.restore_value:
            _restore(kwargs[name], self._saved[name])
        self._saved = {}

    @functools.cached_property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        if self.use_cuda_graph:
            return lambda call, quantiles: timing.bench_recorded(driver.active, call, self.num_reps or 20, quantiles=quantiles)
        warmup = 25 if self.num_warmups is None else self.num_warmups
        rep = 100 if self.num_reps is None else self.num_reps
        return lambda call, quantiles: testing.do_bench(call, warmup=warmup, rep=rep, quantiles=quantiles)

    def _merged(self, config, meta):
        both = meta.keys() & config.kwargs.keys()
        if both:
            raise ValueError(f"{', '.join(sorted(both))} is given at the launch and by autotune's configurations: "
                             "leave it out of one of them")
        return {**meta, **config.all_kwargs()}

    @property
    def _times_in_two_steps(self):
        return self._do_bench is None and not self.use_cuda_graph and self.num_warmups is None and self.num_reps is None

    def _rough_bench(self, call, quantiles):
        warmup, rep = _ROUGH
        return testing.do_bench(call, warmup=warmup, rep=rep, quantiles=quantiles)

    def _bench(self, *args, config, do_bench=None, **meta):
        current = self._merged(config, meta)
        full = {**self.nargs, **current}

        def call():
            if config.pre_hook:
                config.pre_hook(full)
            self.pre_hook(full)
            try:
                self.fn.run(*args, **current)
            except Exception as failure:
                try:
                    self.post_hook(full, exception=failure)
                finally:
                    raise
            self.post_hook(full, exception=None)

        try:
            with self._report.noting(config):
                return (do_bench or self.do_bench)(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompilationError) as failure:
            self._report.leave_out(config, failure)
            return [float("inf")] * 3

    @property
    def _name(self):
        return getattr(self.base_fn, "__name__", "the kernel")

    def _warm(self, args, kwargs, config):
        """Compiles for a launch with this configuration."""
        keywords = self._merged(config, kwargs)
        keywords.pop("warmup", None)
        with self._report.noting(config):
            return self.fn.warmup(*args, **keywords)

    def _compile_all(self, args, configs, kwargs, progress):
        """Compiles for each configuration on threads; gives the futures, of none where hooks change the arguments."""
        threads = knobs.autotuning.threads or min(len(configs), os.cpu_count() or 1)
        if threads < 2 or any(config.pre_hook for config in configs) or self.user_defined_pre_hook:
            return {}
        import concurrent.futures

        with concurrent.futures.ThreadPoolExecutor(threads, "terrazzo-autotune") as pool:
            jobs = {config: pool.submit(self._warm, args, kwargs, config) for config in configs}
            for done, job in enumerate(concurrent.futures.as_completed(jobs.values()), 1):
                job.exception()
                progress.say("compiled", done, len(jobs))
        return jobs

    def _choose(self, args, kwargs, configs):
        progress = Progress(self._name)
        self._report.begin()
        try:
            self._compile_all(args, configs, kwargs, progress)
            timings = {}

            def measure(some, do_bench):
                for i, config in enumerate(some):
                    progress.say("timed", i, len(some))
                    found = self._bench(*args, config=config, do_bench=do_bench, **kwargs)
                    timings[config] = list(found) if isinstance(found, (list, tuple)) else [found]

            if self._times_in_two_steps and len(configs) > 2:
                measure(configs, self._rough_bench)
                best = min(times[0] for times in timings.values())
                near = [config for config, times in timings.items() if times[0] <= _NEAR * best < float("inf")]
                if len(near) > 1:
                    measure(near, self.do_bench)
            else:
                measure(configs, self.do_bench)
        finally:
            progress.end()
        return timings

    # Deterministic mode.

    def _programs(self, args, kwargs, config):
        """How many programs a launch with this configuration has; None: the grid does not say."""
        grid, meta = kwargs.get("grid"), {**self.nargs, **self._merged(config, kwargs)}
        try:
            sizes = grid(meta) if callable(grid) else grid
            return math.prod(sizes if isinstance(sizes, (tuple, list)) else (sizes,))
        except Exception:
            return None  # the launch says what is wrong with it

    def _rank(self, args, kwargs, config, code):
        """Less is better: the time that perf_model predicts, 32-bit words that a thread spills, how many times more
        compute units there are than programs (as a power of two, rounded down).

        The last two are certain to cost time and are known without a clock. Few idle units do not count: smaller tiles
        may cost more. What remains equal is in the order of the configurations: that more programs fit a unit at once,
        say, helps some kernels and hurts others.
        """
        predicted = self._predicted(kwargs, config) if self.perf_model else 0
        if code is None:  # a hook kept it from being compiled
            return predicted, 0, 0
        programs, units = self._programs(args, kwargs, config), _compute_units(code.plugin)
        spare = 1 if programs is None else units // max(programs, 1)
        return predicted, code.n_spills, max(spare.bit_length() - 1, 0)

    def _by_rule(self, args, kwargs, configs):
        """The configuration with the least _rank; the first of several."""
        ranks = {}
        self._report.begin()
        compiled = self._compile_all(args, configs, kwargs, Progress(self.base_fn.__name__))
        for config in configs:
            try:
                if config in compiled:
                    code = compiled[config].result()
                else:
                    if config.pre_hook:
                        config.pre_hook({**self.nargs, **self._merged(config, kwargs)})
                    code = self._warm(args, kwargs, config)
            except (OutOfResources, CompilationError) as failure:
                self._report.leave_out(config, failure)
                continue
            ranks[config] = self._rank(args, kwargs, config, code)
        if not ranks:
            raise self._report.error()
        self._report.warn(len(configs))
        best = min(ranks, key=ranks.__getitem__)
        say(f"{self.base_fn.__name__}: by rule {best} ({ranks[best][1]} words of a thread are spilled"
                  f"{', most compute units get no program' if ranks[best][2] else ''})")
        return best

    # The table on disk.

    @staticmethod
    def _code_target():
        active = driver.active  # perhaps a program's own
        return str(getattr(active, "get_code_target", active.get_current_target)())

    def _table_path(self, key, configs):
        base = self.fn
        while not hasattr(base, "cache_key") and hasattr(base, "fn"):
            base = base.fn
        text = "\n".join([getattr(base, "cache_key", ""), self._code_target(), repr(key)] +
                         sorted(str(config) for config in configs))
        folder = os.path.join(knobs.cache.dir, "autotune")
        import hashlib

        return os.path.join(folder, f"{self.base_fn.__name__}-{hashlib.sha256(text.encode()).hexdigest()[:32]}.json")

    def check_disk_cache(self, tuning_key, configs, bench_fn):
        """Takes the timings from the disk, or makes them by bench_fn and writes them. True if they were there."""
        configs = list(configs)
        if not tuning_key or any(config.pre_hook for config in configs):
            bench_fn()
            return False
        from . import tuning_tables

        path = self._table_path(tuning_key, configs)
        timings = tuning_tables.read(path, configs)
        if timings is not None:
            self._set_best(tuning_key, timings)
            return True
        bench_fn()
        try:
            tuning_tables.write(path, tuning_key, self.configs_timings)
        except OSError as error:
            warnings.warn(f"the table of {self.base_fn.__name__} is not kept ({error}); it is tuned again in each process",
                          RuntimeWarning, stacklevel=2)
        return False

    def _set_best(self, key, timings):
        self.configs_timings = timings
        best = min(timings, key=lambda config: timings[config][0])
        if timings[best][0] == float("inf"):
            if self._report.failures:
                raise self._report.error()
            raise AutotunerError(f"none of the {len(timings)} configurations of {self._name} can run, as a table on disk or the "
                                 "given do_bench says")
        self.cache[key] = best

    def _key_of(self, args, kwargs):
        known = {**self.nargs, **kwargs}
        present = {name: value for name, value in known.items() if name in self.arg_names}
        key = [present[name] for name in self.keys if name in present]
        key += [str(value.dtype) for value in present.values() if hasattr(value, "dtype")]
        return tuple(key)

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        used_disk = False
        if len(self.configs) > 1:
            key = self._key_of(args, kwargs)
            if key not in self.cache:
                used_disk = self._tune(key, args, kwargs)
            config = self.cache[key]
        else:
            config = self.configs[0]
        self.best_config = config
        if knobs.autotuning.print and len(self.configs) > 1 and not used_disk and self.bench_time:
            say(f"{self.base_fn.__name__} {self._key_of(args, kwargs)}: best is {config}, "
                      f"{self.bench_time:.2f} s to find")
            self.bench_time = 0.0
        merged = self._merged(config, kwargs)
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **merged})
        result = self.fn.run(*args, **merged)
        self.nargs = None
        return result

    def _tune(self, key, args, kwargs):
        configs = self.prune_configs(kwargs)
        if knobs.autotuning.deterministic:
            self.cache[key] = self._by_rule(args, kwargs, configs)
            self._report.tell_notes(self.cache[key])
            return False

        def benchmark():
            start = time.perf_counter()
            timings = self._choose(args, kwargs, configs)
            self.bench_time = time.perf_counter() - start
            self._set_best(key, timings)
            self._report.warn(len(configs))
            self._report.tell_notes(self.cache[key])
            self.pre_hook({**self.nargs, **kwargs, **self.cache[key].all_kwargs()}, reset_only=True)

        if self.cache_results or knobs.autotuning.cache:
            return self.check_disk_cache(key, configs, benchmark)
        benchmark()
        return False

    def prune_configs(self, kwargs):
        """The configurations that are worth timing with the arguments of this launch."""
        configs = self.configs
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, self.nargs, **kwargs))
            if not configs:
                raise AutotunerError("early_config_prune left no configuration: it must return at least one")
        if self.perf_model:
            top_k = self.configs_top_k
            if isinstance(top_k, float) and top_k <= 1.0:
                top_k = max(1, int(len(self.configs) * top_k))
            elif not isinstance(top_k, int):
                raise TypeError(f"top_k of prune_configs_by is a share up to 1.0 or an int, not {top_k!r}")
            if len(configs) > top_k:
                predicted = {config: self._predicted(kwargs, config) for config in configs}
                configs = sorted(configs, key=predicted.__getitem__)[:top_k]
        return configs

    def _predicted(self, kwargs, config):
        return self.perf_model(**self.nargs, **kwargs, **config.all_kwargs())

    def warmup(self, *args, **kwargs):
        """Compiles for every configuration that is not pruned; gives the kernels of those that compile."""
        self.nargs = dict(zip(self.arg_names, args))
        compiled = []
        self._report.begin()
        configs = self.prune_configs(kwargs)
        for config in configs:
            try:
                compiled.append(self._warm(args, kwargs, config))
            except (OutOfResources, CompilationError) as failure:
                self._report.leave_out(config, failure)
        self._report.drop_notes()
        self.nargs = None
        if not compiled:
            raise self._report.error()
        self._report.warn(len(configs))
        return compiled


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None,
             warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Decorator of a jit function: launches take the fastest of `configs`.

    They are timed when an argument named in `key` has a new value or an array a
    new dtype. prune_configs_by: {"early_config_prune": f(configs, args, **kw),
    "perf_model": f(**args) -> predicted time, "top_k": how many stay}. Arguments
    in reset_to_zero are zeroed before each run, those in restore_value have their
    contents back after it. cache_results keeps the timings on disk, as
    TRITON_CACHE_AUTOTUNING=1 does for all. TERRAZZO_AUTOTUNE_DETERMINISTIC=1
    times nothing: of the configurations that compile it takes those that
    perf_model predicts to be the fastest, of these those that spill least, of these
    those whose programs keep the most compute units busy (by factors of two), of
    these the first.
    """
    def decorate(fn):
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook, post_hook=post_hook,
                         prune_configs_by=prune_configs_by, warmup=warmup, rep=rep, use_cuda_graph=use_cuda_graph,
                         do_bench=do_bench, cache_results=cache_results)
    return decorate
