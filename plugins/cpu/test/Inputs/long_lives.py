"""Reads LLVM IR and prints how many values are used more than 20 blocks behind the one that makes them."""
import re
import sys

block, made, lives_long = 0, {}, set()
for line in sys.stdin:
    if re.match(r"[\w.\-]+:", line):
        block += 1
    elif line.startswith("  "):
        define = re.match(r"\s+(%[\w.]+) = ", line)
        lives_long.update(name for name in re.findall(r"%[\w.]+", line[define.end() if define else 0:]) if block - made.get(name, block) > 20)
        if define:
            made[define[1]] = block
print(f"{block} blocks, {len(lives_long)} long lives")
