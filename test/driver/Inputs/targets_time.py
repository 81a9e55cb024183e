"""The processor time of `tz targets`, the least of seven runs: it opens each plugin, and no driver of a device that is not here.

A busy machine changes it by little, unlike the time by the clock. Sanitizers make every program several times as slow."""
import os
import re
import resource
import subprocess
import sys

LIMIT = 0.1

build, wanted = sys.argv[1], sys.argv[2].split(",")
with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as cache:
    limit = LIMIT * (10 if "-fsanitize=" in cache.read() else 1)
times = []
for _ in range(7):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["tz", "targets"], capture_output=True, text=True, check=True, env={**os.environ, "TERRAZZO_TARGET": ""})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
listed = dict(re.findall(r"^(\w+) .*\n((?:    .*\n?)+)", done.stdout, re.M))
for name in wanted:
    # Devices, or why there is none and what code can be made for; of the reference what it does.
    print(f"{name}: {'with what it can do' if re.search('compiles for|code: |runs tile IR', listed.get(name, '')) else 'not told'}")
devices = [name for name in re.findall(r"^    (\w+):0 ", done.stdout, re.M) if name not in ("cpu", "null")]
if devices:
    print("in time: a driver of", *devices, "is started here")
else:
    print("in time" if min(times) < limit else f"{1000 * min(times):.0f} ms of processor time, more than {1000 * limit:.0f}")
