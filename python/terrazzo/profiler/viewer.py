"""Shows a profile in the terminal: python -m terrazzo.triton.profiler.viewer -m time/ms,time/% run.hatchet

A scope's numbers are the sums of all that was launched in it. What is divided
(a mean, a rate, a share) is divided after summing.
"""

import argparse
import importlib
import json
import re
import sys

from .states import COMPUTE_METADATA_SCOPE_NAME
from .statements import Statements

FORMAT_VERSION = 1  # of files that this one reads

_TIMES = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_SCALES = {"": 1.0, "g": 1e9, "t": 1e12}
_RATE = re.compile(r"(?P<scale>[gt]?)(?P<what>flop|byte)(?P<width>8|16|32|64)?/s")
_TIME = re.compile(r"(?P<clock>time|avg_time|cpu_time|avg_cpu_time)/(?P<unit>s|ms|us|ns)")
_SPANS = {"cpu_time (ns)", "cycles", "steps", "normalized_cycles", "normalized_steps", "visits"}
# A frame of the program: FOLDER/FILE:LINE@FUNCTION. Of each format the text that a frame is shown as.
_FRAME = re.compile(r"(?:.*/)?(?P<file>[^/]+):(?P<line>\d+)@(?P<function>.+)")
_FORMATS = {"full": None, "file_function_line": r"\g<file>:\g<line>@\g<function>", "function_line": r"\g<line>@\g<function>",
            "file_function": r"\g<file>@\g<function>"}
_FLOPS = ("flops", "flops8", "flops16", "flops32", "flops64")


class Node:
    """A scope or kernel; `sums`: its numbers and those of all below. `base`: what it is compared with."""

    def __init__(self, name, sums, children, base=None):
        self.name, self.sums, self.children, self.base = name, sums, children, base

    def with_children(self, children):
        return Node(self.name, self.sums, children, self.base)

    @staticmethod
    def read(frame):
        # Launches that only compute what others say of themselves are nobody's work.
        children = [Node.read(child) for child in frame["children"] if child["frame"]["name"] != COMPUTE_METADATA_SCOPE_NAME]
        sums = {name: number for name, number in frame["metrics"].items() if isinstance(number, (int, float))}
        spans = _SPANS.intersection(sums)  # they are those of the scopes and parts in it, too
        for child in children:
            _add(sums, {name: number for name, number in child.sums.items() if name not in spans})
        return Node(frame["frame"]["name"], sums, children)

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


class MetricError(ValueError):
    """The profile has no such metric."""


def _divided(number, by):
    return None if number is None or not by else number / by


def metric(name, root):
    """The function from a node to its number, or None where it has none; MetricError if the profile has none at all."""
    if name.endswith("/%"):
        inner = name[:-2]
        of = metric(inner if inner in root.sums else inner + "/ns", root)
        whole = of(root)
        return lambda node: _divided(None if of(node) is None else 100 * of(node), whole)
    time, rate = _TIME.fullmatch(name), _RATE.fullmatch(name)
    if time:
        key, unit = f"{time['clock'].removeprefix('avg_')} (ns)", _TIMES[time["unit"]]
        needed = [key]

        def value(node):
            number = _divided(node.sums.get(key), unit)
            return _divided(number, node.sums.get("count")) if time["clock"].startswith("avg_") else number
    elif rate:
        needed = ["bytes"] if rate["what"] == "byte" else [f"flops{rate['width']}"] if rate["width"] else list(_FLOPS)

        def value(node):
            found = [node.sums[key] for key in needed if key in node.sums]
            per_second = _divided(sum(found) if found else None, node.sums.get("time (ns)"))
            return None if per_second is None else per_second * 1e9 / _SCALES[rate["scale"]]
    else:
        needed = [name]

        def value(node):
            return node.sums.get(name)
    if not any(key in root.sums for key in needed):
        raise MetricError(f"the profile has no {name!r}; it has {', '.join(available(root))}")
    return value


