"""What ci/docs asks of the pages as a book: Sphinx builds it without a warning, links and names of files lead somewhere, and code can be read.

Each function gives sentences, none of which a right tree has.
"""
import ast
import functools
import json
import os
import re
import shutil
import subprocess
import textwrap

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PLACEHOLDERS = {"docs/x.md"}  # in the grammar of lists of known failures


@functools.lru_cache
def tracked(*patterns):
    """Files of the tree that git knows, and those that it would take, as text; binary ones are left out."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", *patterns], capture_output=True, text=True).stdout.split("\n")
    files = {}
    for name in names:
        path = os.path.join(ROOT, name)
        if name and os.path.isfile(path):
            try:
                files[name] = open(path, encoding="utf-8").read()
            except UnicodeDecodeError:
                pass
    return files


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def headings(text):
    """The anchors of a page, as a forge and MyST make them of its headings."""
    made = set()
    for title in re.findall(r"^#{1,6} +(.*)$", without_code(text), flags=re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        made.add(re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-"))
    return made


def links(name, text):
    """Targets of a page's links, as (path in the tree, anchor)."""
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(text)):
        if not re.match(r"^(https?:|mailto:)", target):
            path, _, anchor = target.partition("#")
            yield target, os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name, anchor


def broken_links():
    pages = tracked("*.md")
    for name, text in pages.items():
        for target, path, anchor in links(name, text):
            if not os.path.exists(os.path.join(ROOT, path)):
                yield f"{name}: link to {target}: no such file"
            elif anchor and path in pages and anchor not in headings(pages[path]):
                yield f"{name}: link to {target}: {path} has no such heading"


def names_of_pages():
    """Comments, messages and pages name pages: docs/guide/python.md. Each must be there."""
    for name, text in tracked().items():
        if name.startswith(("licenses/", "test/docs/")):  # wrong ones on purpose
            continue
        for page in set(re.findall(r"(?:(?<![\w/.])|(?<=%source/))docs/[\w./-]*\w", text)):
            if page.endswith((".md", ".py", ".mlir")) and page not in PLACEHOLDERS and not os.path.exists(os.path.join(ROOT, page)):
                yield f"{name}: there is no {page}"


def headings_named():
    """Code names headings of pages, as docs/reference/language.md#two-tiles. A rule is named by its heading, or by its letter and number."""
    pages = tracked("*.md")
    for name, text in tracked("*.cpp", "*.h", "*.hpp", "*.td", "*.def", "*.py", "*.cmake", "*.mlir").items():
        if name.startswith("test/docs/"):  # wrong ones on purpose
            continue
        for page, anchor in set(re.findall(r"(?<![\w/.])(docs/[\w./-]*\.md)#([\w-]+)", text)):
            if page in pages and anchor not in headings(pages[page]):
                yield f"{name}: {page} has no heading #{anchor}"
        if found := re.search(r"\blanguage rules? \d+", text):
            yield f"{name}: '{found.group()}': name the heading of the page that says it"


SOURCES = ("core", "include", "runtime", "plugins", "backends", "python", "test", "ci", "docs")


def names_of_files():
    """Paths in code marks, as `core/wire/Opcodes.def`, are there. A word in capitals stands for a name."""
    for name, text in tracked("*.md").items():
        if name == "CHANGELOG.md" or name.startswith("docs/decisions/"):  # they speak of their own time
            continue
        for path in set(re.findall(r"`((?:" + "|".join(SOURCES) + r")/[\w./-]*[\w/])`", without_code(text))):
            there = [os.path.join(ROOT, path), os.path.join(ROOT, os.path.dirname(name), path)]
            if not re.search(r"\b[A-Z]{3,}\b", path) and not any(map(os.path.exists, there)):
                yield f"{name}: there is no {path}"


MOST_LINKS = 3


def distances(first):
    """How many links lead from a page to each heading that links name: {"page#heading": count}."""
    pages, found, edge = tracked("*.md"), {first: 0}, [first]
    while edge:
        name, *edge = edge
        for _, path, anchor in links(name, pages[name]) if name in pages else ():
            for place in ({path, f"{path}#{anchor}"} if anchor else {path}):
                if place not in found:
                    found[place] = found[name] + 1
                    edge += [path] if place == path else []
    return found


def far_answers(page="docs/contribute/questions.md", index="docs/README.md"):
    """Each question is answered at a heading that the index reaches by few links."""
    text, reached = tracked("*.md").get(page, ""), distances(index)
    questions = re.split(r"^## +(.*)$", text, flags=re.M)[1:]
    if len(questions) < 20:
        yield f"{page}: there are {len(questions) // 2} questions, fewer than ten"
    for title, answer in zip(questions[::2], questions[1::2]):
        places = [f"{path}#{anchor}" for _, path, anchor in links(page, answer) if anchor]
        far = [place for place in places if reached.get(place, MOST_LINKS + 1) > MOST_LINKS]
        if not places:
            yield f"{page}: '{title}' is answered at no heading of another page"
        for place in far:
            yield f"{page}: '{title}': {place} is more than {MOST_LINKS} links from {index}"


