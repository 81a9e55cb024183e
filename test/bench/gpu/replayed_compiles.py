"""Compiles launches that instructions.py recorded, each once; needs neither PyTorch nor a GPU.

  replayed_compiles.py LIBRARIES TARGET LAUNCHES.json FOLDER

Writes the assembly of launch N to FOLDER/N.ptx.
"""

import collections
import json
import os
import sys
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


def main():
    libraries, target, launches, folder = sys.argv[1:]
    session = Session(Library(libraries), None)
    with open(launches, encoding="utf-8") as file:
        recorded = json.load(file)
    for number, launch in enumerate(recorded):
        kernel = session.load(launch["path"], launch["function"], launch["constants"], launch["options"])
        code = session.compile_for(kernel, target, [value_of(a) for a in launch["arguments"]])
        with open(os.path.join(folder, f"{number}.ptx"), "wb") as file:
            file.write(session.assembly_of(code))
    session.close()


if __name__ == "__main__":
    main()
