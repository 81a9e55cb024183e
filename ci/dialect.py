"""The page of the simt dialect, docs/reference/simt-dialect.md, made of its definitions and of test/simt.

The tables of ops are those of ci/specification; words and constraints (C1, C2 ...) come from the descriptions in
include/terrazzo/simt/*.td, and examples are the first use of an op in a test.
"""
import glob
import importlib.machinery
import importlib.util
import json
import os
import re
import subprocess
import sys
import textwrap

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PAGE = "docs/reference/simt-dialect.md"
TOP = "terrazzo/simt/SimtOps.td"
GROUPS = (("SimtOps.td", "Ops that move tiles between threads"), ("SimtAsync.td", "Ops of copies that are not waited for"))


def specification():
    """ci/specification as a module."""
    loader = importlib.machinery.SourceFileLoader("specification", os.path.join(ROOT, "ci", "specification"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("specification", loader))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def records():
    out = subprocess.run(["/usr/lib/llvm-22/bin/llvm-tblgen", "-dump-json", "-I/usr/lib/llvm-22/include", "-Iinclude", "include/" + TOP],
                         cwd=ROOT, capture_output=True, text=True)
    if out.returncode:
        raise SystemExit("docs: llvm-tblgen: " + out.stderr)
    return json.loads(out.stdout)


def of_dialect(found, kind):
    """Records of a kind that the simt dialect has, in the order of the files."""
    text = "".join(open(os.path.join(ROOT, "include", "terrazzo", "simt", name)).read() for name in ("SimtBase.td", "SimtOps.td", "SimtAsync.td"))
    names = [name for name in found["!instanceof"].get(kind, ()) if re.search(rf"^def {name} :", text, flags=re.M)]
    return sorted(names, key=lambda name: text.index(f"def {name} :"))


def sentence(record):
    text = record["summary"] + "."
    return text if re.match(r"\w+\.\w", text) else text[:1].upper() + text[1:]


def described(record):
    """Prose and constraints of a description."""
    lines = textwrap.dedent(record.get("description") or "").strip().split("\n")
    prose, rules = [], []
    for line in lines:
        if match := re.match(r"\s*(C\d+)  (.*)", line):
            rules.append([match.group(1), match.group(2)])
        elif rules and line.startswith("  "):
            rules[-1][1] += " " + line.strip()
        else:
            prose.append(line)
    return "\n".join(prose).strip(), rules


def examples():
    """The first valid use of each op in a text test, else in the example of a pass, which ci/examples holds."""
    found = {}
    tests, passes = (sorted(glob.glob(os.path.join(ROOT, pattern))) for pattern in ("test/simt/*.mlir", "core/simt/passes/*.cpp"))
    for path in tests + passes:
        lines = open(path).read().split("\n")
        if path in passes:
            lines = [line[5:] if line.startswith("//   ") else "" for line in lines]
        for at, line in enumerate(lines):
            match = re.match(r"\s*(?:%[\w:, %]+ = )?\"?(simt\.\w+)", line)
            if not match or match.group(1) in found or at and "expected-error" in lines[at - 1]:
                continue
            text, indent = [line], len(line) - len(line.lstrip())
            while at + len(text) < len(lines) and (text[-1].endswith((",", "->")) or len(lines[at + len(text)]) - len(lines[at + len(text)].lstrip()) > indent + 2):
                text.append(lines[at + len(text)])
            found[match.group(1)] = "\n".join(each[indent:].rstrip() for each in text)
    return found


def op_section(name, record, found, tools, shown):
    title = "simt." + record["opName"]
    rows = [f"| `{title}` | {tools.effects(record, found)} |", "|---|---|"]
    for kind, argument in record["arguments"]["args"]:
        constraint = found[kind["def"]]
        if "TypeConstraint" in constraint["!superclasses"]:
            count, words = tools.type_words(constraint, found)
            rows.append(f"| operand `{argument}`{count} | {words} |")
        else:
            base = found[constraint["baseAttr"]["def"]] if constraint.get("baseAttr") else constraint
            default = constraint.get("defaultValue")
            words = base.get("summary") or constraint.get("summary") or "an attribute"
            optional = "; may be absent" if "OptionalAttr" in constraint["!superclasses"] or constraint.get("isOptional") else ""
            words = re.sub(r"(\d+)-bit signless integer", r"i\1", words.replace(" attribute", "")) + optional
            words += f"; default {default.split('::')[-1]}" if default else ""
            rows.append(f"| attribute `{argument}` | {'present or not' if words.startswith('unit') else words} |")
    for kind, result in record["results"]["args"]:
        count, words = tools.type_words(found[kind["def"]], found)
        rows.append(f"| result `{result}`{count} | {words} |")
    rows += [f"| types | {rule} |" for rule in tools.type_rules(record, found)]
    prose, rules = described(record)
    rows += [f"| {label} | {rule} |" for label, rule in rules]
    summary = sentence(record)
    text = f"\n### `{title}`\n\n{summary}\n\n" + "\n".join(rows) + "\n"
    text += f"\n{prose}\n" if prose else ""
    if title in shown:
        text += f"\n```mlir\n{shown[title]}\n```\n"
    return text


def page():
    found, tools, shown = records(), specification(), examples()
    dialect = found["Simt_Dialect"]
    text = (f"# The simt dialect\n\nMade by `ci/docs --bless` from `include/terrazzo/simt` and `test/simt`.\n\n{dialect['summary']}.\n\n{described(dialect)[0]}\n\n"
            "[A GPU on the SIMT library](../contribute/simt.md) says how a kernel gets these ops, and [one kernel](../learn/one-kernel.md#5-on-a-gpu-layouts) shows a layout.\n")
    for title, kind, mark in (("Attributes", "AttrDef", "#"), ("Types", "TypeDef", "!")):
        text += f"\n## {title}\n"
        for name in of_dialect(found, kind):
            record = found[name]
            prose, rules = described(record)
            summary = sentence(record)
            text += f"\n### `{mark}simt.{record['mnemonic']}`\n\n{summary}\n" + (f"\n{prose}\n" if prose else "")
            text += ("\n| constraint | |\n|---|---|\n" + "".join(f"| {label} | {rule} |\n" for label, rule in rules)) if rules else ""
    ops = of_dialect(found, "Op")
    for file, title in GROUPS:
        source = open(os.path.join(ROOT, "include", "terrazzo", "simt", file)).read()
        text += f"\n## {title}\n"
        for name in ops:
            if f"def {name} :" in source:
                text += op_section(name, found[name], found, tools, shown)
    return text
