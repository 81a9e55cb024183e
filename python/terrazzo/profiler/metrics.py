"""Metrics of scopes and launches: numbers, texts, lists of numbers, and arrays of any framework that hold them."""

from .. import _native

_PLAIN = (int, float, str, list, tuple)


def plain(name, value):
    """The value as Python's own. An array is read, which waits for its device; one element is a number."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, _PLAIN):
        return value
    if hasattr(value, "tolist"):
        made = value.tolist()
        if isinstance(made, list) and len(made) == 1:
            made = made[0]
        if not isinstance(made, list) or not any(isinstance(one, list) for one in made):
            return made
        raise TypeError(f"metric {name!r} has {getattr(value, 'ndim', 'several')} dimensions; a metric has at most one")
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"metric {name!r} is of type {type(value).__name__}; expected a number, a text, a list of numbers "
                    "or an array of them")


def add(metrics):
    """Adds each to this thread's innermost scope, or to its next launch."""
    for name, value in (metrics or {}).items():
        _native.profile_add_metric(name, plain(name, value))
