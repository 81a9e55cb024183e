"""What a profile shows of where its time goes: one function a rule, which says nothing without figures that show it.

A rule gets a Profile and yields (where, share, evidence, cure). Thresholds stand at the head of each;
docs/guide/profiling.md lists them.
"""

import dataclasses

from .states import COMPUTE_METADATA_SCOPE_NAME

RULES = {}  # by name


@dataclasses.dataclass(frozen=True)
class Finding:
    """rule: its name. where: a kernel or scope. share: of all kernels' time that it concerns, 0 to 1."""

    rule: str
    where: str
    share: float
    evidence: str
    cure: str

    def text(self):
        return f"{self.where}: {self.rule} ({100 * self.share:.0f} % of kernel time)\n  shown by: {self.evidence}\n  cure: {self.cure}"


@dataclasses.dataclass
class Kernel:
    """All launches of one name.

    parts: (path, cycles, visits) of what it records of itself. samples: by line, how often each reason was found there; ""
    is all samples of the line. programs: of all launches; threads: of a program. registers, spill_bytes: of a thread of its
    code. cores: of its device. What is not known is 0.
    """

    name: str
    ns: float = 0
    count: int = 0
    bytes: float = 0
    flops: float = 0
    programs: int = 0
    threads: int = 0
    registers: int = 0
    spill_bytes: int = 0
    cores: int = 0
    parts: dict = dataclasses.field(default_factory=dict)
    samples: dict = dataclasses.field(default_factory=dict)

    @property
    def mean_us(self):
        return self.ns / self.count / 1e3


@dataclasses.dataclass
class Profile:
    """A tree, or a trace, as rules read it. Peaks: per second, of this machine, or None."""

    kernels: dict
    scopes: list  # (path, ns on the host, ns of kernels below)
    metadata_ns: float = 0
    events: list = dataclasses.field(default_factory=list)  # of a trace: its complete events
    peak_bytes: float = None
    peak_flops: float = None
    statements: object = None  # terrazzo.profiler.statements.Statements, or None

    @property
    def ns(self):
        return sum(kernel.ns for kernel in self.kernels.values())

    def hot(self, least=0.05):
        """Kernels with at least that share of the time, the largest first, with their share."""
        whole = self.ns
        found = [(kernel, kernel.ns / whole) for kernel in self.kernels.values() if whole and kernel.ns >= least * whole]
        return sorted(found, key=lambda one: -one[1])


def rule(name):
    """Decorator: a rule of that name, which gives Findings."""

    def add(function):
        RULES[name] = lambda profile: [Finding(name, *one) for one in function(profile)]
        return function

    return add


_NOT_KERNELS = ("<copy>", "<fill>")


def _computing(profile):
    return [(kernel, share) for kernel, share in profile.hot() if kernel.name not in _NOT_KERNELS]


@rule("memory bandwidth is the limit")
def _bandwidth(profile, least=0.6):
    for kernel, share in _computing(profile):
        rate = kernel.bytes / kernel.ns * 1e9
        if profile.peak_bytes and rate >= least * profile.peak_bytes:
            yield (kernel.name, share,
                   f"{rate / 1e9:.1f} GB/s, {100 * rate / profile.peak_bytes:.0f} % of this machine's {profile.peak_bytes / 1e9:.1f}",
                   "move fewer bytes: narrower types, or do what comes next in the same kernel")


@rule("the arithmetic units are the limit")
def _arithmetic(profile, least=0.6):
    for kernel, share in _computing(profile):
        rate = kernel.flops / kernel.ns * 1e9
        if profile.peak_flops and rate >= least * profile.peak_flops:
            yield (kernel.name, share,
                   f"{rate / 1e12:.2f} TFLOP/s, {100 * rate / profile.peak_flops:.0f} % of this machine's {profile.peak_flops / 1e12:.2f}",
                   "a type that the units compute faster, or fewer operations")


