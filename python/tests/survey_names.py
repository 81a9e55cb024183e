"""Lists the names that programs take from triton: name, projects, files, one a line.

    python survey_names.py FOLDER... > public_names.tsv

Each FOLDER is one project. A name ends where it leaves triton's modules: at a class, a function or a value, but for the
active driver, whose functions are listed. Star imports give the module. test_public_names.py reads the table.
"""

import ast
import collections
import os
import sys
import warnings

_ROOTS = ("triton", "triton.language")
_DRIVER = ("triton.runtime.driver.active", "triton.runtime.driver.active.utils")


def _is_ours(name):
    return name == "triton" or (name or "").startswith("triton.")


def _imports(tree):
    """(local name -> what it stands for, names that are imported, modules among them)."""
    local, names, modules = {}, set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in filter(lambda alias: _is_ours(alias.name), node.names):
                modules.add(alias.name)
                local.update({alias.asname: alias.name} if alias.asname else {"triton": "triton"})
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_ours(node.module):
            modules.add(node.module)
            for alias in node.names:
                if alias.name != "*":
                    names.add(f"{node.module}.{alias.name}")
                    local[alias.asname or alias.name] = f"{node.module}.{alias.name}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").endswith("triton_utils"):
            roots = {"triton": "triton", "tl": "triton.language"}  # a project's own door to triton
            local.update({alias.asname or alias.name: roots[alias.name] for alias in node.names if alias.name in roots})
    return local, names | modules, modules


def _attributes(tree, local):
    """Dotted names that begin with what was imported."""
    for node in ast.walk(tree):
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name) and node.id in local:
            yield ".".join([local[node.id], *reversed(parts)])


def _trees(folder):
    for place, _, files in os.walk(folder):
        for file in filter(lambda file: file.endswith(".py"), files):
            try:
                with open(os.path.join(place, file), encoding="utf-8") as stream:
                    text = stream.read()
                if "triton" in text:
                    yield ast.parse(text)
            except (OSError, UnicodeDecodeError, SyntaxError, ValueError):
                continue


def _cut(name, modules):
    """Up to the first part that is no module."""
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        head = ".".join(parts[:i])
        if head not in modules:
            return head
    return name


def survey(folders):
    """Name -> [(project, files)]."""
    found, modules = collections.defaultdict(collections.Counter), {*_ROOTS, *_DRIVER, "triton.runtime.driver"}
    for folder in folders:
        for tree in _trees(folder):
            local, names, its_modules = _imports(tree)
            modules |= its_modules
            for name in names | set(_attributes(tree, local)):
                found[name][folder] += 1
    cut = collections.defaultdict(collections.Counter)
    for name, projects in found.items():
        for project, files in projects.items():
            short = _cut(name, modules)
            cut[short][project] = max(cut[short][project], files)
    return cut


def main(folders):
    if not folders or "--help" in folders:
        print(__doc__)
        return 0 if folders else 2
    warnings.simplefilter("ignore")  # of the programs' own text
    print("# name, projects that take it, files. Made by survey_names.py.")
    for name, projects in sorted(survey(folders).items()):
        print(name, len(projects), sum(projects.values()), sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
