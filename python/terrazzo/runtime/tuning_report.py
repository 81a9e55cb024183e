"""What autotune says: configurations that cannot run, warnings of the compiler, progress."""

import contextlib
import os
import sys
import warnings

from .. import knobs
from ..errors import AutotuneWarning, CompilationWarning, OutOfResources, collected_warnings
from .configurations import NoConfigurationCompiles, NoConfigurationFits

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_SHOWN = 5  # configurations that a warning names; an error names all


def _depth():
    """How far above its caller the program is, for warnings: past this package."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        depth, frame = depth + 1, frame.f_back
    return depth


def say(text):
    """On stderr, if TRITON_PRINT_AUTOTUNING asks for it."""
    if knobs.autotuning.print:
        print("autotune: " + text, file=sys.stderr)


class Progress:
    """One line on a terminal; nothing where stderr is no terminal."""

    def __init__(self, name):
        self.name = name
        self.shown = sys.stderr.isatty()

    def say(self, what, done, total):
        if self.shown:
            sys.stderr.write(f"\r\033[Kautotuning {self.name}: {what} {done}/{total}")
            sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class Report:
    """Of one kernel: which configurations cannot run, and what the compiler says of those that can."""

    def __init__(self, name):
        self.name = name
        self.failures = {}  # configuration -> why it cannot run, of the last tuning
        self._warned = set()  # configurations that a warning named
        self._notes = {}  # configuration -> what the compiler warned of

    def begin(self):
        """A tuning begins."""
        self.failures = {}

    def drop_notes(self):
        """Nobody will be told what the compiler warned of."""
        self._notes = {}

    @contextlib.contextmanager
    def noting(self, config):
        """The compiler's warnings inside are those of a configuration: told if it is chosen."""
        with collected_warnings() as texts:
            try:
                yield
            finally:
                self._notes.setdefault(config, []).extend(texts)

    def leave_out(self, config, failure):
        """The configuration cannot run; `failure`: the exception that says why."""
        self.failures[config] = failure
        say(f"skipped {config}: {failure}")

    def _told_of(self, configs, limit):
        """A line for each configuration, with its first error; those that fail alike share one."""
        alike = {}
        for config in configs:
            text = str(self.failures[config]).strip()
            alike.setdefault(text.splitlines()[0] if text else type(self.failures[config]).__name__, []).append(str(config))
        lines = [f"  {why}\n" + "\n".join(f"    of {name}" for name in names) for why, names in alike.items()]
        shown = "\n".join(lines).splitlines()
        left = sum(1 for line in shown[limit:] if line.startswith("    of"))
        more = f"\n    and {left} more (TRITON_PRINT_AUTOTUNING=1 names all)" if left else ""
        return "\n".join(shown[:limit] if left else shown) + more

    def warn(self, total):
        """Names configurations that were left out; each once."""
        new = [config for config in self.failures if config not in self._warned]
        if new:
            self._warned.update(new)
            warnings.warn(f"autotune of {self.name} goes on without {len(new)} of {total} configurations:\n"
                          + self._told_of(new, 2 * _SHOWN), AutotuneWarning, stacklevel=_depth())

    def error(self):
        """The error where all failed."""
        failures = list(self.failures.values())
        kind = NoConfigurationFits if all(isinstance(one, OutOfResources) for one in failures) else NoConfigurationCompiles
        last = failures[-1]
        where = {name: getattr(last, name, None) for name in ("file", "line", "column", "code")}
        error = kind(f"none of the {len(failures)} configurations of {self.name} can run:\n"
                     f"{self._told_of(self.failures, sys.maxsize)}\nThe last says:\n{last}", **where)
        error.__cause__ = last
        return error

    def tell_notes(self, config):
        """What the compiler warned of for the configuration that was chosen; what it said of others is dropped."""
        texts = self._notes.get(config, ())
        self.drop_notes()
        for text in texts:
            warnings.warn(text, CompilationWarning, stacklevel=_depth())
