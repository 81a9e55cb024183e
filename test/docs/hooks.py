"""hooks.py ROOT: what the tables of docs/contribute/simt.md name, against the
virtual functions of the headers. Prints each difference; 1 if there is one."""
import os
import re
import sys

root = sys.argv[1]
page = open(os.path.join(root, "docs/contribute/simt.md"), encoding="utf-8").read()


def declared(*headers):
    """Names of virtual functions, destructors left out."""
    names = []
    for header in headers:
        text = open(os.path.join(root, "include/terrazzo/simt", header), encoding="utf-8").read()
        text = re.sub(r"//[^\n]*", "", text)
        names += re.findall(r"\bvirtual\b[^;{(]*?[\s*&](\w+)\(", text)
    return names


def named(title):
    """Code words of the first cells of the table behind this heading, of all its tables."""
    part = re.search(rf"^## {title}.*?(?=^## |\Z)", page, re.S | re.M)
    rows = re.findall(r"^\|([^|\n]*)\|", part.group(0) if part else "", re.M)
    return [name for row in rows for name in re.findall(r"`(\w+)`", row)]


faults = 0
for title, headers in (("Target: what there is", ("SimtMachine.h", "SimtTarget.h")), ("Hooks: how it is done", ("SimtHooks.h",))):
    there, told = declared(*headers), named(title)
    for name in sorted(set(there) - set(told)):
        faults += 1
        print(f"{headers[-1]}: '{name}' has no row under '{title}'")
    for name in sorted(set(told) - set(there)):
        faults += 1
        print(f"'{title}': '{name}' is no virtual function of {', '.join(headers)}")
    for name in sorted({name for name in told if told.count(name) > 1}):
        faults += 1
        print(f"'{title}': '{name}' has two rows")
    print(f"{title}: {len(set(there))} declared, {len(told)} rows")
sys.exit(1 if faults else 0)
