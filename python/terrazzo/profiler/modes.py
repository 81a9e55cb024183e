"""How a session records: start(mode=...)."""

import dataclasses
import enum


class Choice(enum.Enum):
    """A setting of a mode with few values; str() is the text that modes are written with."""

    def __str__(self):
        return self.value


MetricType = Choice("MetricType", {"CYCLE": "cycle"})
BufferStrategy = Choice("BufferStrategy", {"CIRCULAR": "circular", "FLUSH": "flush"})
BufferType = Choice("BufferType", {"SHARED": "shared", "GLOBAL": "global"})
SamplingStrategy = Choice("SamplingStrategy", {"NONE": "none", "SELECTIVE": "selective"})
Granularity = Choice("Granularity", {name.upper(): name for name in (
    "cta", "warp", "warp_2", "warp_4", "warp_8", "warp_group", "warp_group_2", "warp_group_4", "warp_group_8")})
Optimize = Choice("Optimize", {"TIMESHIFT": "time_shift", "SCHED_STORES": "sched_stores", "SCHED_BARRIERS": "sched_barriers",
                               "CLOCK32": "clock32"})

metric_types = {one.value: one for one in MetricType}
buffer_strategies = {one.value: one for one in BufferStrategy}
buffer_types = {one.value: one for one in BufferType}
sampling_strategies = {one.value: one for one in SamplingStrategy}
granularities = {one.value: one for one in Granularity}
optimizations = {one.value: one for one in Optimize}

PARTS = ("scopes", "loops", "dots", "operations")


@dataclasses.dataclass(frozen=True)
class BaseMode:
    """One way, with its settings; str() gives it as a text, which start() takes as well."""

    name: str


@dataclasses.dataclass(frozen=True)
class PeriodicFlushing(BaseMode):
    """Each phase is written when the next one begins, as NAME.part_N.FORMAT, and forgotten."""

    name: str = dataclasses.field(default="periodic_flushing", init=False)
    format: str = "hatchet"

    def __str__(self):
        return f"{self.name}:format={self.format}"


@dataclasses.dataclass(frozen=True)
class PCSampling(BaseMode):
    """Instructions of kernels are sampled: each core's every `interval` cycles, rounded to what the device can.

    A GPU's buffer must hold what its driver has not read yet: at 512 cycles that of an H200 is full after a twelfth of a
    second. At the usual interval there are a fifth of the samples that its driver reads in the same time.
    """

    name: str = dataclasses.field(default="pcsampling", init=False)
    interval: int = 65536

    def __post_init__(self):
        if self.interval <= 0:
            raise ValueError("Interval must be a positive integer.")

    def __str__(self):
        return f"{self.name}:interval={self.interval}"


def _chosen(what, value, known):
    if not isinstance(value, str):
        return value
    if value not in known:
        raise ValueError(f"Unknown {what}: {value}")
    return known[value]