def unreadable_code():
    """Blocks of Python and JSON can be parsed. What a block does is the business of the page's own test."""
    for name, text in tracked("*.md").items():
        for match in re.finditer(r"^```(python|json)\n(.*?)^```$", text, flags=re.M | re.S):
            language, code = match.groups()
            try:
                ast.parse(textwrap.dedent(code)) if language == "python" else json.loads(code)
            except ValueError as error:
                yield f"{name}:{text[:match.start()].count(chr(10)) + 2}: a block of {language}: {error}"
            except SyntaxError as error:
                yield f"{name}:{text[:match.start()].count(chr(10)) + 1 + (error.lineno or 1)}: a block of python: {error.msg}"


def commands(text):
    """(line, words) of each command in a block of code: behind a prompt, or at the start of a line that names a program of the tree."""
    for match in re.finditer(r"^```(?:sh)?\n(.*?)^```$", text, flags=re.M | re.S):
        line = text[:match.start()].count("\n") + 2
        for piece in re.split(r"(?<!\\)\n", match.group(1)):
            said = re.sub(r"\\\n", " ", piece)
            for one in re.split(r"\s*(?:&&|\|\|?|;)\s+", re.sub(r"\s#.*$|[<>]\([^)]*\)|\[[^\]]*\]", "", said)):
                words = re.sub(r"\"[^\"]*\"|'[^']*'", "TEXT", one).replace("$ ", "", 1).split()
                while words and re.match(r"[A-Z_]+=", words[0]):
                    words.pop(0)
                if words and re.match(r"(?:build/ci/bin/)?tz(?:-opt)?$|(?:ci|test)/[\w/.-]+$", words[0]):
                    yield line, words
            line += piece.count("\n") + 1


@functools.lru_cache
def help_of_commands(page="docs/reference/command-line.md"):
    """What the help of each command of tz says: {"run": text}."""
    parts = re.split(r"^## tz ?(.*)$", tracked("*.md").get(page, ""), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def wrong_in(words):
    """What a command line of the tree names that is not there."""
    program, rest = words[0].removeprefix("build/ci/bin/"), words[1:]
    options = [word.split("=")[0] for word in rest if re.match(r"--?[a-z]", word)]
    if program == "tz":
        helps = help_of_commands()
        name = " ".join(rest[:2]) if " ".join(rest[:2]) in helps else rest[0] if rest else ""
        if name not in helps and name not in options and name.isalpha() and name.islower():
            return f"tz has no command '{name}'"
        said = helps.get(name, "") + helps.get("", "")
    elif program == "tz-opt":
        said = tracked("*.md").get("docs/reference/passes.md", "")
        options = [option for option in options if re.match(r"--(tile|simt)-(?!neutral|prepared)", option)]
        said = said.replace("`tile-", "`--tile-").replace("`simt-", "`--simt-")
    elif not os.path.isfile(os.path.join(ROOT, program)):
        return f"there is no {program}" if not os.path.isdir(os.path.join(ROOT, program)) else None
    else:
        said = open(os.path.join(ROOT, program), encoding="utf-8", errors="replace").read()
        said += "--help" + "".join(f" --{name}" for name in re.findall(r'add_argument\("--([\w-]+)"', said))
    wrong = [option for option in options if not re.search(re.escape(option) + r"(?![\w-])", said)]
    return f"{program} has no option {wrong[0]}" if wrong else None


def wrong_commands():
    """Commands in blocks of code: programs, commands of tz and options that are there. What they print is the business of the page's own test."""
    for name, text in tracked("*.md").items():
        if name == "CHANGELOG.md" or name.startswith(("docs/decisions/", "docs/reference/specification/", "licenses/")):
            continue
        for line, words in commands(text):
            if wrong := wrong_in(words):
                yield f"{name}:{line}: {wrong}"


def pages_outside():
    """Sphinx tells of pages that no table of contents names, but says nothing of a folder that it leaves out."""
    for name in tracked("docs/*.md"):
        if name.startswith("docs/examples/"):
            yield f"{name}: the book leaves docs/examples out; move the page"


def builder():
    """Debian's Sphinx, which ci/setup installs; None if that cannot."""
    def found():
        return shutil.which("sphinx-build", path="/usr/bin") or shutil.which("sphinx-build")
    if not found():
        subprocess.run([os.path.join(ROOT, "ci", "setup")])
    return found()


def build():
    """Builds the book into build/docs/html, each time anew, since Sphinx does not repeat warnings; they, and whether there is a Sphinx."""
    program = builder()
    if not program:
        return [], False
    out = os.path.join(ROOT, "build", "docs")
    done = subprocess.run([program, "-q", "-E", "-W", "--keep-going", "-j", "2", "-b", "html", "-d", os.path.join(out, "doctrees"),
                           os.path.join(ROOT, "docs"), os.path.join(out, "html")], capture_output=True, text=True)
    lines = [line.replace(ROOT + "/", "") for line in done.stderr.splitlines() if "WARNING" in line or "ERROR" in line]
    if done.returncode and not lines:
        lines = ["the book: " + " ".join(done.stderr.split()[-60:])]
    return lines, True


def from_the_network():
    """A built page asks no other host for scripts, styles or fonts: it opens from a disk."""
    folder = os.path.join(ROOT, "build", "docs", "html")
    for path, _, names in os.walk(folder):
        for name in names:
            text = open(os.path.join(path, name), encoding="utf-8", errors="replace").read() if name.endswith((".html", ".css")) else ""
            for line in re.findall(r"<(?:script|link|img)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"|url\([\"']?(?:https?:)?//[^)]*\)", text):
                yield f"{os.path.relpath(os.path.join(path, name), ROOT)}: {line[:100]} needs a network"
