"""Compiles launches that instructions.py recorded, each once; needs neither PyTorch nor a GPU.

  replayed_compiles.py LIBRARIES TARGET LAUNCHES.json FOLDER [CACHE]

Writes the assembly of launch N to FOLDER/N.ptx.

  replayed_compiles.py LIBRARIES TARGET LAUNCHES.json --cache FOLDER

Reads numbers of launches, a line each, and answers each with the seconds that it took,
from `kernel` as it stands in its file to machine code, in a session of its own and
with a cache that is empty.
"""

import collections
import json
import os
import shutil
import sys
import time
import types

from terrazzo_api import Library, Session


def value_of(data):
    """What stands for a tensor or a descriptor: an address from which nothing is read."""
    if not isinstance(data, dict):
        return data
    if "items" in data:
        items = [value_of(item) for item in data["items"]]
        return collections.namedtuple("Items", data["names"])(*items) if data["names"] else tuple(items)
    tensor = types.SimpleNamespace(dtype=data["dtype"], data_ptr=lambda: data["address"])
    if "block_shape" not in data:
        return tensor
    return types.SimpleNamespace(base=tensor, **{name: data[name] for name in ("shape", "strides", "block_shape", "padding")})


def compiled(session, launch, target):
    kernel = session.load(launch["path"], launch["function"], launch["constants"], launch["options"])
    return session.compile_for(kernel, target, [value_of(a) for a in launch["arguments"]])


def timed(library, launch, target, cache):
    shutil.rmtree(cache, ignore_errors=True)
    session = Session(library, None, cache=cache)
    begin = time.perf_counter()
    compiled(session, launch, target)
    seconds = time.perf_counter() - begin
    session.close()
    return seconds


def main():
    libraries, target, launches, folder, *cache = sys.argv[1:]
    library = Library(libraries)
    with open(launches, encoding="utf-8") as file:
        recorded = json.load(file)
    if folder == "--cache":
        for line in sys.stdin:
            print(timed(library, recorded[int(line)], target, cache[0]), flush=True)
        return
    session = Session(library, None)
    for number, launch in enumerate(recorded):
        code = compiled(session, launch, target)
        with open(os.path.join(folder, f"{number}.ptx"), "wb") as file:
            file.write(session.assembly_of(code))
    session.close()


if __name__ == "__main__":
    main()
