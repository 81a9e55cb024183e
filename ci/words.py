"""Words that only this project would use for a thing that the field has a word for, and sentences that are too long.

ci/docs refuses both; docs/contribute/words.md shows the list.
"""
import os
import re

import book

DETERMINERS = "a|an|each|every|this|next|last|first|one|another|per|earlier|later|partial|same|whole|several|some|two|three|four"
# word, what to say, pattern
PRIVATE = (
    ("turn (of a loop)", "iteration", rf"\b(?:{DETERMINERS}) turns?\b(?! (?:off|on\b|into|out|it\b|around))|\bturns? (?:ahead|early|as often|that (?:is|are)|of (?:a|the|its|an unrolled) loops?)\b|`turns?`|\b(?:the|whose|of) turns\b|\bthe turn\b|\bloops?(?: around them)? turns?\b|\boften they turn\b"),
    ("copy engine", "bulk copy; TMA of NVIDIA's", r"\bcopy engines?\b"),
    ("blocks that run together", "cluster", r"\bblocks? (?:that )?run together\b"),
    ("rings", "ring buffers", r"(?<![\w%.])rings\b(?![\w(.\[]| =| of)"),
    ("warps for copies alone", "warp specialisation", r"\bcopies alone\b"),
)
TEXTS = ("*.md", "*.td", "*.def", "*.cpp", "*.h", "*.hpp", "*.mlir", "*.test")
# Data of tests, what others wrote, and pages that quote the words.
FREE = ("licenses/", "CHANGELOG.md", "docs/contribute/words.md", "docs/results/", "test/docs/")
MOST_WORDS = 30


def prose(name, line):
    """What of a line is for people: all of a page or definition, comments and texts of code."""
    if name.endswith((".cpp", ".h", ".hpp")):
        comment = re.match(r'^(?:[^"/]|"(?:\\.|[^"\\])*"|/(?!/))*(//.*)$', line)
        texts = [text for text in re.findall(r'"((?:\\.|[^"\\])*)"', line[:comment.start(1)] if comment else line) if " " in text]
        return " ".join([*texts, comment.group(1) if comment else line if line.lstrip().startswith("*") else ""])
    return re.sub(r"`[^`]*`", "", line)


def private_words():
    for name, text in book.tracked(*TEXTS).items():
        if name.startswith(FREE):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            said = prose(name, line)
            for word, instead, pattern in PRIVATE:
                if found := re.search(pattern, said):
                    yield f"{name}:{number}: '{found.group()}': say {instead}"


def table():
    return "| not | but |\n|---|---|\n" + "".join(f"| {word} | {instead} |\n" for word, instead, _ in PRIVATE)


def sentences(text):
    """Sentences of a page outside of code, tables and headings."""
    for block in re.split(r"\n\s*\n", book.without_code(re.sub(r"<!--.*?-->", "", text, flags=re.S))):
        lines = [line for line in block.split("\n") if not re.match(r"\s*(\||#|    )", line)]
        for item in re.split(r"^\s*(?:[*-]|\d+\.) ", "\n".join(lines), flags=re.M):
            item = re.sub(r"\]\([^)]*\)", "]", item).replace(" · ", ". ")  # a list in one line
            yield from re.split(r"(?<=[.!?])[*_)\"”]*\s+", " ".join(item.split()))


def length(sentence):
    return len(re.findall(r"[^\W_][\w'’.-]*", sentence))


def long_sentences(name):
    return [sentence for sentence in sentences(book.tracked("*.md")[name]) if length(sentence) > MOST_WORDS]


# Sentences of more than MOST_WORDS words that pages may have.
BUDGET = 0


def long_ones():
    """All long sentences, if they are more than the budget."""
    found = [(name, sentence) for name in book.tracked("docs/*.md", "README.md", "CONTRIBUTING.md") if not name.startswith(FREE) for sentence in long_sentences(name)]
    if len(found) > BUDGET:
        for name, sentence in found:
            yield f"{name}: more than {MOST_WORDS} words: {sentence[:90]}..."
        yield f"{len(found)} sentences have more than {MOST_WORDS} words; {BUDGET} are allowed (ci/words.py)"