@rule("neither memory nor arithmetic is busy")
def _latency(profile, most=0.3, least_us=10):
    for kernel, share in _computing(profile):
        if not (profile.peak_bytes and profile.peak_flops and kernel.bytes and kernel.flops) or kernel.mean_us < least_us:
            continue
        memory, units = kernel.bytes / kernel.ns * 1e9 / profile.peak_bytes, kernel.flops / kernel.ns * 1e9 / profile.peak_flops
        if memory < most and units < most:
            yield (kernel.name, share,
                   f"{100 * memory:.0f} % of the machine's bytes a second, {100 * units:.0f} % of its operations, "
                   f"{kernel.mean_us:.1f} us a launch",
                   "more programs or warps at a time, deeper pipelines (num_stages), or larger tiles")


@rule("registers do not suffice")
def _spills(profile, least_bytes=64):
    for kernel, share in _computing(profile):
        if kernel.spill_bytes >= least_bytes:
            yield (kernel.name, share,
                   f"{kernel.spill_bytes} bytes of a thread's values are kept in memory, beside {kernel.registers} registers; "
                   f"a program has {kernel.threads} threads",
                   "more warps a program (num_warps), or smaller tiles, so that a thread holds less")


@rule("threads have little to do")
def _small_programs(profile, most_bytes=16, least_waves=64, most_share=0.6):
    for kernel, share in _computing(profile):
        if not (kernel.bytes and kernel.threads and kernel.cores and profile.peak_bytes):
            continue
        programs, each = kernel.programs / kernel.count, kernel.bytes / kernel.programs
        rate = kernel.bytes / kernel.ns * 1e9
        if each < most_bytes * kernel.threads and programs >= least_waves * kernel.cores and rate < most_share * profile.peak_bytes:
            yield (kernel.name, share,
                   f"{programs:.0f} programs of {kernel.threads} threads move {each:.0f} bytes each; "
                   f"{100 * rate / profile.peak_bytes:.0f} % of the machine's bytes a second",
                   "fewer warps a program (num_warps), or more elements a program (block sizes)")


@rule("cores have no program")
def _few_programs(profile, least_us=10):
    for kernel, share in _computing(profile):
        programs = kernel.programs / kernel.count
        if 0 < programs < kernel.cores and kernel.mean_us >= least_us:
            yield (kernel.name, share * (1 - programs / kernel.cores),
                   f"{programs:.0f} programs a launch, and the device has {kernel.cores} cores; {kernel.mean_us:.1f} us a launch",
                   "more programs: smaller tiles, or an axis that is split; else more warps a program (num_warps)")


@rule("launches are short")
def _short_launches(profile, most_us=10, least_count=20):
    for kernel, share in _computing(profile):
        if kernel.count >= least_count and kernel.mean_us < most_us:
            yield (kernel.name, share, f"{kernel.count} launches of {kernel.mean_us:.2f} us each",
                   "do more in one launch, join it with its neighbours, or record them in a graph")


@rule("one part takes most of the kernel")
def _dominant_part(profile, least=0.6):
    for kernel, share in _computing(profile):
        tops = {path: cycles for path, (cycles, _) in kernel.parts.items() if len(path) == 1}
        whole = sum(tops.values())
        if len(tops) < 2:
            continue
        path = max(tops, key=tops.get)
        cycles = tops[path]
        inside = {one: entry[0] for one, entry in kernel.parts.items() if len(one) > len(path) and one[:len(path)] == path}
        while inside:  # down to the innermost that still has most of it
            deeper = max((one for one in inside if len(one) == len(path) + 1), key=inside.get, default=None)
            if deeper is None or inside[deeper] < least * cycles:
                break
            path, cycles = deeper, inside[deeper]
        if cycles >= least * whole:
            yield (kernel.name, share * cycles / whole,
                   f"{' > '.join(path)} has {100 * cycles / whole:.0f} % of the cycles of all parts",
                   "begin there; the other parts cannot give more than the rest")