@dataclasses.dataclass(frozen=True)
class InstrumentationMode(BaseMode):
    """start(backend="instrumentation"): parts of kernels. Settings take their texts, too.

    parts: whose begin and end is recorded, a comma list of `scopes` (of the source), `loops`, `dots`, `operations`.
    sampling_options: with sampling_strategy="selective" the numbers of the warps that record, by commas. Each has a ring
    of its own; the other settings change nothing.
    """

    metric_type: MetricType = MetricType.CYCLE
    sampling_strategy: SamplingStrategy = SamplingStrategy.NONE
    sampling_options: str = ""
    granularity: Granularity = Granularity.WARP
    buffer_strategy: BufferStrategy = BufferStrategy.CIRCULAR
    buffer_type: BufferType = BufferType.SHARED
    buffer_size: int = 0
    optimizations: list = dataclasses.field(default_factory=list)
    parts: str = "scopes"

    def __post_init__(self):
        for what, known in (("metric_type", metric_types), ("sampling_strategy", sampling_strategies), ("granularity", granularities),
                            ("buffer_strategy", buffer_strategies), ("buffer_type", buffer_types)):
            object.__setattr__(self, what, _chosen(what, getattr(self, what), known))
        if isinstance(self.optimizations, str):
            named = [one.strip() for one in self.optimizations.split(",") if one.strip()]
            object.__setattr__(self, "optimizations", [_chosen("optimization", one, optimizations) for one in named])
        for one in self.part_list:
            _chosen("part", one, dict.fromkeys(PARTS))

        if self.sampling_strategy is SamplingStrategy.SELECTIVE and not self.warp_list:
            raise ValueError("sampling_strategy='selective' needs sampling_options: the numbers of warps, by commas")

    @property
    def warp_list(self):
        """The warps that record; empty: all."""
        if self.sampling_strategy is not SamplingStrategy.SELECTIVE:
            return []
        named = [one.strip() for one in self.sampling_options.split(",") if one.strip()]
        wrong = [one for one in named if not (one.isdigit() and int(one) < 64)]
        if wrong:
            raise ValueError(f"sampling_options: {wrong[0]!r} is no number of a warp, from 0 to 63")
        return [int(one) for one in named]

    @property
    def part_list(self):
        """Of `parts`, each name once."""
        return list(dict.fromkeys(one.strip() for one in self.parts.split(",") if one.strip()))

    def __str__(self):
        return (f"{self.name}:metric_type={self.metric_type}:sampling_strategy={self.sampling_strategy}"
                f":sampling_options={self.sampling_options}:granularity={self.granularity}:buffer_strategy={self.buffer_strategy}"
                f":buffer_type={self.buffer_type}:buffer_size={self.buffer_size}"
                f":optimizations={','.join(str(one) for one in self.optimizations)}:parts={self.parts}")


@dataclasses.dataclass(frozen=True)
class Default(InstrumentationMode):
    """The scopes of the source."""

    name: str = dataclasses.field(default="default", init=False)


@dataclasses.dataclass(frozen=True)
class MMA(InstrumentationMode):
    """Each product of matrices, beside the scopes of the source."""

    name: str = dataclasses.field(default="mma", init=False)
    parts: str = "scopes,dots"


_INSTRUMENTATION = {"default": Default, "mma": MMA}


def _settings(mode):
    """Name and settings of a text "name:setting=value:..."."""
    name, *settings = str(mode).split(":")
    given = {}
    for one in settings:
        if not one:
            continue
        if "=" not in one:
            raise ValueError(f"mode={mode!r}: {one!r} is no setting; a setting is NAME=VALUE")
        key, _, value = one.partition("=")
        given[key] = int(value) if key in ("buffer_size", "interval") and value.lstrip("-").isdigit() else value
    return name, given


def _made(kind, mode, given):
    known = [one.name for one in dataclasses.fields(kind) if one.init]
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise ValueError(f"mode={mode!r}: {kind.name} has no setting {unknown[0]!r}; it has {', '.join(repr(one) for one in known)}")
    return kind(**given)


def interpret_instrumentation(mode):
    """The mode of a session with backend="instrumentation" that a text or an object means."""
    if isinstance(mode, InstrumentationMode):
        return mode
    name, given = _settings(mode or "default")
    if isinstance(mode, BaseMode) or name not in _INSTRUMENTATION:
        raise ValueError(f"Unknown mode: {mode}; with backend='instrumentation' there is 'default' and 'mma'")
    return _made(_INSTRUMENTATION[name], mode, given)


def interpret(mode):
    """The mode that a text or an object means; None: what sessions do without."""
    if mode is None or mode == "" or isinstance(mode, (PeriodicFlushing, PCSampling)):
        return mode or None
    name, given = _settings(mode)
    if name in _INSTRUMENTATION:
        raise ValueError(f"mode={str(mode)!r} is of sessions with backend='instrumentation'")
    kinds = {one.name: one for one in (PeriodicFlushing, PCSampling)}
    if name not in kinds:
        raise ValueError(f"mode={str(mode)!r} is not supported; there is {PeriodicFlushing.name!r}, with format=hatchet, "
                         "hatchet_msgpack or chrome_trace behind a colon, and 'pcsampling', with interval=CYCLES")
    if not isinstance(given.get("interval", 1), int):
        raise ValueError(f"mode={str(mode)!r}: interval is a number of cycles")
    return _made(kinds[name], mode, given)
