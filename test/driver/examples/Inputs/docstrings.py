"""Runs the `tz run` command of each example's docstring against the reference.

Usage: docstrings.py folder page. What a reader copies from a file must work, and
the page must list the file.
"""
import ast
import glob
import os
import subprocess
import sys

page = open(sys.argv[2]).read()
count = 0
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.py"))):
    if f"`{os.path.basename(path)}`" not in page:
        sys.exit(f"{sys.argv[2]} does not list {path}")
    text = ast.get_docstring(ast.parse(open(path).read()))
    command = text[text.index("tz run"):].replace("\\\n", " ").split("\n\n")[0]
    done = subprocess.run(command + " --target cpu --compare interp", shell=True, cwd=sys.argv[1],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0 or " ok" not in done.stdout:
        sys.exit(f"{path}: {command}\n{done.stdout}")
    count += 1
print(count, "commands ok")