@rule("a part runs very often")
def _fine_parts(profile, most_cycles=200, least_visits=1000):
    for kernel, share in _computing(profile):
        for path, (cycles, visits) in kernel.parts.items():
            if visits >= least_visits and cycles / visits < most_cycles:
                yield (kernel.name, share, f"{' > '.join(path)}: {visits} visits of {cycles / visits:.0f} cycles",
                       "what the record itself costs is much of that: measure the loop around it")


@rule("the device waits for the host")
def _host_bound(profile, least=2.0):
    for path, host, device in profile.scopes:
        if device and host >= least * device:
            yield (" > ".join(path), device / profile.ns,
                   f"{host / 1e6:.3f} ms on the host for {device / 1e6:.3f} ms of kernels",
                   "launch fewer, larger kernels, keep arguments and shapes the same, or record a graph")


def _moving(name, what, cure, least=0.1):
    """A rule of what is no kernel."""

    @rule(f"{what} take time")
    def moving(profile):
        kernel = profile.kernels.get(name)
        if kernel and kernel.ns >= least * profile.ns:
            yield (name, kernel.ns / profile.ns, f"{kernel.count} {what}, {kernel.ns / 1e6:.3f} ms", cure)


_moving("<copy>", "copies", "keep data on the device, and copy through pinned memory while kernels run")
_moving("<fill>", "fills", "let the kernel that writes the memory first write all of it")

_LEAST_SAMPLES = 100  # of a kernel, below which shares are chance


def _place(profile, kernel, line):
    """FILE:LINE, and the statement that stands there."""
    statement = profile.statements and profile.statements.at(line, kernel.name)
    return f"{line}, {statement}" if statement else line


def _sampled(profile):
    """(kernel, its share, its samples) of kernels with enough of them."""
    for kernel, share in _computing(profile):
        count = sum(reasons.get("", 0) for reasons in kernel.samples.values())
        if count >= _LEAST_SAMPLES:
            yield kernel, share, count


@rule("one statement takes most of the kernel")
def _hot_statement(profile, least=0.5):
    for kernel, share, count in _sampled(profile):
        line = max(kernel.samples, key=lambda one: kernel.samples[one].get("", 0))
        most = kernel.samples[line].get("", 0)
        if len(kernel.samples) > 1 and most >= least * count:
            yield (kernel.name, share * most / count,
                   f"{100 * most / count:.0f} % of {count} samples are at {_place(profile, kernel, line)}",
                   "begin there; the other statements cannot give more than the rest")


def _waiting(what, names, cure, least):
    """A rule of what warps wait for: its reasons, and the share of samples from which it speaks."""

    @rule(f"warps wait for {what}")
    def waiting(profile):
        for kernel, share, count in _sampled(profile):
            by_line = {line: sum(reasons.get(name, 0) for name in names) for line, reasons in kernel.samples.items()}
            waits = sum(by_line.values())
            if waits >= least * count:
                line = max(by_line, key=by_line.get)
                yield (kernel.name, share * waits / count,
                       f"{100 * waits / count:.0f} % of {count} samples; {100 * by_line[line] / waits:.0f} % of these at "
                       f"{_place(profile, kernel, line)}", cure)


_waiting("memory", ("long_scoreboard", "lg_throttle", "drain"),
         "load earlier (num_stages), with more warps or programs at a time, and wider (a divisor or a mask that keeps loads whole)", 0.5)
_waiting("shared memory", ("short_scoreboard", "mio_throttle"),
         "see the layouts of that statement's tiles (tz view) for conflicts of banks; smaller tiles, or fewer exchanges", 0.3)
_waiting("barriers", ("barrier", "membar", "gmma_barrier"), "fewer warps a program, or fewer exchanges between them", 0.25)
_waiting("busy units", ("math_pipe_throttle", "tex_throttle"), "a cheaper operation or type there: the unit has no more to give", 0.3)
_waiting("instructions", ("no_instruction", "no_instructions", "branch_resolve"),
         "a shorter loop body: less unrolling (num_stages, static_range), fewer branches", 0.25)


