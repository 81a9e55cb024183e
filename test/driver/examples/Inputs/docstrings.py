"""Runs the `tz run` command of each example's docstring against the reference.

Usage: docstrings.py folder page. What a reader copies from a file must work, and
the page must list the file.
"""
import ast
import concurrent.futures
import glob
import os
import subprocess
import sys

page = open(sys.argv[2]).read()


def fault(path):
    """What is wrong with an example, or nothing."""
    if f"`{os.path.basename(path)}`" not in page:
        return f"{sys.argv[2]} does not list {path}"
    text = ast.get_docstring(ast.parse(open(path).read()))
    command = text[text.index("tz run"):].replace("\\\n", " ").split("\n\n")[0]
    done = subprocess.run(command + " --target cpu --compare interp", shell=True, cwd=sys.argv[1],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or " ok" not in done.stdout:
        return f"{path}: {command}\n{done.stdout}"
    return None


paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.py")))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    faults = [found for found in pool.map(fault, paths) if found]
if faults:
    sys.exit("\n".join(faults))
print(len(paths), "commands ok")
