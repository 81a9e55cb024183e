"""What the package's modules import of each other: no cycles, and imports inside of functions only for a reason."""

import ast
import fnmatch
import pathlib

import pytest

import terrazzo

ROOT = pathlib.Path(terrazzo.__file__).parent

# Imports inside of functions: (module, what) -> why not at the top.
_TIME = "import time: few programs need it"
INSIDE = {
    ("terrazzo", "terrazzo._native"): "import time: `import terrazzo` loads no library",
    ("terrazzo.__main__", "terrazzo._native"): "import time: only --version needs it",
    ("terrazzo.__main__", "terrazzo.tools.drop_in"): "import time: help does not need it",
    ("terrazzo.compiler.program_names", "terrazzo.compiler.stand_ins"): _TIME,
    ("terrazzo.runtime.autotuner", "terrazzo.runtime.tuning_tables"): _TIME,
    ("terrazzo.runtime.jit_function", "terrazzo.compiler.preload"): _TIME,
    ("terrazzo.runtime.jit_function", "terrazzo.runtime.copies"): _TIME,
    ("terrazzo.runtime.jit_function", "terrazzo.runtime.interpreter"): _TIME,
    ("terrazzo.testing", "terrazzo.plots"): "optional: it draws with matplotlib",
    ("terrazzo.tools.drop_in", "terrazzo.triton._absent"): "import time: install_as_triton() does not load what it promises",
    ("terrazzo.tools.tz_command", "terrazzo.profiler.analyze"): "import time: other commands load no library",
    ("terrazzo.tools.tz_command", "terrazzo.tools.profile_command"): "import time: other commands load no library",
    ("terrazzo.triton.*", "terrazzo.triton.backends.*.*"): "import time: a vendor's names, for programs that ask for them",
}


def name_of(path, root, package):
    parts = (package, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules(root, package):
    """Dotted name -> file of each module below `root`, which is the package."""
    found = {name_of(path, root, package): path for path in root.rglob("*.py")}
    found.update({f"{package}.{path.name.partition('.')[0]}": None for path in root.glob("*.so")})  # the extension
    return found


def imported(node, module, is_package, known):
    """The modules that an import statement names: of `from a import b` a.b if it is a module, else a."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    base = node.module or ""
    if node.level:
        parts = module.split(".")
        above = parts[:len(parts) - node.level + is_package]
        base = ".".join(above + ([base] if base else []))
    return [f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names]


def imports_of(module, path, known):
    """(what, line, is inside of a function) of each import of the package's own modules."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

    def visit(node, inside):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.Import, ast.ImportFrom)):
                for what in imported(child, module, path.name == "__init__.py", known):
                    if what in known:
                        yield what, child.lineno, inside
            yield from visit(child, inside or isinstance(child, functions))

    yield from visit(ast.parse(path.read_text(encoding="utf-8")), False)


def graph_of(known):
    """Module -> those that it needs, packages around them included: importing a.b.c runs a and a.b first.

    What stands around the module itself has begun already, and counts only where it is asked for a name of its own.
    """
    graph = {}
    for module, path in known.items():
        needs = graph.setdefault(module, set())
        for what, _, _ in imports_of(module, path, known) if path else ():
            needs.add(what)
            parts = what.split(".")
            around = (".".join(parts[:i]) for i in range(1, len(parts)))
            needs.update(one for one in around if not f"{module}.".startswith(f"{one}."))
    return graph


def cycle_in(graph):
    """The modules of one cycle, in order; None if there is none."""
    done, path = set(), []

    def visit(module):
        if module in path:
            return [*path[path.index(module):], module]
        if module in done:
            return None
        path.append(module)
        found = next(filter(None, map(visit, sorted(graph[module]))), None)
        path.pop()
        done.add(module)
        return found

    return next(filter(None, map(visit, sorted(graph))), None)


def without_own_names(known):
    """The graph; `from . import name` in a package's own __init__ names itself where `name` is no module."""
    graph = graph_of(known)
    return {module: needs - {module} for module, needs in graph.items()}


def test_no_cycles():
    cycle = cycle_in(without_own_names(modules(ROOT, "terrazzo")))
    assert cycle is None, "these modules import each other: " + " -> ".join(cycle)


def test_imports_inside_of_functions_have_a_reason():
    known = modules(ROOT, "terrazzo")
    found = {}
    for module, path in known.items():
        for what, line, inside in imports_of(module, path, known) if path else ():
            if inside:
                found.setdefault((module, what), f"{path.relative_to(ROOT)}:{line}")

    def listed(key):
        return next((one for one in INSIDE if all(map(fnmatch.fnmatchcase, key, one))), None)

    new = {f"{place}: import of {key[1]}" for key, place in found.items() if listed(key) is None}
    assert not new, "move it to the top, or say in INSIDE why not:\n" + "\n".join(sorted(new))
    gone = INSIDE.keys() - set(map(listed, found))
    assert not gone, f"INSIDE lists what is not there any more: {sorted(gone)}"


def test_rooms_have_an_order():
    """A room imports those before it alone; what stands at the top of the package is for all."""
    rooms = ["language", "compiler", "runtime", "profiler", "triton", "tools"]
    known = modules(ROOT, "terrazzo")
    upward = []
    for module, needs in graph_of(known).items():
        room = module.split(".")[1] if "." in module else ""
        for what in needs if room in rooms else ():
            other = what.split(".")[1] if "." in what else ""
            if other in rooms and rooms.index(other) > rooms.index(room):
                upward.append(f"{module} imports {what}")
    assert not upward, "\n".join(sorted(upward))


@pytest.mark.parametrize("files, cycle", [
    ({"a.py": "from . import b", "b.py": "import os"}, None),
    ({"a.py": "from . import b", "b.py": "def f():\n    from .a import x"}, ["p.a", "p.b", "p.a"]),
    ({"a.py": "from .q import c", "q/__init__.py": "from .c import x", "q/c.py": "x = 1"}, None),
    # p.q runs before p.q.c, and needs p.a.
    ({"a.py": "from .q.c import x", "q/__init__.py": "from .. import a", "q/c.py": "x = 1"}, ["p.a", "p.q", "p.a"]),
    # A module that asks its own package for a name needs all of it.
    ({"q/__init__.py": "from .c import x\ny = 1", "q/c.py": "from . import y"}, ["p.q", "p.q.c", "p.q"]),
])
def test_cycles_are_found(tmp_path, files, cycle):
    for name, text in {"__init__.py": "", **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cycle_in(without_own_names(modules(tmp_path, "p"))) == cycle


def test_type_checkers_know_each_name_of_the_package():
    known = set()
    for node in ast.parse((ROOT / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            known.update(alias.asname for alias in node.names)
        elif isinstance(node, ast.AnnAssign):
            known.add(node.target.id)
        elif isinstance(node, ast.FunctionDef):
            known.add(node.name)
    assert known == set(terrazzo.__all__)
