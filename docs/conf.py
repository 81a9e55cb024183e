"""The book's settings: `ci/docs` builds docs/ with Sphinx and MyST into build/docs/html, which opens without a network."""
import os
import re

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

project = "Terrazzo"
author = "The Terrazzo authors"
copyright = author
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
# README.md is what a forge shows of the folder; index.md begins with its text.
exclude_patterns = ["README.md", "examples/**"]
nitpicky = True
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 3, "collapse_navigation": True}
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
smartquotes = False


class Mlir(RegexLexer):
    """Colours of MLIR text; Pygments has none of its own."""
    name = "MLIR"
    aliases = ["mlir"]
    tokens = {"root": [
        (r"//.*$", Comment.Single),
        (r'"(\\.|[^"\\])*"', String),
        (r"%[\w#:]+", Name.Variable),
        (r"@[\w.$-]+", Name.Function),
        (r"\^\w+", Name.Label),
        (r"[#!][\w.]+", Keyword.Type),
        (words(("attributes", "else", "iter_args", "loc", "module", "step", "to"), suffix=r"\b"), Keyword),
        (r"\b(index|none|[su]?i\d+|b?f\d+\w*|tf32|tile|tensor|ptr|vector|memref)\b", Keyword.Type),
        (r"[a-z_]\w*(\.\w+)+", Name.Builtin),
        (r"-?(0x[0-9A-Fa-f]+|\d+(\.\d+)?([eE][-+]?\d+)?)", Number),
        (r"->|[=<>(){}\[\],:*?+-]", Operator),
        (r"\w+", Name),
        (r"\s+|.", Text),
    ]}


def outside_of_the_book(page, target):
    """The file or folder of the repository that a link of a page names, or None if it is a page."""
    path = os.path.normpath(os.path.join(os.path.dirname(page), target.split("#")[0]))
    inside = path.startswith(os.path.join(ROOT, "docs") + os.sep) and path.endswith(".md") and path != os.path.join(ROOT, "docs", "README.md")
    return None if inside or not os.path.exists(path) else path


def carry_files(app, docname, source):
    """Links to files of the repository become copies beside the pages; links to folders become their names."""
    page = app.env.doc2path(docname)
    if docname == root_doc:
        readme = os.path.join(ROOT, "docs", "README.md")
        app.env.note_dependency(readme)
        with open(readme, encoding="utf-8") as file:
            source[0] = source[0].replace("<!-- README.md -->\n", file.read())

    def link(match):
        text, target = match.group(1), match.group(2)
        path = None if re.match(r"^(\w+:|#)", target) else outside_of_the_book(page, target)
        if not path:
            return match.group(0)
        if path == os.path.join(ROOT, "docs", "README.md"):
            return f"[{text}](/index.md)"
        if os.path.isdir(path):
            return f"{text} (`{os.path.relpath(path, ROOT)}`)"
        return f"{{download}}`{text.replace('`', '')} <{os.path.relpath(path, os.path.dirname(page))}>`"
    pieces = re.split(r"(^```.*?^```$)", source[0], flags=re.M | re.S)
    source[0] = "".join(piece if piece.startswith("```") else re.sub(r"(?<!!)\[([^\]\[]*)\]\(([^)\s]+)\)", link, piece) for piece in pieces)


def setup(app):
    app.add_lexer("mlir", Mlir)
    app.connect("source-read", carry_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
