"""Makes skeletons without writing them: which files each changes, and what is refused."""
import importlib.machinery
import importlib.util
import os
import sys

root = os.path.realpath(sys.argv[1])


def program(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(root, "ci", name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
passes, ops = program("new-pass"), program("new-op")
for flag, after, reads in (("tile-first-skeleton", "combine", False), ("tile-second-skeleton", "merge-atomics", True), ("simt-third-skeleton", "assign-layouts", False)):
    changes, _ = passes.skeleton(flag, after, reads)
    for path, text in changes.items():
        if not path.startswith("new ") and text == passes.read(path):
            sys.exit(f"{flag}: {path} does not change")
    print(f"{flag}: {len(changes)} files")
changes = ops.skeleton("firstskeleton", "absi")
for path, text in changes.items():
    if os.path.exists(os.path.join(root, path)) and text == open(os.path.join(root, path), encoding="utf-8").read():
        sys.exit(f"firstskeleton: {path} does not change")
print(f"firstskeleton: {len(changes)} files")
for what in (lambda: passes.skeleton("tile-x", "nothing", False), lambda: passes.skeleton("tile-x", "combine", True), lambda: passes.with_factory("", "X")):
    try:
        what()
        sys.exit("nothing is refused")
    except passes.Refused as why:
        print(why)
