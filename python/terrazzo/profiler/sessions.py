"""Sessions of profiling: which launches and scopes they hear of, and the files that they write."""

import atexit
import functools
import itertools
import threading
import warnings

from .. import _native, knobs
from ..errors import TerrazzoError
from . import modes
from .flags import flags
from .hooks import Hook, HookManager, InstrumentationHook, LaunchHook, frames_hook, lines_hook

DEFAULT_PROFILE_NAME = "proton"
FORMATS = {"tree": ("hatchet", "hatchet_msgpack"), "trace": ("chrome_trace",)}  # the first is the usual one
CONTEXTS = ("shadow", "python")
EVENTS = ("all", "kernels")
# Who times kernels is the plugin of the device that runs them; "instrumentation" times their parts, too.
BACKENDS = (None, "cupti", "roctracer", "instrumentation")

_numbers = itertools.count()
_sessions = {}  # by number
_lock = threading.RLock()
_at_exit = []


class Session:
    """One that was started."""

    def __init__(self, name, data, mode, hooks, profile, events):
        self.name, self.data, self.mode, self.hooks, self.profile = name, data, mode, hooks, profile
        self.events = events

    def check_format(self, output_format):
        """The format, or the usual one; ValueError: it has no such one."""
        if output_format and output_format not in FORMATS[self.data]:
            raise ValueError(f"output_format={output_format!r} is not supported for {self.name!r}; there is "
                             f"{', '.join(repr(one) for one in FORMATS[self.data])}")
        return output_format or FORMATS[self.data][0]

    def flush(self):
        """Waits for what devices have to say, and warns of what they do not."""
        self.profile.flush()
        note = self.profile.note()
        if note:
            warnings.warn(f"profile {self.name!r}: {note.strip()}", RuntimeWarning, stacklevel=4)

    def advance(self):
        """Begins a phase, and gives its number."""
        ended = self.profile.phase()
        if self.mode is None:
            return self.profile.advance()
        self.flush()
        made = self.profile.advance()
        self.write_part(ended, self.mode.format)
        self.profile.clear(ended, ended)
        return made

    def write_part(self, phase, output_format):
        """One of several files."""
        self.write(phase, output_format, f"{self.name}.part_{phase}.{output_format}")

    def write(self, phase, output_format, path):
        """One file. A trace with kernels alone is one of Chrome's, too."""
        kernels = self.events == "kernels" and output_format == "chrome_trace"
        self.profile.write(phase, "kernel_trace" if kernels else output_format, path)

    def finish(self, output_format):
        """Writes what there is: NAME.FORMAT, or a file for each phase."""
        output_format = self.check_format(output_format or (self.mode.format if self.mode else ""))
        self.flush()
        last = self.profile.phase()
        if last == 0:
            self.write(0, output_format, f"{self.name}.{output_format}")
        else:
            for phase in range(last if self.mode else 0, last + 1):
                self.write_part(phase, output_format)


def _hooks_of(context, hook, parts, samples):
    found = [frames_hook] if context == "python" else []
    if samples:
        found.append(lines_hook)
    if parts is not None:
        found.append(InstrumentationHook(parts))
    if hook == "triton":
        found.append(LaunchHook())
    elif isinstance(hook, Hook):
        found.append(hook)
    return found


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None, events="kernels"):
    """Begins a session, and gives its number. None: profiling is turned off, or the command line has its own session.

    name: of the file, without its ending. context: "shadow", launches are counted by scopes; "python", by the frames of
    the program below them, too. data: "tree", sums by scope and kernel; "trace", each launch and scope with its begin
    and end. hook="triton": kernels tell their launch_metadata; or a Hook of the program. backend="instrumentation":
    kernels record their own parts, as `mode` says ("default", "mma", or an object of terrazzo.profiler.modes), and what
    other libraries launch is not told. With mode="pcsampling:interval=CYCLES" instructions of kernels are sampled, and
    their lines are nodes of the tree. events: what a trace has; "kernels", kernels alone, or, where they record their
    parts, these alone; "all", scopes and what the host did, too.
    """
    for what, value, allowed in (("context", context, CONTEXTS), ("data", data, tuple(FORMATS)), ("backend", backend, BACKENDS),
                                 ("events", events, EVENTS)):
        if value not in allowed:
            raise ValueError(f"{what}={value!r} is not supported; there is {', '.join(repr(v) for v in allowed)}")
    if hook not in (None, "", "triton") and not isinstance(hook, Hook):
        raise ValueError(f"hook={hook!r} is not supported; there is None, 'triton', and objects of triton.profiler.hooks.Hook")
    mode, parts = interpret_mode(backend, mode)
    if knobs.proton.disable or flags.command_line:
        return None
    return begin(DEFAULT_PROFILE_NAME if name is None else str(name), context, data, mode, hook, parts, events)


