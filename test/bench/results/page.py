"""The page of a folder of results: what was measured last, in at most LINES lines.

Of files whose names differ only in their date the newest counts. The others are
history, and so is the folder of that name. The folder profiler has a page of its
own (ci/pages.py). Files of another format are left out.
The gain of a row is how much better Terrazzo's figure is than a peer's: 2 is half
the time, or twice the rate.

A subfolder is a section: a table of its files, then the rows that are furthest
behind, each with the cause that causes.json knows for it.
"""

import json
import os
import re

import results

LINES = 150
BEHIND = 0.95  # a row whose gain is below it is listed
WORST = 10  # rows of a section that are named at most, each with its cause
LEAST = 8  # ... in the section of what others wrote
REASONS = 4  # of a file why rows have no figure
SECTIONS = {  # in the order of the page; other folders follow under their own names
    "gpu": "Kernels on a GPU",
    "race": "Kernels of other projects on a GPU",
    "torch_compile": "Models under torch.compile",
    "libraries": "Tests of libraries",
    "python": "Launches and starts from Python",
    "cpu": "Kernels on the CPU",
}

HEAD = """# Figures

What was measured last, as data in [results/]({there}README.md). `ci/docs --bless` makes this page of it. Each file has
the machine, the commit, the command and all samples.

A *gain* says how much better Terrazzo's figure is than the peer's: 2 is half the time, or twice the rate; below 1 the peer is better.
It is the ratio of two medians of one run, on one machine. *Gain* in a table is the geometric mean over the rows.

![A tick is a row, the dot the geometric mean; right of 1 Terrazzo is better](gains.svg)
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
    for path, folders, names in os.walk(folder):
        if path == folder:
            folders[:] = [one for one in folders if one not in ("history", "profiler")]
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


def causes(folder):
    """[(data, pattern of a row's name, cause)] of the folder's causes.json."""
    path = os.path.join(folder, "causes.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [(each["data"], re.compile(each["row"]), each["cause"]) for each in json.load(file)["causes"]]


def cause(known, name, row):
    return next((why for data, pattern, why in known if data == name and pattern.search(row)), "not known")


def cell(text):
    return text.replace("|", "\\|")


def versions(document, other):
    version = next(peer["version"] for peer in document["peers"] if peer["name"] == other)
    return other + (f" {version}" if re.match(r"\d", version) else "")


def compared(name, path, document, there):
    """A line for each kind of row and each peer of a file."""
    machine = document["machine"]
    on = machine.get("device") or f"{machine['processor']}, {machine['cores']} cores"
    lines = []
    for (of, other), rows in gains(document).items():
        values, least = list(rows.values()), next(iter(rows))
        lines.append(f"| [{cell(document['what'])}]({there}{path}) | {of} | {versions(document, other)} | {len(rows)} | **{results.geometric_mean(values):.2f}** | "
                     f"{values[0]:.2f} ({cell(least)}) | {values[-1]:.2f} | {on}, {document['date'][:10]}, {document['commit'][:17]} |")
    return lines


def alone(path, document, there):
    """A line for each kind of row that has no peer: how many, the median and the range."""
    kinds = {}
    for row in document["rows"]:
        one = ours(document)
        if one in row["samples"] and one not in row.get("failed", ()) and len(row["samples"]) == 1:
            kinds.setdefault((kind(row), row["unit"]), []).append(results.statistics.median(row["samples"][one]))
    return [f"| [{cell(document['what'])}]({there}{path}) | {'' if of == unit else of} | {len(values)} | {results.statistics.median(values):.4g} | "
            f"{min(values):.4g} | {max(values):.4g} | {unit} | {document['date'][:10]}, {document['commit'][:17]} |"
            for (of, unit), values in kinds.items()]


def failures(name, document):
    """Rows without a figure, together where the reason differs in numbers alone."""
    reasons = {}
    for row in document["rows"]:
        for peer, why in row.get("failed", {}).items():
            text = " ".join(why.split())[:160]
            reasons.setdefault(re.sub(r"\d+", "0", text), []).append((row["name"], peer, text))
    lines = []
    for found in list(reasons.values())[:REASONS]:
        rows, peers = {row for row, _, _ in found}, {peer for _, peer, _ in found}
        lines.append(f"* {name}: {len(rows)} row{'s' if len(rows) > 1 else ''} under {' and '.join(sorted(peers))}, such as {cell(found[0][0])}: {found[0][2]}")
    return lines + ([f"* {name}: {len(reasons) - REASONS} more reasons, in the data"] if len(reasons) > REASONS else [])


def behind(files, known, worst):
    rows = sorted((value, name, other, row) for name, (_, document) in files.items()
                  for (_, other), each in gains(document).items() for row, value in each.items() if value < BEHIND)
    if not rows:
        return []
    lines = ["", f"{len(rows)} row{'s are' if len(rows) > 1 else ' is'} behind by more than {100 * (1 - BEHIND):.0f} %" + (f"; the {worst} furthest:" if len(rows) > worst else ":"), "",
             "| gain | beside | row | cause |", "|---|---|---|---|"]
    return lines + [f"| {value:.2f} | {other} | {cell(row)} | {cause(known, name, row)} |" for value, name, other, row in rows[:worst]]


def section(title, files, there, known, worst):
    lines = ["", f"## {title}"]
    for head, made in (("| what | of | beside | rows | gain | least | most | measured on |", [line for name, (path, document) in files.items() for line in compared(name, path, document, there)]),
                       ("| without a peer | of | rows | median | least | most | unit | measured |", [line for path, document in files.values() for line in alone(path, document, there)])):
        if made:
            lines += ["", head, "|---" * (head.count("|") - 1) + "|", *made]
    failed = [line for name, (_, document) in files.items() for line in failures(name, document)]
    return lines + behind(files, known, worst) + (["", "Without a figure:", "", *failed] if failed else [])


def page(folder, there=""):
    """Markdown of a folder; `there` is the way from the page to it."""
    files, known = newest(folder), causes(folder)
    rooms = {}
    for name, each in files.items():
        rooms.setdefault(name.partition("/")[0] if "/" in name else "", {})[name] = each
    order = [*(room for room in SECTIONS if room in rooms), *(room for room in rooms if room not in SECTIONS)]
    for worst in range(WORST, 0, -1):  # fewer, where there are many sections
        lines = HEAD.format(there=there).rstrip("\n").split("\n")
        for room in order:
            lines += section(SECTIONS.get(room, room or "Runs"), rooms[room], there, known, max(worst, LEAST) if room == "race" else worst)
        if len(lines) <= LINES:
            return "\n".join(lines) + "\n"
    raise ValueError(f"{folder}: the page has {len(lines)} lines, more than {LINES}; results that are not current belong into history")
