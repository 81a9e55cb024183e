"""Configurations of a kernel, of which autotune chooses, and the errors where there is none to choose."""

from ..errors import CompilationError, OutOfResources, TerrazzoError

_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


class AutotunerError(TerrazzoError):
    """autotune was asked for what cannot be, or no configuration can run."""


class NoConfigurationCompiles(AutotunerError, CompilationError):
    """No configuration can run, and not only because they need too much of something."""


class NoConfigurationFits(AutotunerError, OutOfResources):
    """Each configuration needs more of something than the device has."""


class Config:
    """Values of a kernel's constexpr parameters and options of its compilation."""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state):
        self.__init__(state.get("kwargs", {}))
        self.__dict__.update(state)

    def all_kwargs(self):
        """The keywords of a launch with this configuration."""
        options = {name: getattr(self, name) for name in _OPTIONS}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def _key(self):
        return tuple(sorted((name, repr(value)) for name, value in self.all_kwargs().items())), self.pre_hook

    def __hash__(self):
        return hash(self._key())

    def __eq__(self, other):
        return isinstance(other, Config) and self._key() == other._key()

    def __str__(self):
        shown = {**self.kwargs, **{name: getattr(self, name) for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")}}
        return ", ".join(f"{name}: {value}" for name, value in shown.items())

    def __repr__(self):
        return f"Config({self})"
