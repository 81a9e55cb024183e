"""Slots of the ABI that nobody calls, for ci/lint.

A function of a table in plugin.h is proven by a caller: the host calls the slots of both halves, a plugin or the SDK
those of tz_host. A slot without one is a promise that nothing tests, and goes. It can be appended when somebody calls it.

  python3 ci/slots.py HEADER FILE...  the slots of the header that the files do not call
"""
import re
import sys

HEADER = "include/terrazzo/plugin.h"
SOURCES = [f"{folder}/**.{kind}" for folder in ("core", "runtime", "backends", "plugins", "include/terrazzo/plugin") for kind in ("cpp", "h")]
# Whose files may call the functions of a table.
HOST = ("core/", "runtime/")
CALLERS = {"tz_compiler_api": HOST, "tz_device_api": HOST,
           "tz_host": ("backends/", "plugins/", "core/interpreter/target/", "include/terrazzo/plugin/")}
# What they call the table.
NAMES = {"tz_compiler_api": r"(?:api|compilerApi)", "tz_device_api": r"(?:api(?:\(\))?|a)", "tz_host": r"host"}


def slots(header):
    """(table, function) of each pointer to a function in the tables."""
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    for table in CALLERS:
        found = re.search(rf"typedef struct {table} \{{(.*?)\n\}} {table};", code, re.S)
        for name in re.findall(r"^ {2}\w[\w ]*\*?\(TZ_CALL \*(\w+)\)\(", found[1] if found else "", re.M):
            yield table, name


def faults(header, texts):
    """header: the text of plugin.h. texts: (path, text) of the files that may call."""
    missing = dict.fromkeys(slots(header))
    for path, text in texts:
        if "/test/" in path:
            continue
        for table, name in [slot for slot in missing if path.startswith(CALLERS[slot[0]])]:
            if re.search(rf"\b{NAMES[table]}(?:->|\.){name}\(", text):
                del missing[table, name]
    for table, name in missing:
        yield f"{HEADER}: {table}.{name} has no caller in {', '.join(CALLERS[table])}; call it, or take it out"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


if __name__ == "__main__":
    told = list(faults(read(sys.argv[1]), [(path, read(path)) for path in sys.argv[2:]]))
    print("\n".join(told))
    sys.exit(1 if told else 0)
