"""Lists of element types that stand beside include/terrazzo/ElementTypes.def, for ci/lint.

A file that names many of the types within a few lines is a list of its own, which differs from the table one day.
It includes the table instead, or stands in REASONS.

  python3 ci/elements.py FILE...  the faults of these files
"""
import os
import re
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TABLE = "include/terrazzo/ElementTypes.def"
# So many types within so many lines.
MANY, LINES = 7, 15
REASONS = {
    "include/terrazzo/plugin.h": "the codes themselves, which the table's rows name",
    "include/terrazzo/terrazzo.h": "the same codes",
    "include/terrazzo/portable.h": "one header in C, to be copied; test-portable holds it to the writer",
    "backends/nvidia/device/TensorMap.cpp": "the driver's codes of what a tensor map holds",
    "core/conformance/random/Combinations.cpp": "which types a random kernel combines",
    "core/conformance/random/Expressions.cpp": "which types a random kernel converts",
    "core/conformance/random/Statements.cpp": "which types a random kernel has atomics of",
    "core/frontend/assembly/AssemblyOperations.cpp": "types as inline assembly writes them",
    "core/frontend/builtins/ArrayLibraries.cpp": "names that NumPy and torch have",
    "core/frontend/library/arrays.py": "what NumPy and torch say of their types",
    "core/interpreter/ElementKind.cpp": "the bits of each format: what a value is",
    "python/src/values/ElementTypes.cpp": "other names of rows, in NumPy and torch",
}
COMMENTS = re.compile(r"//[^\n]*|/\*.*?\*/|(?<=\n)\s*#(?!\s*(?:define|include))[^\n]*", re.S)


def pattern():
    """What finds a type in code, and the row of each word."""
    with open(os.path.join(ROOT, TABLE), encoding="utf-8") as file:
        text = file.read()
    rows, words = set(), {}
    for identity, *spelled in re.findall(r'^ELEMENT_TYPE\((\w+), \d+, \w+, "([^"]+)", "([^"]+)", "([^"]+)"', text, re.M):
        rows.add(identity)
        words.update({word: identity for word in spelled})
    words.update({word: identity for identity, word in re.findall(r'^ELEMENT_SPELLING\((\w+), "([^"]+)"', text, re.M)})
    words.update({name: identity for identity, name in re.findall(r"^FLOAT_TYPE\((\w+), (\w+),", text, re.M)})
    words.update({identity: identity for identity in rows})
    quoted = "|".join(sorted(map(re.escape, words), key=len, reverse=True))
    classes = "|".join(name for name in words if name.endswith("Type"))
    return re.compile(rf"(?:::|TZ_TYPE_)({'|'.join(rows)})\b|[\"']({quoted})[\"']|\b({classes})\b"), words


def lists(text):
    """(line, number of types) of the longest list in a file, if it is one."""
    find, words = pattern()
    code = COMMENTS.sub(lambda found: "\n" * found.group(0).count("\n"), text)
    seen = [(code.count("\n", 0, found.start()) + 1, words[next(filter(None, found.groups()))]) for found in find.finditer(code)]
    counts = [(len({row for line, row in seen[i:] if line < first + LINES}), first) for i, (first, _) in enumerate(seen)]
    most, line = max(counts, key=lambda count: count[0], default=(0, 0))
    return (line, most) if most >= MANY else None


def faults(root, paths):
    known = set()
    for path in paths:
        if not path.endswith((".h", ".hpp", ".cpp", ".py")) or re.search(r"(^|/)tests?/|/Inputs/|^(ci|docs)/", path):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            found = lists(file.read())
        if found and path not in REASONS:
            yield f"{path}:{found[0]}: {found[1]} element types by hand; include {TABLE}, or give a reason in ci/elements.py"
        elif found:
            known.add(path)
    for path in sorted(REASONS.keys() & set(paths) - known):
        yield f"ci/elements.py: {path} has no list of types any more"


if __name__ == "__main__":
    found = list(faults("", sys.argv[1:]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