@rule("what kernels say of themselves costs time")
def _metadata(profile, least=0.05):
    if profile.ns and profile.metadata_ns >= least * profile.ns:
        yield (COMPUTE_METADATA_SCOPE_NAME, profile.metadata_ns / (profile.ns + profile.metadata_ns),
               f"{profile.metadata_ns / 1e6:.3f} ms of kernels that launch_metadata starts, beside {profile.ns / 1e6:.3f} ms",
               "compute them on the host, or leave the kernels out (LaunchHook().configure)")


def _spans(profile, *kinds):
    found = [(event["ts"], event["ts"] + event["dur"], event) for event in profile.events if event.get("cat") in kinds]
    return sorted(found, key=lambda span: span[:2])


def _covered(spans):
    """The length of the union."""
    whole, reached = 0.0, float("-inf")
    for begin, end, _ in sorted(spans, key=lambda span: span[:2]):
        whole += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return whole


@rule("compilations stand between launches")
def _compilations(profile, least=0.1):
    spans = _spans(profile, "compile", "load")
    kernels = _spans(profile, "kernel")
    between = [span for span in spans if kernels and span[0] > kernels[0][0]]
    if len(between) >= 2 and kernels:
        length = kernels[-1][1] - kernels[0][0]
        took = _covered(between)
        if took >= least * length:
            yield ("compile", took / length,
                   f"{len(between)} compilations and loads after the first kernel, {took / 1e3:.3f} ms of {length / 1e3:.3f} ms",
                   "the same types, constants and alignment in each launch; do_not_specialize; warm up before")


@rule("the device is idle between kernels")
def _idle(profile, least=0.5, least_kernels=10):
    by_device = {}
    for span in _spans(profile, "kernel", "copy", "fill"):
        by_device.setdefault(span[2]["pid"], []).append(span)
    for spans in by_device.values():
        length = spans[-1][1] - spans[0][0]
        nothing = length - _covered(spans)
        if len(spans) >= least_kernels and nothing >= least * length:
            yield (f"device of {spans[0][2]['name']}", 1 - nothing / length,
                   f"{nothing / 1e3:.3f} ms of {length / 1e3:.3f} ms without a kernel, between {len(spans)} of them",
                   "the host is behind: see its rows of the trace for what it does in the gaps")


@rule("waiting stands between launches")
def _synchronizations(profile, least=0.3, least_count=5):
    spans = _spans(profile, "sync")
    kernels = _spans(profile, "kernel")
    inside = [span for span in spans if kernels and kernels[0][0] < span[0] < kernels[-1][0]]
    if len(inside) >= max(least_count, least * len(kernels)):
        yield ("sync", _covered(inside) / (kernels[-1][1] - kernels[0][0]),
               f"{len(inside)} waits for the device between {len(kernels)} kernels",
               "wait once, behind the last launch whose result the host reads")


@rule("programs differ in length")
def _uneven_programs(profile, least=2.0, least_programs=4):
    names = {event["args"].get("launch"): event["name"] for _, _, event in _spans(profile, "kernel")}
    by_launch = {}
    for begin, end, event in _spans(profile, "part"):
        row = by_launch.setdefault(event["args"]["launch"], {}).setdefault(event["tid"], [begin, end])
        row[0], row[1] = min(row[0], begin), max(row[1], end)
    told = set()
    for launch, rows in by_launch.items():
        name = names.get(launch, f"launch {launch}")
        lengths = sorted(end - begin for begin, end in rows.values())
        middle = lengths[len(lengths) // 2]
        if name not in told and len(lengths) >= least_programs and middle and lengths[-1] >= least * middle:
            told.add(name)
            yield (name, 1 - middle / lengths[-1],
                   f"the longest of {len(lengths)} rows takes {lengths[-1]:.3f} us, the middle one {middle:.3f} us",
                   "give each program as much work, or start the long ones first")