def available(root):
    """The metrics that a profile has, as they are asked for."""
    names = []
    for key in sorted(root.sums):
        if key in ("time (ns)", "cpu_time (ns)"):
            clock = key.partition(" ")[0]
            clocks = ("time", "avg_time") if clock == "time" else (clock,)
            names += [f"{one}/{unit}" for one in clocks for unit in _TIMES] + [f"{clock}/%"]
        else:
            names.append(key)
    if "time (ns)" in root.sums:
        kinds = ["byte"] if "bytes" in root.sums else []
        kinds += [f"flop{key[5:]}" for key in _FLOPS if key in root.sums]
        names += [f"{scale}{kind}/s" for kind in kinds for scale in _SCALES]
    return names


def _part(node, wanted):
    """The nodes that are wanted, with what leads to them; None: there are none."""
    children = [kept for kept in (_part(child, wanted) for child in node.children) if kept]
    return node.with_children(children) if children or wanted(node) else None


def _including(node, pattern):
    """The paths through nodes that match, with all below them."""
    if pattern.search(node.name):
        return node
    children = [kept for kept in (_including(child, pattern) for child in node.children) if kept]
    return node.with_children(children) if children else None


def _excluding(node, pattern):
    return node.with_children([_excluding(child, pattern) for child in node.children if not pattern.search(child.name)])


def chosen(root, include=None, exclude=None, threshold=0.0, of=None):
    """The part of a tree to show; numbers stay those of the whole. threshold: per cent of the root's `of`."""
    nothing = root.with_children([])
    if exclude:
        root = _excluding(root, re.compile(exclude))
    if include:
        root = _including(root, re.compile(include)) or nothing
    if threshold:
        least = abs(of(root) or 0) * threshold / 100
        root = _part(root, lambda node: abs(of(node) or 0) >= least) or nothing
    return root


def _text(number):
    if number is None:
        return "-"
    return str(number) if isinstance(number, int) else f"{number:.3f}"