def interpret_mode(backend, mode):
    """The mode of the session, and that of the records inside of its kernels, each or None."""
    if backend == "instrumentation":
        return None, modes.interpret_instrumentation(mode)
    return modes.interpret(mode), None


def begin(name, context, data, mode, hook, parts=None, events="all"):
    """start(), with what it has checked."""
    samples = isinstance(mode, modes.PCSampling)
    if samples and data != "tree":
        raise ValueError("mode='pcsampling': samples need data='tree'")
    interval, mode = (mode.interval, None) if samples else (0, mode)
    if mode is not None and mode.format not in FORMATS[data]:
        raise ValueError(f"mode={str(mode)!r}: a {data} has no such format; it has {', '.join(FORMATS[data])}")
    try:
        _native.describe_device()  # its records begin now, with kernels of other libraries
    except TerrazzoError:
        pass  # there is none; a launch will say why
    with _lock:
        number = next(_numbers)
        profile = _native.Profile(data == "trace", context == "python", knobs.proton.enable_nvtx, parts is not None,
                                  knobs.proton.max_records or 0, interval)
        made = _sessions[number] = Session(name, data, mode, _hooks_of(context, hook, parts, samples), profile, events)
        flags.profiling_on = True
        for one in made.hooks:
            HookManager.register(one, number)
        if not _at_exit:
            _at_exit.append(atexit.register(finalize))  # of a program that ends early what there is
    return number


def find(session):
    """The session of that number."""
    if session not in _sessions:
        raise ValueError(f"Session has not been initialized: {session}; start() gives the numbers of those that there are")
    return _sessions[session]


def _chosen(session):
    return dict(_sessions) if session is None else {session: find(session)}


def activate(session=None):
    """Launches are counted again, in one session or all."""
    with _lock:
        for one in _chosen(session).values():
            one.profile.resume()
        HookManager.activate(session)


def deactivate(session=None, flushing=False):
    """Launches are not counted, until activate. Waits for those that were made; flushing: raises what devices could not say."""
    with _lock:
        chosen = _chosen(session)
        HookManager.deactivate(session)
        for one in chosen.values():
            one.profile.pause()
    if flushing:
        for one in chosen.values():
            one.flush()


def finalize(session=None, output_format=""):
    """Ends a session, or all, and writes NAME.hatchet, of a trace NAME.chrome_trace; of several phases NAME.part_N."""
    with _lock:
        ending = _chosen(session)
        for one in ending.values():
            one.check_format(output_format)
        for number in ending:
            HookManager.unregister(number)
            del _sessions[number]
        if session is None:
            HookManager.unregister()
        flags.profiling_on = bool(_sessions)
    failed = None
    for one in ending.values():
        try:
            one.finish(output_format)
        except TerrazzoError as error:
            failed = failed or error  # the others are written all the same
        finally:
            one.profile.close()
    if failed is not None:
        raise failed


def profile(func=None, *, name=None, **options):
    """Decorator: a session for each call of the function, whose file is written also if the call raises."""
    if func is None:
        return functools.partial(profile, name=name, **options)

    @functools.wraps(func)
    def run(*args, **kwargs):
        number = start(name, **options)
        try:
            return func(*args, **kwargs)
        finally:
            if number is not None:
                finalize(number)

    return run
