"""Runs a command twice at once on one empty cache: twice.py CACHE COMMAND... ; each gets a file to write, and both must be the same."""
import os
import shutil
import subprocess
import sys

cache, command = sys.argv[1], sys.argv[2:]
environment = dict(os.environ, TERRAZZO_CACHE_DIR=cache)
for attempt in range(3):
    shutil.rmtree(cache, ignore_errors=True)
    outputs = [cache + ".a", cache + ".b"]
    running = [subprocess.Popen(command + [output], env=environment) for output in outputs]
    if any([process.wait() for process in running]):
        sys.exit("one of the two failed")
    first, second = (open(output, "rb").read() for output in outputs)
    if first != second:
        sys.exit("the two have different artifacts")
