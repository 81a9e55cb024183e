"""Launches of @triton.jit kernels as data, and the two compilers that run them.

A Launch is what `kernel[grid](...)` says: the kernel of an example file, its
grid, its arguments and its constants. Triton runs it as it stands; Terrazzo gets
the path of the same file. `recorded` turns an example's own host function into
its list of launches.
"""

import importlib.util
import inspect
import os
import sys

from terrazzo_api import OPTIONS


class Launch:
    def __init__(self, kernel, grid, args, named, renamed=None):
        """renamed: what the kernel calls a constant of a configuration."""
        self.kernel, self.grid, self.args, self.named = kernel, grid, args, named
        self.renamed = renamed or {}

    def with_config(self, config):
        """The same with the constants and options of `config` that it leaves open."""
        config = {self.renamed.get(k, k): v for k, v in config.items()}
        known = {k: v for k, v in config.items() if k in self.kernel.arg_names or k in OPTIONS}
        return Launch(self.kernel, self.grid, self.args, {**known, **self.named})

    def values(self):
        """All arguments by name: given ones, then defaults."""
        names = self.kernel.arg_names
        found = dict(zip(names, self.args))
        found.update({k: v for k, v in self.named.items() if k in names})
        for parameter in inspect.signature(self.kernel.fn).parameters.values():
            if parameter.default is not inspect.Parameter.empty:
                found.setdefault(parameter.name, parameter.default)
        return found

    def grid_numbers(self):
        grid = self.grid(self.values()) if callable(self.grid) else self.grid
        return tuple(int(g) for g in grid)


class Recorder:
    """Stands in a module for a kernel and keeps what it was launched with."""

    def __init__(self, kernel, into):
        self.kernel, self.into = kernel, into

    def __getitem__(self, grid):
        return lambda *args, **named: self.into.append(Launch(self.kernel, grid, args, named))


def load_example(folder, name):
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def is_kernel(value):
    return hasattr(value, "arg_names") and hasattr(value, "fn")


def recorded(module, function, *args, **named):
    """(launches, result) of a host function; nothing is launched."""
    launches = []
    kernels = {n: v for n, v in vars(module).items() if is_kernel(v)}
    for name, kernel in kernels.items():
        setattr(module, name, Recorder(kernel, launches))
    try:
        result = getattr(module, function)(*args, **named)
    finally:
        for name, kernel in kernels.items():
            setattr(module, name, kernel)
    return launches, result


class Ours:
    def __init__(self, session):
        self.session = session

    def bind(self, launch):
        values = launch.values()
        constants, rest = {}, []
        for parameter in launch.kernel.params:
            value = values[parameter.name]
            if not parameter.is_constexpr:
                rest.append(value)
            elif parameter.name in launch.named or parameter.num < len(launch.args):
                constants[parameter.name] = value
        options = {k: v for k, v in launch.named.items() if k in OPTIONS}
        path = inspect.getsourcefile(launch.kernel.fn)
        kernel = self.session.load(path, launch.kernel.fn.__name__, constants, options)
        return self.session.bind(kernel, launch.grid_numbers(), rest)


class Triton:
    def bind(self, launch):
        grid = launch.grid_numbers()
        launch.kernel.warmup(*launch.args, grid=grid, **launch.named)
        run, args, named = launch.kernel[grid], launch.args, launch.named
        return lambda: run(*args, **named)


def bind_all(compiler, launches):
    """One function that makes all launches."""
    bound = [compiler.bind(launch) for launch in launches]
    if len(bound) == 1:
        return bound[0]

    def run():
        for one in bound:
            one()

    return run
