"""same_time.py KERNEL ARGS...: tz run and tz bench give about the same time for a launch.

Another program may take the processor meanwhile, so the least of a few is compared.
"""
import json
import re
import subprocess
import sys

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
words = sys.argv[1:]


def ran():
    text = subprocess.run(["tz", "run", *words], check=True, capture_output=True, text=True).stdout
    value, unit = re.search(r"time ([0-9.]+) (\w+) \(median of", text).groups()
    return float(value) * UNITS[unit]


def benched():
    command = ["tz", "bench", *words, "--seconds", "0.1", "--json", "-"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["results"][0]["median_ns"]


for _ in range(5):
    run, bench = min(ran(), ran()), min(benched(), benched())
    if run < 3 * bench and bench < 3 * run:
        sys.exit(0)
sys.exit(f"tz run says {run} ns, tz bench {bench} ns")
