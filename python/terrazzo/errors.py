"""Exceptions of compiling and launching.

Each says what went wrong in its text, as the compiler prints it (file:line:col,
the source line, a caret), and in its attributes, for programs.
"""

import contextlib
import re
import threading
import warnings


class TerrazzoError(Exception):
    """What Terrazzo raises.

    file, line, column: where in the kernel's source, or None.
    code: the status code's name ("TZ_E_INVALID_ARGUMENT"), or None.
    """

    def __init__(self, message="", *, file=None, line=None, column=None, code=None):
        super().__init__(message)
        self.file, self.line, self.column, self.code = file, line, column, code


class CompilationError(TerrazzoError):
    """The kernel's source is wrong, or asks for what the target cannot do."""


class CompileTimeAssertionFailure(CompilationError):
    """A tl.static_assert failed."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that is not part of the kernel language."""


class OutOfResources(TerrazzoError):
    """The kernel needs more of something than the device has.

    required, limit: how much; name: of what ("shared memory").
    """

    def __init__(self, message="", required=None, limit=None, name=None, **where):
        super().__init__(message, **where)
        self.required, self.limit, self.name = required, limit, name

    def __reduce__(self):
        return (type(self), (str(self), self.required, self.limit, self.name))


class UnknownOption(CompilationError, KeyError):
    """A launch option that neither the language nor the target has."""

    __str__ = Exception.__str__


class ArgumentError(TerrazzoError, TypeError, ValueError):
    """An argument of a launch is of a type or value that the kernel cannot take."""


def of_argument(kernel, argument, error):
    """`error`, or what is raised instead, with the argument that it is about.

    Exceptions of frameworks stay what they are; the argument is in a note (Python 3.11 and later print it).
    """
    about = f"argument '{argument}' of kernel '{kernel}'"
    if isinstance(error, ArgumentError):
        return error if str(error).startswith("argument '") else ArgumentError(f"{about}: {error}")
    if isinstance(error, Exception) and hasattr(error, "add_note"):
        error.add_note(about)
    return error


class LaunchError(TerrazzoError, RuntimeError):
    """The launch was refused, or failed."""


class KernelFault(LaunchError):
    """A kernel on the CPU read or wrote where it must not, or trapped otherwise.

    program: the ids of the program, as (x, y, z). The process goes on, but what the kernel wrote before may have
    damaged memory of others: see docs/guide/debugging.md.
    """

    program = None


class ChangedGlobal(TerrazzoError, RuntimeError):
    """A value that a kernel was compiled with is another now."""


class DeviceAssertionError(TerrazzoError, AssertionError):
    """A tl.device_assert failed in a kernel that ran."""


class InterpreterError(LaunchError):
    """The interpreter found a mistake in a kernel that it ran: an access out of bounds, a race, a broken promise."""


class CompilationWarning(UserWarning):
    """The compiler took the kernel, with a doubt."""


class AutotuneWarning(UserWarning):
    """autotune left configurations out: they do not compile, or do not fit the device."""


_collecting = threading.local()


def warn_of_compilation(text):
    """Called by the extension for each warning of the compiler."""
    texts = getattr(_collecting, "texts", None)
    if texts is None:
        warnings.warn(text, CompilationWarning, stacklevel=2)
    else:
        texts.append(text)


@contextlib.contextmanager
def collected_warnings():
    """What the compiler warns of inside, on this thread, goes into the list that this gives."""
    before = getattr(_collecting, "texts", None)
    _collecting.texts = []
    try:
        yield _collecting.texts
    finally:
        _collecting.texts = before


class ArrayWarning(UserWarning):
    """A kernel may misread an array: it has gaps that the kernel seems not to know of."""


class KnobWarning(UserWarning):
    """A setting was given that changes nothing here."""


_PLACE = r"(?m)^(.+?):(\d+):(\d+): error: (.*)$"
# "the kernel needs 1056768 bytes of shared memory, a block of this target has 232448"
_EXHAUSTED = r"(?s)needs (\d+) bytes of (shared memory)\b.*? has (\d+)"
_PROGRAM = r"in program \((\d+), (\d+), (\d+)\)"


def _class_of(code, message):
    if code == "TZ_E_ASSERTION":
        return DeviceAssertionError
    if code == "TZ_E_FAULT":
        return KernelFault
    if message.startswith("interp"):
        return InterpreterError
    if code == "TZ_E_RESOURCE_LIMIT":
        return OutOfResources
    if code in ("TZ_E_DEVICE_LOST", "TZ_E_UNAVAILABLE", "TZ_E_FAILED_PRECONDITION", "TZ_E_OUT_OF_MEMORY",
                "TZ_E_CANCELLED", "TZ_E_OUT_OF_RANGE", "TZ_E_NOT_FOUND"):
        return LaunchError
    if "unknown option '" in message:
        return UnknownOption
    if "static_assert" in message or "static assertion" in message:
        return CompileTimeAssertionFailure
    return CompilationError


def from_status(code, name, message, file, line, diagnostics):
    """The exception for a status of the library; `diagnostics`: what was printed."""
    where = {"file": file, "line": int(line) if line else None, "code": name}
    found = re.search(_PLACE, diagnostics)
    if found:
        where.update(file=found[1], line=int(found[2]), column=int(found[3]))
    text = diagnostics.rstrip() or message
    kind = _class_of(name, text)
    if name == "TZ_E_INVALID_ARGUMENT" and not diagnostics:
        kind = ArgumentError
    if kind is KernelFault:
        fault = KernelFault(text, **where)
        found = re.search(_PROGRAM, text)
        fault.program = tuple(map(int, found.groups())) if found else None
        return fault
    if kind is OutOfResources:
        found = re.search(_EXHAUSTED, text)
        required, name, limit = found.groups() if found else (None, None, None)
        return OutOfResources(text, required and int(required), limit and int(limit), name, **where)
    return kind(text, **where)
