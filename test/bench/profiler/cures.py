"""Changes of a recorded launch that a rule's cure names: other options, other tiles with the grid that belongs to them, hints.

A record is a launch as ../race/race.py writes it. A change is a name and the record that has it. Whether it gives what the
launch gave is not known here: who tries one compares the results.
"""

import copy
import itertools
import re

WARPS, STAGES = 4, 3  # of a launch that says nothing
MOST_WARPS = 32
_TILE = re.compile(r"(?i:block|tile)|^B[A-Z]{1,2}$")
_FORMAT = re.compile(r"(?i:head|group|vocab|scale|hidden|stride)")  # what such a number counts is given by the data

# What each rule's cure names. Rules that are not here name nothing that a launch could have otherwise.
OF_RULES = {
    "registers do not suffice": ("more warps", "smaller tiles"),
    "threads have little to do": ("fewer warps", "larger tiles"),
    "cores have no program": ("smaller tiles", "more warps"),
    "neither memory nor arithmetic is busy": ("more warps", "stages", "larger tiles"),
    "launches are short": ("fewer warps", "more warps"),
    "warps wait for memory": ("hints", "stages", "more warps", "larger tiles"),
    "warps wait for shared memory": ("smaller tiles", "fewer warps"),
    "warps wait for barriers": ("fewer warps",),
    "warps wait for instructions": ("fewer stages", "smaller tiles"),
}


def _with_options(record, **options):
    made = copy.copy(record)
    made["options"] = {**record["options"], **options}
    return made


def _warps(record):
    return record["options"].get("num_warps") or WARPS


def more_warps(record):
    for factor in (2, 4, 8):
        if _warps(record) * factor <= MOST_WARPS:
            yield f"num_warps={_warps(record) * factor}", _with_options(record, num_warps=_warps(record) * factor)


def fewer_warps(record):
    for factor in (2, 4, 8):
        if _warps(record) >= factor:
            yield f"num_warps={_warps(record) // factor}", _with_options(record, num_warps=_warps(record) // factor)


def _staged(record, wanted):
    now = record["options"].get("num_stages") or STAGES
    if any(re.search(r"\b(for|while)\b", line) for line in record["functions"][0]["source"]):
        for stages in wanted(now):
            yield f"num_stages={stages}", _with_options(record, num_stages=stages)


def stages(record):
    return _staged(record, lambda now: (now + 1, now + 2))


def fewer_stages(record):
    return _staged(record, lambda now: range(1, min(now, 3)))


def hints(record):
    """Integers that divide by 16, of which the kernel's author had it that nothing is known."""
    wanted = ("do_not_specialize", "do_not_specialize_on_alignment")
    options = record["functions"][0].get("options") or {}
    if any(options.get(one) for one in wanted):
        made = copy.deepcopy(record)
        for one in wanted:
            made["functions"][0]["options"].pop(one, None)
        yield "specialize integers", made


def _tensors(told):
    (what, content), *_ = told.items()
    if what == "tensor":
        yield content
    elif what in ("descriptor", "reinterpreted"):
        yield from _tensors(content["base"])
    elif what == "items":
        for item in content:
            yield from _tensors(item)


def _lengths(record):
    """What a grid may have been divided from: integers, and extents of arrays alone and multiplied."""
    found = set()
    for told in record["arguments"].values():
        value = told.get("constant")
        if isinstance(value, int) and not isinstance(value, bool):
            found.add(value)
        for tensor in _tensors(told):
            for first, last in itertools.combinations(range(len(tensor["shape"]) + 1), 2):
                product = 1
                for extent in tensor["shape"][first:last]:
                    product *= extent
                found.add(product)
    return found


def _tiled(record, factors):
    lengths = _lengths(record)
    for name, told in record["arguments"].items():
        value = told.get("constant")
        if not (_TILE.search(name) and not _FORMAT.search(name) and isinstance(value, int) and not isinstance(value, bool) and value >= 2 and value & (value - 1) == 0):
            continue
        axes = [(axis, max(fitting)) for axis, extent in enumerate(record["grid"]) if extent > 1
                for fitting in [[one for one in lengths if one > value and -(-one // value) == extent]] if fitting]
        for factor in factors:
            tile = int(value * factor)
            if not 1 <= tile <= 1 << 17:
                continue
            made = copy.copy(record)
            made["arguments"] = {**record["arguments"], name: {"constant": tile}}
            if not axes:  # a loop of the kernel goes over it, or the change is none
                yield f"{name}={tile}", made
            for axis, length in axes:
                one = copy.copy(made)
                one["grid"] = [-(-length // tile) if at == axis else extent for at, extent in enumerate(record["grid"])]
                yield f"{name}={tile}, grid {one['grid']}", one


def smaller_tiles(record):
    return _tiled(record, (1 / 2, 1 / 4))


def larger_tiles(record):
    return _tiled(record, (2, 4))


_MAKERS = {"more warps": more_warps, "fewer warps": fewer_warps, "stages": stages, "fewer stages": fewer_stages, "hints": hints,
           "smaller tiles": smaller_tiles, "larger tiles": larger_tiles}


def changes(record, rule):
    """(name, record) of each change that the rule's cure names, the likeliest first."""
    for what in OF_RULES.get(rule, ()):
        yield from _MAKERS[what](record)


def given(record, text):
    """A change as a command line names it: num_warps=8,BLOCK=1024,grid=64x1x1. Names of arguments are constants, others options."""
    made, options = copy.copy(record), {}
    made["arguments"] = dict(record["arguments"])
    for one in text.split(","):
        name, _, value = one.partition("=")
        if name == "grid":
            made["grid"] = [int(extent) for extent in value.split("x")]
        elif name in made["arguments"]:
            made["arguments"][name] = {"constant": int(value)}
        else:
            options[name] = int(value)
    return _with_options(made, **options)
