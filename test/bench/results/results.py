"""Results of benches, in one form for all of them: schema.json beside this file.

    results = Results("launches from Python", peers={"terrazzo": "0.1.0", "triton": "3.6.0"})
    results.row("plain", "us", {"terrazzo": [3.1, 3.0], "triton": [9.8, 9.9]})
    results.row("graph", "us", {"terrazzo": [2.0]}, failed={"triton": "timeout"})
    results.write("out.json")

    python results.py FILE ...      checks files, and prints a table of each
    python results.py --page FOLDER     the page of a folder of such files (page.py)
    python results.py --picture FOLDER  its gains as a picture in SVG (picture.py)

A file is whole at any time: write() puts it in place with one rename, so a
bench may write after each row. Samples are in the order in which they were
taken. The figure of a row is the median of its samples.
"""

import argparse
import datetime
import json
import math
import os
import platform
import re
import signal
import statistics
import subprocess
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _schema():
    with open(os.path.join(_HERE, "schema.json"), encoding="utf-8") as file:
        return json.load(file)


_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float)}


def _problems(value, schema, place):
    """What JSON Schema's words of schema.json say against a value."""
    kind = schema.get("type")
    if kind and (not isinstance(value, _TYPES[kind]) or isinstance(value, bool)):
        yield f"{place} is no {kind}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is {value!r}, not one of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{place} is {value!r}, which does not match {schema['pattern']}"
    if kind in ("integer", "number") and (not math.isfinite(value) or value < schema.get("minimum", -math.inf)):
        yield f"{place} is {value}"
    if len(value) < schema.get("minLength", schema.get("minItems", 0)) if kind in ("string", "array") else False:
        yield f"{place} is empty"
    if kind == "array":
        for i, item in enumerate(value):
            yield from _problems(item, schema.get("items", {}), f"{place}[{i}]")
    if kind == "object":
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", {})
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{place} has no {name!r}"
        for name, item in value.items():
            if name not in properties and more is False:
                yield f"{place} has {name!r}, which the schema does not know"
            else:
                yield from _problems(item, properties.get(name, more), f"{place}.{name}")


def problems(document):
    """Sentences, none of which a right document has."""
    found = list(_problems(document, _schema(), "the file"))
    if found:
        return found
    names = [peer["name"] for peer in document["peers"]]
    for row in document["rows"]:
        for peer in (*row["samples"], *row.get("failed", ())):
            if peer not in names:
                found.append(f"row {row['name']!r} has the peer {peer!r}, which is not among {names}")
    return found


def machine(device=None, driver=None):
    """This machine, as the schema has it."""
    processor = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            processor = re.search(r"model name\s*:\s*(.*)", file.read()).group(1)
    except (OSError, AttributeError):
        pass
    made = {"processor": processor, "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}"}
    return {**made, **({"device": device} if device else {}), **({"driver": driver} if driver else {})}


def driver():
    """The version of the GPU's driver, where its tool tells one."""
    try:
        found = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"],
                               capture_output=True, text=True).stdout
    except OSError:
        found = ""
    return found.split("\n")[0].strip() or "unknown"


def commit():
    """Of the sources around this file; TERRAZZO_BENCH_COMMIT where they came without their history."""
    given = os.environ.get("TERRAZZO_BENCH_COMMIT")
    if given:
        return given
    def git(*words):
        return subprocess.run(["git", "-C", _HERE, *words], capture_output=True, text=True, check=True).stdout.strip()
    try:
        return git("rev-parse", "--short=10", "HEAD") + ("+changes" if git("status", "--porcelain", "-uno") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


class Results:
    """A document that grows by rows."""

    def __init__(self, what, peers, machine_facts=None, command=None):
        """peers: name -> version; command: sys.argv if it is left out."""
        self.document = {
            "format": "terrazzo-bench", "version": 1, "what": what, "machine": machine_facts or machine(),
            "commit": commit(), "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": list(command or sys.argv), "peers": [{"name": n, "version": v} for n, v in peers.items()], "rows": []}

    def row(self, name, unit, samples, better="less", failed=None, facts=None):
        """Adds a row; a peer without samples is left out of them, and says why in `failed`."""
        made = {"name": name, "unit": unit, "better": better,
                "samples": {peer: list(values) for peer, values in samples.items() if values}}
        self.document["rows"].append({**made, **({"failed": failed} if failed else {}), **({"facts": facts} if facts else {})})

    def write(self, path):
        found = problems(self.document)
        if found:
            raise ValueError("; ".join(found))
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.document, file, indent=1)
            file.write("\n")
        os.replace(path + ".new", path)


def read(path):
    """The document of a file; ValueError says what is wrong with it."""
    with open(path, encoding="utf-8") as file:
        try:
            document = json.load(file)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}: {error}") from None
    found = problems(document)
    if found:
        raise ValueError(f"{path}: " + "; ".join(found))
    return document


def ratio(row, one, other):
    """How `one` stands to `other`, of medians: below 1 is less. None if one of them has no samples, or failed."""
    if any(peer in row.get("failed", ()) or peer not in row["samples"] for peer in (one, other)):
        return None
    below = statistics.median(row["samples"][other])
    return statistics.median(row["samples"][one]) / below if below else None


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else None


def table(document):
    """Markdown: a line a row, the median of each peer; with two peers their ratio, least first."""
    names = [peer["name"] for peer in document["peers"]]
    lines = []
    for row in document["rows"]:
        cells = []
        for name in names:
            values = row["samples"].get(name)
            cells.append("failed" if name in row.get("failed", ()) else f"{statistics.median(values):.4g}" if values else "")
        share = ratio(row, names[1], names[0]) if len(names) == 2 else None
        lines.append((share if share is not None else math.inf, row["unit"],
                      f"| {row['name']} | {row['unit']} | " + " | ".join(cells) + f" | {'' if share is None else f'{share:.3f}'} |"))
    head = "| row | unit | " + " | ".join(names) + f" | {names[1] + ' / ' + names[0] if len(names) == 2 else ''} |"
    return "\n".join([head, "|---" * (len(names) + 3) + "|", *(line for _, _, line in sorted(lines, key=lambda l: (l[1], l[0], l[2])))])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--page", metavar="FOLDER", help="print the page of the newest files below it")
    parser.add_argument("--picture", metavar="FOLDER", help="print the gains of the newest files below it, as SVG")
    parser.add_argument("--there", default="", metavar="PATH", help="the way from the page to the folder, for its links")
    options = parser.parse_args()
    if bool(options.page) + bool(options.picture) + bool(options.files) != 1:
        parser.error("give files, or --page and a folder, or --picture and a folder")
    if options.page or options.picture:
        import page
        import picture
        try:
            print(page.page(options.page, options.there) if options.page else picture.picture(options.picture), end="")
        except (OSError, ValueError) as error:
            sys.exit(f"results.py: {error}")
        return 0
    bad = 0
    for path in options.files:
        try:
            document = read(path)
        except (OSError, ValueError) as error:
            print(f"results.py: {error}", file=sys.stderr)
            bad = 1
            continue
        print(f"{document['what']}; {document['date']}, {document['commit']}, "
              f"{document['machine'].get('device', document['machine']['processor'])}\n\n{table(document)}\n")
    return bad


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `... | head` ends it, without a traceback
    sys.modules["results"] = sys.modules["__main__"]  # page.py imports this file
    sys.exit(main())
