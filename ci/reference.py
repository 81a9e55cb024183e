"""Pages of docs/reference that are made of what programs include and import, and the check of its page of variables.

docs/reference/c-api.md of include/terrazzo/terrazzo.h, cpp-api.md of terrazzo.hpp, python-api.md of python/terrazzo:
declarations with their comments, without bodies. docs/reference/environment.md is written by hand; its first column
is held to the variables that the sources read.
"""
import ast
import os
import re

import book

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
C_HEADER, CPP_HEADER = "include/terrazzo/terrazzo.h", "include/terrazzo/terrazzo.hpp"
VARIABLES = "docs/reference/environment.md"
READERS = ("core", "runtime", "plugins", "backends", "python", "include")


def source(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def head(title, *made_of):
    return f"# {title}\n\nMade by `ci/docs --bless` from " + ", ".join(f"[{name}](../../{name})" for name in made_of) + ".\n"


TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|::|.", re.S)


def without_bodies(text):
    """C or C++ with its comments, in which each body of a function, and a constructor's initialisers, are a ';'."""
    kept, parens, is_function, initialisers, skipped = [], 0, False, None, 0
    for token in TOKEN.findall(text):
        if skipped:
            skipped += (token == "{") - (token == "}")
            continue
        parens += (token == "(") - (token == ")")
        if token == "(":
            is_function = True
        elif token == ":" and not parens and is_function and initialisers is None:
            initialisers = len(kept)
        elif token == "{" and not parens and is_function:
            skipped = 1
            if initialisers is not None and re.search(r"[\w>]$", "".join(kept[-40:])):  # of a member, not the body
                continue
            kept = list("".join(kept[:initialisers]).rstrip()) + [";"]
        if token in ";{}" and not parens or skipped:
            is_function, initialisers = False, None
            if skipped:
                continue
        kept.append(token)
    return "".join(kept)


def squeezed(text):
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")


def c_page():
    text = source(C_HEADER)
    rules = re.sub(r"^ \* ?", "", re.search(r"^ \* Rules  (.*?)^ \*===", text, flags=re.M | re.S).group(1), flags=re.M)
    rules = [" ".join(rule.split()) for rule in re.split(r"^\s*\d\. ", rules, flags=re.M)[1:]]
    page = head("The C API", C_HEADER)
    page += "\n[Embedding](../guide/embedding.md) shows programs that use it. [The C++ API](cpp-api.md) stands over it.\n\n## Rules\n\n"
    page += "".join(f"{number}. {rule}\n" for number, rule in enumerate(rules, 1))
    groups = re.split(r"^/\*===-- (.*?) -+===\*/$", text, flags=re.M)
    page += "\n## Versions\n\n" + c_block(groups[0][groups[0].index("#define TZ_VERSION_MAJOR"):])
    for title, body in zip(groups[1::2], groups[2::2]):
        page += f"\n## {title}\n\n" + c_block(body)
    return page


def c_block(text):
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^#(?:ifndef|endif).*\n|^#define \w+\n", "", text, flags=re.M)
    text = re.sub(r"^TZ_API ", "", text.replace("static inline ", ""), flags=re.M)
    return "```c\n" + squeezed(without_bodies(text)) + "\n```\n"


def cpp_page():
    text = source(CPP_HEADER)
    page = head("The C++ API", CPP_HEADER)
    page += ("\nOne header over [the C API](c-api.md), whose rules hold here too, in the namespace `tz`. [Embedding](../guide/embedding.md) shows programs that use it.\n"
             "Errors are exceptions.\n")
    body = text[text.index("namespace tz {") + len("namespace tz {"):text.rindex("} // namespace tz")]
    body = re.sub(r"^namespace detail \{.*?^\} // namespace detail\n", "", body, flags=re.M | re.S)
    for chunk in re.split(r"\n\n(?=\S)(?!private:|public:)", body):
        chunk = chunk.strip("\n")
        title = re.search(r"^(?:inline [\w:]+|class|struct) (\w+)[ (]", chunk, flags=re.M)
        if not title or re.match(r"^class \w+;$", chunk.split("\n")[-1]) or re.match(r"inline \w+(?: \w+)?::", chunk):
            continue
        chunk = re.sub(r"^private:\n.*?(?=^\};)", "", chunk, flags=re.M | re.S)
        chunk = without_bodies(chunk).replace("\n\n};", "\n};")
        chunk = squeezed(re.sub(r"^( *)inline ", r"\1", chunk, flags=re.M))
        page += f"\n## {title.group(1)}\n\n```cpp\n{chunk}\n```\n"
    return page


# Each has a section of its own.
PYTHON_MODULES = ("errors", "testing", "knobs")


def python_page():
    package = "python/terrazzo/"
    tree = ast.parse(source(package + "__init__.py"))
    lazy = next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "_lazy")
    page = head("The Python API", package + "__init__.py")
    page += ("\nThese are the names of the package, with their signatures and docstrings. [The Python package](../guide/python.md) shows how they are used;\n"
             "[the language](language.md) has the names that kernels use.\n\n## terrazzo\n")
    for name, module in lazy.items():
        if module not in PYTHON_MODULES:
            file = package + module.replace(".", "/") + ".py"
            page += python_block(name, file, defined(file, name))
    for module in PYTHON_MODULES:
        file = package + module + ".py"
        page += f"\n## terrazzo.{module}\n\n{paragraph(ast.get_docstring(ast.parse(source(file))))}\n"
        for node in ast.parse(source(file)).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_") and ast.get_docstring(node):
                page += python_block(node.name, file, node)
    return page


