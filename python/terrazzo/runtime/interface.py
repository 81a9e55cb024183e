"""What everything that is launched as `kernel[grid](...)` has in common."""

import abc
import functools


class KernelInterface(abc.ABC):  # noqa: B024 - register() is what it is one for
    """Subclasses have run(*args, grid, warmup, **kwargs); jit functions count as one."""

    def __getitem__(self, grid):
        return functools.partial(self.run, grid=grid, warmup=False)

    def warmup(self, *args, grid, **kwargs):
        """Compiles for such arguments and launches nothing."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError(f"{type(self).__name__} has no run()")
