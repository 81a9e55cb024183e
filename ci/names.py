"""Names of C++ files, namespaces and constants (docs/decisions/012-names.md), for ci/lint.

  python3 ci/names.py FILE...  the faults of these files
"""
import collections
import os
import re
import sys

SOURCE = (".h", ".hpp", ".cpp", ".c", ".td", ".def")
# Files that play one role for several dialects.
SHARED = {"Passes.h", "Passes.td"}
TOKEN = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
# Indentation, words before, const or constexpr, the type, the name, its array bounds.
CONSTANT = re.compile(r"^( *)((?:(?:inline|static|extern|thread_local) )*)(constexpr|const)\b((?:[^=;{}()]|\{\w*\},)*?)[ *&](\w+)"
                      r"((?:\[[^\]]*\])*) ?(?==|\{|;|\()", re.M)
DECLARED = re.compile(r"^extern const\b[^;()]*;", re.M)
# The one namespace, those of others that declarations are for, and a stand-in of a test.
ROOTS = ("tz", "llvm", "mlir", "std", "CLI", "sycl")
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: (\w+)[\w:]*)? \{(.*)$|^(\}) // (?:end )?(?:anonymous )?namespace", re.M)
TABLE = re.compile(r"^\} (\w+)\[\] = ", re.M)  # constexpr struct { ... } name[] =


def namesakes(paths):
    """(path, why) of files whose name another folder has as well."""
    folders = collections.defaultdict(list)
    for path in paths:
        if path.endswith(SOURCE) and "/Inputs/" not in path:
            folders[os.path.basename(path).lower()].append(path)
    for same in folders.values():
        if len(same) > 1 and os.path.basename(same[0]) not in SHARED:
            for path in same:
                others = ", ".join(other for other in same if other != path)
                yield path, f"{others} has the same name; begin it with what it belongs to, as in CpuDevice.cpp"


def namespaces(text):
    """(line, why) of outermost namespaces that are not the project's."""
    depth = 0
    for found in NAMESPACE.finditer(text):
        name, rest, closes = found.groups()
        if name and not depth and name not in ROOTS:
            yield text.count("\n", 0, found.start()) + 1, f"namespace '{name}': all C++ is in tz; say tz::..."
        depth += -1 if closes else 0 if rest and rest.rstrip().endswith("}") else 1


def code_of(text):
    """The text with its lines, but without what is quoted or commented."""
    return TOKEN.sub(lambda found: ("" if found.group(0).startswith("/") else '""') + "\n" * found.group(0).count("\n"), text)


def constants(text):
    """(line, why) of constants in another style than LLVM's."""
    code = code_of(text)
    for found in CONSTANT.finditer(code):
        indentation, before, word, kind, name, _ = found.groups()
        pointer = re.search(r"[*&]\s*$", kind + code[found.end(4):found.start(5)])
        if (word == "const" and pointer) or "operator" in kind or name == "struct":
            continue  # what it points to is constant; TABLE has the last
        if code[found.end()] == "(" and not re.match(r"k[A-Z]", name):
            continue  # a function
        if re.match(r"tzp?_", name):
            continue  # a C name
        line = code.count("\n", 0, found.start()) + 1
        if not indentation and not re.match(r"[A-Z]", name):
            yield line, f"constant '{name}' of a namespace is written '{changed(name, str.upper)}'"
        elif not indentation and "_" in name:
            yield line, f"constant '{name}' is written in CamelCase; capitals with underscores are macros"
        elif indentation and word == "constexpr" and "static" not in before and not re.match(r"[a-z]", name):
            yield line, f"constant '{name}' of a function is written '{changed(name, str.lower)}'"
        elif indentation and word == "constexpr" and re.match(r"k[A-Z]", name):
            yield line, f"constant '{name}' is written without its k"
    others = [(found.start(), found.group(1)) for found in TABLE.finditer(code)]
    for found in DECLARED.finditer(code):  # all but the last, which CONSTANT has found
        others += [(found.start(), name) for name in re.findall(r"(\w+)(?:\[\])?\s*,(?= ?\*?\w+[\[,;])", found.group(0))]
    for start, name in others:
        if not re.match(r"[A-Z]", name):
            yield code.count("\n", 0, start) + 1, f"constant '{name}' of a namespace is written '{changed(name, str.upper)}'"


def changed(name, case):
    bare = name[1:] if re.match(r"k[A-Z]", name) else name
    return case(bare[0]) + bare[1:]


def faults(root, paths):
    """Lines that say what is wrong with these files, of which `paths` are all."""
    for path, why in namesakes(paths):
        yield f"{path}: {why}"
    for path in paths:
        if path.endswith((".h", ".hpp", ".cpp")) and "/Inputs/" not in path:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                text = file.read()
            for line, why in [*constants(text), *namespaces(text)]:
                yield f"{path}:{line}: {why}"


if __name__ == "__main__":
    found = list(faults("", sys.argv[1:]))
    print("\n".join(found))
    sys.exit(1 if found else 0)
