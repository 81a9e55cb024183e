"""The page of a folder of results: what was measured last, in at most LINES lines.

Of files whose names differ only in their date the newest counts; the others are
history. Files of another format are left out. The gain of a row is how much better
Terrazzo's figure is than a peer's: 2 is half the time, or twice the rate.
"""

import json
import os
import re

import results

LINES = 150
BEHIND = 0.95  # a row whose gain is below it is listed
NAMED = 40  # rows of a file that are named with their gains

HEAD = """# Figures

Made by `ci/docs --bless` from the newest files of [results/]({there}README.md), which benches write. A row's figure is the median of its samples.
The gain is how much better Terrazzo's figure is than the peer's: 2 is half the time, or twice the rate. The ratio of two medians of one run counts, never a figure alone.
"""


def is_other(path):
    """Whether a file says that it has another format. What says nothing, or cannot be read, is not left out in silence."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file).get("format", "terrazzo-bench") != "terrazzo-bench"
        except (ValueError, AttributeError):
            return False


def newest(folder):
    """name -> (path below the folder, document) of the files that count, by name."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if not name.endswith(".json") or is_other(full):
                continue
            document = results.read(full)
            key = re.sub(r"\d{4}-\d{2}-\d{2}-", "", os.path.relpath(full, folder))[:-len(".json")]
            if key not in found or found[key][1]["date"] < document["date"]:
                found[key] = (os.path.relpath(full, folder), document)
    return dict(sorted(found.items()))


def ours(document):
    """The peer that the others are held against: Terrazzo, or the last one."""
    names = [peer["name"] for peer in document["peers"]]
    return "terrazzo" if "terrazzo" in names else names[-1]


def gain(row, one, other):
    share = results.ratio(row, one, other)
    return None if not share else share if row["better"] == "more" else 1 / share


def kind(row):
    """What rows of a file are averaged together: "cold first call" of "vit: cold first call", or the unit."""
    return row["name"].rpartition(": ")[2] if ": " in row["name"] else row["unit"]


def gains(document):
    """(kind, peer) -> {name of the row: gain}, least first."""
    made, one = {}, ours(document)
    for row in document["rows"]:
        for other in (peer["name"] for peer in document["peers"]):
            value = gain(row, one, other) if other != one else None
            if value:
                made.setdefault((kind(row), other), {})[row["name"].removesuffix(": " + kind(row))] = value
    return {key: dict(sorted(of.items(), key=lambda each: each[1])) for key, of in made.items()}


def summary(files):
    lines = ["", "## Gains", "", "![A tick is a row, the dot the geometric mean; right of 1 Terrazzo is better](gains.svg)", "", "| what | of | beside | rows | geometric mean | least | most |", "|---|---|---|---|---|---|---|"]
    for name, (_, document) in files.items():
        for (of, other), rows in gains(document).items():
            values = list(rows.values())
            lines.append(f"| {name} | {of} | {other} | {len(rows)} | {results.geometric_mean(values):.2f} | {values[0]:.2f} | {values[-1]:.2f} |")
    return lines


def sources(files, there):
    lines = ["", "## Where they come from", "", "| data | what | machine | date | commit | peers | command |", "|---|---|---|---|---|---|---|"]
    for name, (path, document) in files.items():
        machine = document["machine"]
        on = machine.get("device") or machine["processor"]
        peers = ", ".join(f"{peer['name']} {peer['version']}" for peer in document["peers"])
        command = " ".join(document["command"])
        lines.append(f"| [{name}]({there}{path}) | {document['what']} | {on}, {machine['cores']} cores | {document['date'][:10]} | {document['commit'][:17]} | {peers} | "
                     f"`{command if len(command) <= 160 else command[:157] + '...'}` |")
    return lines


def named(files):
    lines = ["", "## Rows", "", "Each row's gain, least first.", ""]
    for name, (_, document) in files.items():
        for (of, other), rows in gains(document).items():
            shown = " · ".join(f"{row} {value:.2f}" for row, value in list(rows.items())[:NAMED])
            lines.append(f"* **{name}, {of}, beside {other}**: {shown}" + (f" · and {len(rows) - NAMED} more" if len(rows) > NAMED else ""))
    return lines


def alone(files):
    """Rows that have no peer: their figure itself."""
    lines = []
    for name, (_, document) in files.items():
        one, values = ours(document), []
        for row in document["rows"]:
            if one in row["samples"] and one not in row.get("failed", ()) and len(row["samples"]) == 1:
                values.append((row["name"], results.statistics.median(row["samples"][one]), row["unit"]))
        if values:
            shown = " · ".join(f"{row} {value:.4g} {unit}" for row, value, unit in values[:NAMED])
            lines.append(f"* **{name}**: {shown}" + (f" · and {len(values) - NAMED} more" if len(values) > NAMED else ""))
    return ["", "## Without a peer", "", *lines] if lines else []


def behind(files, room):
    """The rows that are furthest behind, and those without a figure, in so many lines."""
    rows = sorted((value, name, of, other, row) for name, (_, document) in files.items()
                  for (of, other), each in gains(document).items() for row, value in each.items() if value < BEHIND)
    failed = [f"* {name}, {row['name']}: {peer}: {' '.join(why.split())[:160]}" for name, (_, document) in files.items()
              for row in document["rows"] for peer, why in row.get("failed", {}).items()]
    lines = []
    for title, each in ((f"## Behind a peer by more than {100 * (1 - BEHIND):.0f} %", [f"* {value:.2f} beside {other}: {name}, {row}, {of}" for value, name, of, other, row in rows]),
                        ("## Without a figure", failed)):
        space = (room - len(lines)) // (2 if not lines else 1) - 6
        if each and space > 0:
            lines += ["", title, "", *each[:space], *([f"* and {len(each) - space} more, in the data"] if len(each) > space else [])]
    return lines


def page(folder, there=""):
    """Markdown of a folder; `there` is the way from the page to it."""
    files = newest(folder)
    lines = HEAD.format(there=there).rstrip("\n").split("\n") + summary(files) + sources(files, there) + named(files) + alone(files)
    lines += behind(files, LINES - len(lines))
    if len(lines) > LINES:
        raise ValueError(f"{folder}: the page has {len(lines)} lines, more than {LINES}; results that are not current belong into history")
    return "\n".join(lines) + "\n"
