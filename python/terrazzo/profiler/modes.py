"""How a session records: start(mode=...)."""

import dataclasses


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


def interpret(mode):
    """The mode that a text or an object means; None: what sessions do without."""
    if mode is None or mode == "" or isinstance(mode, PeriodicFlushing):
        return mode or None
    name, _, settings = str(mode).partition(":")
    if name != PeriodicFlushing.name:
        raise ValueError(f"mode={str(mode)!r} is not supported; there is {PeriodicFlushing.name!r}, with format=hatchet, "
                         "hatchet_msgpack or chrome_trace behind a colon")
    given = dict(one.partition("=")[::2] for one in settings.split(":") if one)
    unknown = sorted(set(given) - {"format"})
    if unknown:
        raise ValueError(f"mode={mode!r}: {name} has no setting {unknown[0]!r}; it has 'format'")
    return PeriodicFlushing(**given)