def _table(rows, names):
    """Rows of (numbers, text): the numbers in columns to the right, as wide as they must be."""
    cells = [list(names)] + [[_text(number) for number in numbers] for numbers, _ in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    for row, text in zip(cells, ["", *(text for _, text in rows)]):
        yield ("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) + "  " + text).rstrip()


def _with_statements(node, statements):
    """Behind each line that has samples what stands there."""
    place, _, kernel = node.name.rpartition("@")
    statement = statements.at(place, kernel) if "num_samples" in node.sums and not node.children else None
    return Node(f"{node.name}  {statement}" if statement else node.name, node.sums,
                [_with_statements(child, statements) for child in node.children], node.base)


def _renamed(node, text):
    name, gap, statement = node.name.partition("  ")
    frame = _FRAME.fullmatch(name)
    return Node(frame.expand(text) + gap + statement if frame else node.name, node.sums,
                [_renamed(child, text) for child in node.children], node.base)


def _tree_rows(node, metrics, depth, first="", rest=""):
    yield [of(node) for of in metrics], first + node.name
    if depth == 0:
        return
    key = metrics[0]
    children = sorted(node.children, key=lambda child: -(key(child) or 0))
    for child in children:
        is_last = child is children[-1]
        yield from _tree_rows(child, metrics, depth - 1, rest + ("└─ " if is_last else "├─ "), rest + ("   " if is_last else "│  "))


def _add(sums, more):
    for name, number in more.items():
        sums[name] = sums.get(name, 0) + number


def _sorted_rows(root, metrics):
    """Kernels by name, whatever scopes they were launched in, the largest first."""
    kernels = {}
    for node in root.walk():
        both = [one.sums for one in (node, node.base) if one]
        if any("count" in sums for sums in both) and not node.children:
            known = kernels.setdefault(node.name, Node(node.name, {}, [], node.base and Node(node.name, {}, [])))
            for into, sums in zip((known, known.base), both):
                _add(into.sums, sums)
    for node in sorted(kernels.values(), key=lambda node: -(metrics[0](node) or 0)):
        yield [of(node) for of in metrics], node.name


def _content(path):
    """Of a file in JSON or MessagePack. ValueError: it is neither."""
    with open(path, "rb") as file:
        data = file.read()
    if str(path).endswith("_msgpack"):
        try:
            unpack = importlib.import_module("msgpack").unpackb
        except ImportError:
            raise ValueError(f"{path}: the package msgpack reads it; pip install msgpack, or finalize(output_format='hatchet')") from None
        try:
            return unpack(data, strict_map_key=False)
        except Exception as error:  # its own, of several kinds
            raise ValueError(f"{path}: no profile ({error})") from None
    try:
        return json.loads(data)
    except ValueError as error:
        raise ValueError(f"{path}: no profile ({error})") from None


def read(path):
    """The root of a profile that a session wrote. ValueError: it is none, or of a later version."""
    content = _content(path)
    if isinstance(content, dict) and "traceEvents" in content:
        raise ValueError(f"{path}: a trace; open it in a viewer of traces (Perfetto, chrome://tracing). "
                         "start(data='tree') makes what is shown here")
    try:
        version = content[0]["frame"].get("version", FORMAT_VERSION)
        if version != FORMAT_VERSION:
            raise ValueError(f"{path}: a profile of version {version}; this viewer reads version {FORMAT_VERSION}. Use the viewer of the "
                             "Terrazzo that wrote it")
        return Node.read(content[0])
    except (KeyError, IndexError, TypeError, AttributeError):
        raise ValueError(f"{path}: no profile: a tree of frames is expected") from None


def compared(root, base):
    """Both trees as one, whose nodes know what they are compared with."""
    names = dict.fromkeys(child.name for child in (*root.children, *base.children))

    def of(node, name):
        return next((child for child in node.children if child.name == name), None) or Node(name, {}, [])

    return Node(root.name, root.sums, [compared(of(root, name), of(base, name)) for name in names], base)


def _difference(of, of_base):
    def value(node):
        number, before = of(node), of_base(node.base)
        return None if number is None and before is None else (number or 0) - (before or 0)

    return value


def lines(root, names, include=None, exclude=None, threshold=0.0, depth=-1, is_sorted=False, base=None, form="full", statements=None):
    """The lines of what is shown; with `base`, what `root` has more than that one. form: how frames of the program look.

    statements: Statements of the profile, to be shown behind the lines that have samples.
    """
    metrics = [metric(name, root) for name in names]
    if base:
        metrics = [_difference(of, metric(name, base)) for name, of in zip(names, metrics)]
        root = compared(root, base)
    root = chosen(root, include, exclude, threshold, metrics[0])
    if statements:
        root = _with_statements(root, statements)
    if _FORMATS[form]:
        root = _renamed(root, _FORMATS[form])
    rows = _sorted_rows(root, metrics) if is_sorted else _tree_rows(root, metrics, depth)
    return list(_table(list(rows), names))


def main(arguments=None, program="python -m terrazzo.triton.profiler.viewer"):
    """The command; gives the exit status: 1 where the file is no profile or lacks a metric."""
    parser = argparse.ArgumentParser(prog=program, description=__doc__.partition("\n")[0])
    parser.add_argument("file", help="what finalize() wrote: NAME.hatchet")
    parser.add_argument("-l", "--list", action="store_true", help="say which metrics the file has")
    parser.add_argument("-m", "--metrics", default="time/ms", help="by commas; the first one orders (time/ms)")
    parser.add_argument("-i", "--include", metavar="REGEX", help="only paths through what matches")
    parser.add_argument("-e", "--exclude", metavar="REGEX", help="without what matches, and all below")
    parser.add_argument("-t", "--threshold", type=float, default=0.0, metavar="PERCENT",
                        help="without what has less of the first metric than this share of all")
    parser.add_argument("-d", "--depth", type=int, default=-1, help="levels below the root")
    parser.add_argument("-f", "--format", choices=tuple(_FORMATS), default="full", help="of frames of the program (full)")
    parser.add_argument("-s", "--statements", action="store_true", help="say which statement stands at a line that has samples")
    parser.add_argument("--print-sorted", action="store_true", help="kernels in one list, the largest first, instead of a tree")
    parser.add_argument("--diff-profile", metavar="FILE", help="show what the profile has more than this one")
    given = parser.parse_args(arguments)
    try:
        root = read(given.file)
        if given.list:
            print("\n".join(available(root)))
            return 0
        base = read(given.diff_profile) if given.diff_profile else None
        print("\n".join(lines(root, [name.strip() for name in given.metrics.split(",")], given.include, given.exclude,
                              given.threshold, given.depth, given.print_sorted, base, given.format,
                              Statements.of(given.file) if given.statements else None)))
    except (OSError, ValueError, re.error) as error:
        print(f"viewer: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
