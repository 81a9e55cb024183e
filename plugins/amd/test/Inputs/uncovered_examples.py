"""Kernels of docs/examples that no case of a pattern runs, and no other kernel calls: FOLDER PATTERN."""
import ast
import glob
import os
import re
import subprocess
import sys

folder, pattern = sys.argv[1:]
shown = subprocess.run(["tz", "conform", "--show", "--filter", pattern], stdout=subprocess.PIPE, text=True, check=True).stdout
run = set(re.findall(r"^# tz run \S+?::(\w+)", shown, re.M))
uncovered = []
for path in sorted(glob.glob(os.path.join(folder, "*.py"))):
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    kernels = [node for node in tree.body if isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(d) for d in node.decorator_list)]
    called = {call.func.id for kernel in kernels for call in ast.walk(kernel) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}
    uncovered += [kernel.name for kernel in kernels if kernel.name not in called | run]
print("kernels without a case:", " ".join(uncovered) or "none")