def paragraph(text):
    return " ".join((text or "").split("\n\n")[0].split())


def defined(file, name):
    for node in ast.walk(ast.parse(source(file))):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name == name:
            return node
    raise SystemExit(f"docs: {file} has no {name}")


def python_block(name, file, node):
    lines = [*declared(node, "")]
    return f"\n### {name}\n\nIn [{os.path.relpath(file, 'python')}](../../{file}).\n\n```python\n" + "\n".join(lines) + "\n```\n"


def declared(node, indent):
    """A function or class, its docstring, settings and public methods, as Python."""
    doc = ast.get_docstring(node)
    text = [] if not doc else [f'{indent}    """' + doc.replace("\\", "\\\\").replace("\n", f"\n{indent}    ").replace(f"\n{indent}    \n", "\n\n")
                               + (f"\n{indent}    " if "\n" in doc else "") + '"""']
    if isinstance(node, ast.FunctionDef):
        decorators = [f"{indent}@{ast.unparse(each)}" for each in node.decorator_list if ast.unparse(each) in ("property", "staticmethod", "classmethod")]
        head = f"{indent}def {node.name}({ast.unparse(node.args)}):"
        return [*decorators, *([head, *text] if text else [head + " ..."])]
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    inner = []
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and (each.name == "__init__" and len(each.args.args) > 1 or not each.name.startswith("_") and ast.get_docstring(each)):
            inner += ["", *declared(each, indent + "    ")]
        elif isinstance(each, ast.Assign) and isinstance(each.value, ast.Call) and ast.unparse(each.value.func) == "Setting":
            inner += [f"{indent}    {ast.unparse(each)}"]
        elif isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_"):
            inner += [f"{indent}    {ast.unparse(each)}"]
    head = f"{indent}class {node.name}" + (f"({bases})" if bases else "") + ":"
    inner = ["", *inner] if text and inner and inner[0] else inner
    return [head, *text, *inner] if text or inner else [head + " ..."]


MADE = {"docs/reference/c-api.md": c_page, "docs/reference/cpp-api.md": cpp_page, "docs/reference/python-api.md": python_page}


def stale():
    """Pages that are not what their sources say: (path, text)."""
    for name, make in MADE.items():
        path, want = os.path.join(ROOT, name), make()
        if not os.path.exists(path) or source(name) != want:
            yield path, want


def read_variables():
    """TERRAZZO_* variables by a file that reads them; a message that names one is not a reader. Of Python's settings
    by Triton's name the second set: they may stand on the page, but have a table of their own in guide/python.md."""
    found, settings = {}, set()
    for name, text in book.tracked(*(f"{folder}/*" for folder in READERS)).items():
        if not name.endswith((".cpp", ".h", ".hpp", ".py")) or re.search(r"(^|/)tests?/", name):
            continue
        for variable in re.findall(r"[\"'](TERRAZZO_[A-Z0-9_]+)[\"']", text):
            found.setdefault(variable, name)
        settings |= {"TERRAZZO_" + key for key in re.findall(r"Setting\(\s*\"TRITON_([A-Z0-9_]+)\"", text)}
    return found, settings


def variables():
    """What the page of variables lacks, and what it says of variables that nothing reads."""
    found, settings = read_variables()
    rows = [row for row in re.findall(r"^\| (`[^|]*) \|", source(VARIABLES), flags=re.M)]
    listed = {name for row in rows for name in re.findall(r"`(TERRAZZO_[A-Z0-9_]+)`", row)}
    for name in sorted(set(found) - listed):
        yield f"{VARIABLES}: {found[name]} reads {name}, which has no row"
    for name in sorted(listed - set(found) - settings):
        yield f"{VARIABLES}: nothing reads {name}"
