"""What stands at a line of a profile: the statement, the tile that it defines, and the calls by which a kernel gets there.

Devices tell a line of each sample. The rest is in the source, so it is said only of files that are as they were when
the profile was written.
"""

import ast
import dataclasses
import functools
import os

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LONGEST = 72  # of a text that is shown, in characters


@dataclasses.dataclass(frozen=True)
class Statement:
    """text: on one line, with the tile that it defines. chains: of lines at which functions are called, the kernel's first."""

    text: str
    chains: tuple = ()

    def __str__(self):
        text = self.text if len(self.text) <= _LONGEST else self.text[:_LONGEST - 3] + "..."
        if not self.chains:
            return text
        places = [" > ".join(str(line) for line in chain) for chain in self.chains]
        return f"{text} (called at line {' and '.join(places)})"


@dataclasses.dataclass
class _File:
    lines: list
    tree: ast.Module
    functions: dict  # by name; None: several have the name


@functools.lru_cache(maxsize=64)
def _parsed(path, _):
    """None where the file is no program."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError):
        return None
    functions = {}
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            functions[node.name] = None if node.name in functions else node
    return _File(text.splitlines(), tree, functions)


def _file(path, written):
    try:
        changed = os.stat(path).st_mtime
    except OSError:
        return None
    return _parsed(path, changed) if changed <= written else None


def _innermost(tree, line):
    """(the innermost function, the innermost statement) that hold the line; None where there is none."""
    function = found = None
    for node in ast.walk(tree):  # outer ones first
        if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno:
            if isinstance(node, _FUNCTIONS):
                function = node
            found = node
    return function, found


def _calls(function, name):
    """Lines of the function at which it calls another one by name."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            called = node.func
            if name == (called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else None):
                yield node.lineno


def _chains(file, kernel, name, below=()):
    """All ways from the kernel to a function of its file, as lines of calls."""
    if name == kernel:
        return [()]
    found = []
    for caller, node in file.functions.items():
        if node is None or caller in below or caller == name:
            continue
        lines = list(dict.fromkeys(_calls(node, name)))
        if lines:
            found += [(*chain, line) for chain in _chains(file, kernel, caller, (*below, name)) for line in lines]
    return found


class Statements:
    """Of a profile that was written at that time (seconds since 1970)."""

    def __init__(self, written):
        self.written = written

    @classmethod
    def of(cls, path):
        """Of a profile's file."""
        return cls(os.stat(path).st_mtime)

    def at(self, place, kernel):
        """The statement at FILE:LINE in a kernel, or None: the source is not there, or not as it was."""
        path, _, line = place.rpartition(":")
        file = _file(path, self.written) if line.isdigit() else None
        if file is None:
            return None
        function, statement = _innermost(file.tree, int(line))
        if statement is None or isinstance(statement, _FUNCTIONS):
            return None
        # Of a loop or branch its head; what is in it has lines of its own.
        last = statement.body[0].lineno - 1 if getattr(statement, "body", None) else statement.end_lineno
        text = " ".join(part.strip() for part in file.lines[statement.lineno - 1:max(last, statement.lineno)])
        chains = ()
        if function is not None and function.name != kernel and file.functions.get(kernel) and file.functions.get(function.name):
            chains = tuple(sorted(set(_chains(file, kernel, function.name))))
        return Statement(text.partition("  #")[0].strip(), chains)
