"""A record as a kernel file and the `tz compile` command for it: code for a GPU that is not here."""

import re
import shlex

import arguments

_TYPES = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "int8": "i8", "int16": "i16",
          "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
          "bool": "i1", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}


class NotExportable(Exception):
    """The record has no spelling as one file; the text says why."""


def _constant(value):
    if isinstance(value, dict):
        (what, content), *_ = value.items()
        if what == "dtype":
            return "tl." + {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64"}.get(content, content)
        if what == "constexpr":
            return _constant(content)
        if what == "tuple":
            return "(" + "".join(_constant(item) + ", " for item in content) + ")"
        if what in ("integer", "float"):
            return content if what == "integer" else f"float('{content}')"
        raise NotExportable(f"a constant that is a {what}")
    return repr(value)


def _word(value):
    """A constant as a word of the command line, where infinities are `inf` and `-inf`."""
    return value["float"] if isinstance(value, dict) and "float" in value else _constant(value)


def source(record):
    """One Python file with the kernel and all it calls."""
    functions, lines, bound, spelled = record["functions"], ["import triton", "import triton.language as tl"], {}, {}
    names = {}
    for entry in functions:
        if entry["name"] in names:
            raise NotExportable(f"two functions are named {entry['name']}")
        names[entry["name"]] = entry
    for entry in functions:
        for name, binding in entry["bindings"].items():
            (what, content), *_ = binding.items()
            if what == "function":
                if functions[content]["name"] != name:
                    raise NotExportable(f"{functions[content]['name']} is called {name} elsewhere")
                continue
            if what == "module":
                line = f"import {content} as {name}"
            elif what == "attribute":
                line = f"from {content[0]} import {content[1]} as {name}"
            elif what == "namespace":
                spelled.update(_members(name, content, functions))
                continue
            elif what == "constexpr":
                line = f"{name} = tl.constexpr({_constant(content)})"
            else:
                line = f"{name} = {_constant(content)}"
            if bound.setdefault(name, line) != line:
                raise NotExportable(f"{name} means two things")
    lines += [line for name, line in bound.items() if name not in ("triton", "tl")]
    for entry in reversed(functions):
        text = "\n".join(entry["source"])
        for name, value in spelled.items():
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w)", lambda _, value=value: value, text)
        lines += ["", "", "@triton.jit" if entry["kind"] == "jit" else "@triton.constexpr_function", text]
    return "\n".join(lines) + "\n"


def _members(name, content, functions):
    """{module.member: what takes its place}, of modules in it as well; a file of kernels has no modules of its own."""
    found = {}
    for key, binding in content.items():
        (what, inner), *_ = binding.items()
        if what == "namespace":
            found.update(_members(f"{name}.{key}", inner, functions))
        elif what == "function":
            found[f"{name}.{key}"] = functions[inner]["name"]
        elif what in ("value", "constexpr"):
            found[f"{name}.{key}"] = _constant(inner)
        else:
            raise NotExportable(f"{name}.{key} is a {what}")
    return found


def _argument(told, known):
    (what, content), *_ = told.items()
    if what == "tensor":
        aligned = (content["offset"] * _bytes(content["dtype"])) % 16 == 0
        return "*" + _TYPES[content["dtype"]] + (":16" if aligned else "")
    if what == "descriptor":
        base = content["base"]["tensor"]
        return f"tensordesc<{_TYPES[base['dtype']]}[{', '.join(map(str, content['block_shape']))}]>:16"
    if what == "items":
        return "(" + ", ".join(_argument(item, known) for item in content) + ")"
    if isinstance(content, bool):
        return "i1"
    if isinstance(content, int):
        bits = "i32" if -2**31 <= content < 2**31 else "i64"
        return bits + (":1" if content == 1 else ":16" if content % 16 == 0 else "")
    if isinstance(content, float):
        return "fp32"
    return None


def _bytes(dtype):
    import torch
    return torch.empty((), dtype=getattr(torch, dtype)).element_size()


def command(record, path, target):
    """The words of a `tz compile` of the file."""
    words = ["tz", "compile", f"{path}::{record['kernel']}", "--target", target]
    source_text = "\n".join(record["functions"][0]["source"])
    header = source_text[:source_text.index("):") + 1] if "):" in source_text else source_text
    for name, told in record["arguments"].items():
        import re
        constexpr = re.search(rf"\b{re.escape(name)}\s*:\s*['\"]?(tl\.|triton\.language\.)?constexpr", header)
        spelled = None if constexpr else _argument(told, name)
        if spelled is None:
            (what, content), *_ = told.items()
            words += ["--constexpr", f"{name}={_word(content)}"]
        else:
            words += ["--arg", f"{name}={spelled}"]
    # A parameter of an option's name is the option as well.
    named = {name: told["constant"] for name, told in record["arguments"].items() if name in ("num_warps", "num_stages", "num_ctas")}
    for name, value in {**named, **record["options"]}.items():
        words += ["--option", f"{name}={_word(value)}"]
    return words


def export(record, path, target):
    """Writes the kernel's file; gives the command as text."""
    text = source(record)
    with open(path, "w") as out:
        out.write(text)
    return shlex.join(command(record, path, target))


__all__ = ["NotExportable", "arguments", "command", "export", "source"]
