"""Writes with which argument types and constexprs kernels are launched: a pytest plugin, under Triton.

  RECORD_OUT=/tmp/records RECORD_ROOT=~/src/Library PYTHONPATH=test/corpus \\
      pytest -p record ~/src/Library/tests
  cat /tmp/records/*.jsonl | sort -u > library.jsonl

Each process writes a file of its own into the folder RECORD_OUT; paths are
relative to RECORD_ROOT. A kernel is recorded with at most six combinations of
types and constexprs. test/corpus/run says what the lines hold. A kernel that a
library makes as text and gives names by hand cannot be compiled from its file
alone. Launches are not disturbed: what cannot be recorded is named in *.errors.
"""
import inspect
import json
import os

from triton.runtime import jit

ROOT = os.path.realpath(os.path.expanduser(os.environ.get("RECORD_ROOT", ".")))
FOLDER = os.path.expanduser(os.environ.get("RECORD_OUT", "records"))
VARIANTS = 6
seen = {}


def constant(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        record = {"tuple": [constant(item) for item in value]}
        return {**record, "fields": list(value._fields)} if hasattr(value, "_fields") else record
    if type(value).__name__ == "constexpr":
        return constant(value.value)
    if type(value).__name__ == "dtype":
        return {"dtype": str(value)}
    if hasattr(value, "fn"):
        return {"fn": value.__name__}
    return {"other": type(value).__name__}


def known(value):
    """Known to the compiler, whatever the annotation of its parameter."""
    return value is None or isinstance(value, str) or type(value).__name__ in ("constexpr", "dtype") or hasattr(value, "fn")


def argument(value):
    if hasattr(value, "data_ptr"):
        return {"ptr": str(value.dtype).replace("torch.", ""), "div16": value.data_ptr() % 16 == 0}
    if hasattr(value, "block_shape"):
        size = value.base.element_size()
        aligned = value.base.data_ptr() % 16 == 0 and all(s * size % 16 == 0 for s in value.strides[:-1])
        return {"desc": str(value.base.dtype).replace("torch.", ""), "block": list(value.block_shape),
                "padding": getattr(value, "padding", "zero"), "div16": aligned}
    if isinstance(value, (tuple, list)):
        record = {"tuple": [argument(item) for item in value]}
        return {**record, "fields": list(value._fields)} if hasattr(value, "_fields") else record
    return {"constexpr": constant(value)} if known(value) and value is not None else constant(value)


def describe(function, args, named):
    path = os.path.realpath(inspect.getsourcefile(function.fn))
    names = [parameter.name for parameter in function.params]
    given = dict(zip(names, args))
    given.update({name: value for name, value in named.items() if name in names})
    record = {"file": os.path.relpath(path, ROOT) if path.startswith(ROOT + os.sep) else path,
              "kernel": function.fn.__name__, "args": {}, "constexpr": {}}
    for parameter in function.params:
        value = given.get(parameter.name, parameter.default)
        if parameter.is_constexpr:
            record["constexpr"][parameter.name] = constant(value)
        else:
            record["args"][parameter.name] = argument(value)
    return record


def specialisation(value):
    """Integers differ only where the compiler sees a difference."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"integer, {value == 1}, {value % 16 == 0}, {-2**31 <= value < 2**31}"
    if isinstance(value, dict) and "tuple" in value:
        return {**value, "tuple": [specialisation(item) for item in value["tuple"]]}
    return value


def note(function, args, named):
    record = describe(function, args, named)
    kernel = (record["file"], record["kernel"])
    key = json.dumps([{name: specialisation(value) for name, value in record["args"].items()}, record["constexpr"]],
                     sort_keys=True)
    known = seen.setdefault(kernel, set())
    if key not in known and len(known) < VARIANTS:
        known.add(key)
        with open(os.path.join(FOLDER, f"{os.getpid()}.jsonl"), "a") as out:
            out.write(json.dumps(record) + "\n")


launch = jit.JITFunction.run


def run(self, *args, **named):
    try:
        note(self, args, named)
    except Exception as problem:  # whatever it is, the library's own test goes on
        with open(os.path.join(FOLDER, f"{os.getpid()}.errors"), "a") as out:
            out.write(f"{self}: {problem!r}\n")
    return launch(self, *args, **named)


os.makedirs(FOLDER, exist_ok=True)
jit.JITFunction.run = run
