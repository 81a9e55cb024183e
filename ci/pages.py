"""Pages that are made of data: docs/results/nightly.md of results/nightly.json, docs/results/mutants.md of results/mutants.json,
docs/results/ordering.md of results/ordering.json, docs/results/planted.md of results/planted.json, docs/results/suites.md of results/suites.json,
docs/results/instructions.md of results/instructions.json, docs/results/amd_machine_code.md of results/amd_machine_code.json,
docs/results/profiler.md of the newest files of each kind in results/profiler/ (test/bench/profiler).

ci/nightly, test/mutants/run, test/fibers/plant and plugins/*/test/plant write the data; they and ci/docs --bless write the pages.
results/suites.json is written by hand.
"""
import json
import os
import re
import statistics

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def data(name):
    return os.path.join(ROOT, "results", name + ".json")


def page(name):
    return os.path.join(ROOT, "docs", "results", name + ".md")


def read(name):
    with open(data(name), encoding="utf-8") as file:
        return json.load(file)


def write(name, document):
    """Puts the data in place with one rename, then its page."""
    with open(data(name) + ".new", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(data(name) + ".new", data(name))
    with open(page(name), "w", encoding="utf-8") as file:
        file.write(MADE[name](document))


def merged(old, new, key, group):
    """Rows of a run put into the rows of before. One of the same name is replaced in its place; a new one stands
    behind the last of its group; all others stay as they are, in their place."""
    rows = list(old)
    for row in new:
        names = [each[key] for each in rows]
        if row[key] in names:
            rows[names.index(row[key])] = row
            continue
        same = [i for i, each in enumerate(rows) if group(each[key]) == group(row[key])]
        rows.insert(same[-1] + 1 if same else len(rows), row)
    return rows


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]) + "\n"


def nightly(document):
    rows = [(r["part"], r["result"], r["ran"], r["time"], r["date"], r["commit"], r["machine"]) for r in document["rows"]]
    text = ("# The last nightly run\n\nMade from [results/nightly.json](../../results/nightly.json), which `ci/nightly` writes: what does not fit into `ci/test`'s half hour.\n"
            "A part that did not run keeps its row.\n\n"
            f"Last: {document['last']}.\n\n" + table(("part", "result", "ran", "time", "date", "commit", "machine"), rows))
    if document.get("shards"):
        text += ("\n## In shards\n\nParts that take hours run piece by piece (`ci/nightly --parts simulated --shards 1-4/40`). A case stays in its shard, so what ran at different times adds up. "
                 "Behind each commit and date stand its shards. *By earlier runs* are cases that passed before with the same code, inputs, expectation and device "
                 "([how](../reference/conformance.md#what-passed-before)).\n\n")
        text += table(("part", "cases covered", "passed", "failed", "skipped", "shards", "time", "commits", "dates"), [shard_row(part) for part in document["shards"]])
    if document["fuzz"]:
        text += (f"\n## Fuzz targets\n\nAn input may take {document['fuzz_limits']['seconds']} s and {document['fuzz_limits']['megabytes']} MB. More is a finding, "
                 "and so is any report of the address or undefined behaviour sanitizer.\n\n")
        names = ("target", "result", "inputs", "corpus files / size", "edges / features", "peak memory", "slowest input", "time")
        text += table(names, [[row[name] for name in names] for row in document["fuzz"]])
    reasons = {}
    for line in document["skipped"]:
        found = re.match(r"(.* :: \S+|\S+(?: \(TSan\))?: [^:]*): (.*)", line)
        reasons.setdefault(found.group(2) if found else "not said", []).append(line)
    if reasons:
        text += "\n## Skipped\n\nTests that the sanitizers' runs left out, by reason. The data names each.\n\n"
        text += table(("reason", "tests"), [(reason, len(names)) for reason, names in sorted(reasons.items(), key=lambda each: (-len(each[1]), each[0]))])
    return text


def with_shard(parts, name, of, cases, index, row):
    """The shards that ran, with one more. Cut into another number of shards, a part begins anew."""
    old = next((part for part in parts if part["part"] == name and part["of"] == of), {"ran": {}})
    mine = {"part": name, "of": of, "cases": cases, "ran": dict(sorted({**old["ran"], str(index): row}.items(), key=lambda each: int(each[0])))}
    if any(part["part"] == name for part in parts):
        return [mine if part["part"] == name else part for part in parts]
    return [*parts, mine]


def ranges(numbers):
    """[1, 2, 3, 7] as "1-3, 7"."""
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def shard_row(part):
    """One part that runs shard by shard: what all that ran add up to, and which ran where."""
    shards = part["ran"].values()

    def total(key):
        return sum(row[key] for row in shards)

    def where(key):
        return "; ".join(f"{value}: {ranges(int(i) for i, row in part['ran'].items() if row[key] == value)}" for value in dict.fromkeys(row[key] for row in shards))
    reasons = {}
    for row in shards:
        for reason, count in row["reasons"].items():
            reasons[reason] = reasons.get(reason, 0) + count
    covered = sum(total(key) for key in ("passed", "failed", "known_failures", "skipped"))
    failures = [name for row in shards for name in row["failures"]]
    proved = sum(row.get("proved", 0) for row in shards)  # rows of before have no such count
    return (part["part"], f"{covered:,} of {part['cases']:,} ({100 * covered / part['cases']:.0f} %)", f"{total('passed'):,}" + (f", {proved:,} of them by earlier runs" if proved else ""),
            f"{len(failures)}: {', '.join(failures)}" if failures else total("failed"), f"{total('skipped')}" + "".join(f"; {count}: {reason}" for reason, count in reasons.items()),
            f"{len(part['ran'])} of {part['of']}", f"{total('seconds')} s", where("commit"), where("date"))


def suites(document):
    """What is current; the data has earlier runs as well."""
    def share(row):
        ran = row["passed"] + row["failed"]
        return f"{row['passed']:,} ({100 * row['passed'] / ran:.3g} %)" + (f", {row['how']}" if row["how"] else "")
    text = ("# Suites that were written for Triton\n\nMade from [results/suites.json](../../results/suites.json). "
            "[How they are run](../contribute/testing.md#suites-that-were-written-for-triton). On the H100 Triton 3.6 passes each case that fails here.\n\n")
    text += table(("suite, its commit", "tests", "machine", "date, commit", "passed", "failed", "skipped"),
                  [(f"{row['suite']} ({row['commit']})", row["tests"], row["machine"], ", ".join(filter(None, (row["date"], row["tree"]))), share(row), row["failed"], row["skipped"])
                   for row in document["rows"]])
    return text + "\n## What fails, and why\n\n" + table(("suite", "what", "machine", "cases", "why"), [tuple(row.values()) for row in document["failing"]])


def mutants(document):
    killed, survived, others = document["killed"], document["survived"], document["no_mutants"]
    counted = len(killed) + len(survived)
    text = ("# Mutants\n\nMade from [results/mutants.json](../../results/mutants.json), which `test/mutants/run --write` writes. A mutant is a rule by which the CPU plugin's lowering "
            "is made wrong.\nIt is killed if `tz conform` fails on it ([R20](../contribute/rules.md#r20-honest-bars)). The data names the case that killed each.\n\n"
            f"{document['date']}, commit {document['commit']}, seed {document['seed']}, {document['ran']} rules of {document['rules']}, {document['seconds']:.0f} s on {document['machine']}: "
            f"**{len(killed)} of {counted} killed ({100 * len(killed) / max(counted, 1):.1f} %)**.\n"
            f"{len(survived)} survive. {others} are no mutants: they make invalid tile IR, or are about what the lowering never emits.\n\n")
    kinds = {}
    for rule in killed:
        kinds.setdefault(rule.split()[0], [0, 0])[0] += 1
    for rule in survived:
        kinds.setdefault(rule.split()[0], [0, 0])[1] += 1
    text += table(("kind of rule", "killed", "survive"), [(f"`{kind}`", *counts) for kind, counts in sorted(kinds.items())])
    text += "\n## Survivors\n\n" + (table(("rule", "why"), [(f"`{rule}`", why) for rule, why in survived.items()]) if survived else "None.\n")
    return text


def ordering(document):
    rows = document["rows"]
    counted = [row for row in rows if row["result"] != "harmless"]
    named = sum(row["result"] == "named" for row in counted)
    text = ("# Planted ordering faults\n\nMade from [results/ordering.json](../../results/ordering.json), which `test/fibers/plant --write` writes. A fault is one thing of a kernel's "
            "code that orders threads,\nleft out or made wrong: a barrier, a wait, a fence, a count. The kernel then runs on [fibers](../contribute/simt.md#what-the-fibers-see). "
            "The fault is *caught* if the case fails.\nIt is *named* if the message says both sides: memory, op, line, thread and warp of two accesses, or who waits for ever and where.\n\n"
            f"{document['date']}, commit {document['commit']}, seed {document['seed']}, {document['seconds']} s on {document['machine']}: "
            f"**{named} of {len(counted)} caught and named ({100 * named / max(len(counted), 1):.1f} %)**, {len(rows) - len(counted)} harmless.\n\n")
    table_rows = []
    for kind in sorted({row["kind"] for row in rows}):
        mine = [row for row in rows if row["kind"] == kind]
        results = [sum(row["result"] == result for row in mine) for result in ("named", "caught", "survived", "harmless")]
        commits = sorted({row.get("commit", document["commit"]) for row in mine})
        table_rows.append((kind, len(mine), *results, len({(row["machine"], row["case"]) for row in mine}), ", ".join(commits)))
    text += table(("kind", "sites", "caught and named", "only caught", "survived", "harmless", "kernels", "commit"), table_rows)
    reasons = {}
    for row in rows:
        if row["result"] == "harmless":
            reasons.setdefault(row["said"], []).append(row)
    text += ("\n## Harmless\n\nA site whose fault changed nothing in three orders of the threads, and that no access of the run needs. The pairs of accesses that it could mix up are "
             "counted byte by byte,\nwithout the clocks that find races. There are none, or another barrier orders each of them. Or no order of the threads\ncan show more than one does:\n\n" + table(("reason", "sites"), [(why, len(found)) for why, found in sorted(reasons.items())]))
    survived = [row for row in rows if row["result"] in ("survived", "caught")]
    text += "\n## Survived, or only caught\n\n" + (table(("kind", "case, machine", "site", "said"), [
        (row["kind"], f"{row['case']}, {row['machine']}", row["site"], row["said"][:120] or "nothing") for row in survived]) if survived else "None.\n")
    first = {}
    for row in rows:
        if row["result"] == "named":
            first.setdefault(row["kind"], row)
    text += "\n## What is said\n\nOf the first site of each kind.\n\n" + table(("kind", "message"), [
        (kind, re.sub(r"^the target fails: fibers:0: ", "", row["said"]).replace("<", "`<").replace(">", ">`")) for kind, row in sorted(first.items())])
    return text


def planted(document):
    """Mistakes in machine code, and what a simulated device said of them."""
    def counts(rows):
        return [sum(row["verdict"] == verdict for row in rows) for verdict in ("named", "caught", "missed", "harmless")]
    rows = document["rows"]
    named, caught, missed, _ = counts(rows)
    text = ("# Mistakes planted in machine code\n\nMade from [results/planted.json](../../results/planted.json), which `ci/nightly --parts planted` writes. A fault is one instruction of a kernel's "
            "machine code in place of its own.\nThe kernel then runs on a simulated device, in a case of the conformance suite. The fault is *named* if a finding tells of it, *caught* if only a wrong result does.\n"
            "While nothing tells of it, the launch runs again with other inputs. It is *harmless* if each byte of memory is the same behind each launch as without it, with all inputs.\n\n"
            f"{document['date']}, commit {document['commit']}, seed {document['seed']}, {document['seconds']} s on {document['machine']}: **{named + caught} of {named + caught + missed} caught "
            f"({100 * (named + caught) / max(named + caught + missed, 1):.1f} %)**, {named} of them named; {len(rows) - named - caught - missed} are harmless.\n\n")
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    mine = {kind: [row for row in rows if row["kind"] == kind] for kind in kinds}
    text += table(("kind", "sites", "named", "caught by the result", "missed", "harmless", "kernels", "commit"),
                  [(kind, len(mine[kind]), *counts(mine[kind]), len({(row["target"], row["case"]) for row in mine[kind]}), ", ".join(sorted({row["commit"] for row in mine[kind]})))
                   for kind in kinds])
    reasons = {}
    for row in rows:
        if row["verdict"] == "harmless":
            why = re.sub(r"all \d+ executions", "all executions", row["why"])
            reasons.setdefault(why, []).append(row)
    text += "\n## Harmless\n\n" + table(("reason", "sites"), [(why, len(found)) for why, found in sorted(reasons.items())])
    lost = [row for row in rows if row["verdict"] == "missed"]
    text += "\n## Missed\n\n" + (table(("kind", "case, target", "planted", "in place of", "why"), [
        (row["kind"], f"{row['case']}, {row['target']}", f"`{row['planted']}`", f"`{row['own']}`", row["why"]) for row in lost]) if lost else "None.\n")
    return text


def instructions(document):
    """Static figures of each variant of each example; no times."""
    text = ("# Machine code of the examples, without a device\n\nMade from [results/instructions.json](../../results/instructions.json), which `ci/nightly --parts offline` writes: what Intel's offline compiler makes of "
            "each example.\nNo kernel ran, and nothing here is a speed. *Loop* is the innermost loop with the largest share of matrix instructions, else the longest. *Spilled* are bytes of a lane.\n\n"
            f"{document['date']}, commit {document['commit']}, {document['compiler']}.\n")
    for target in sorted({row["target"] for row in document["rows"]}):
        rows = [row for row in document["rows"] if row["target"] == target]
        text += f"\n## {target}\n\n" + table(("case", "variant", "registers", "spilled", "instructions", "loop", "dpas of it", "share", "dpas", "2-D block loads", "calls"), [
            (row["case"], row["kernel"], row["registers"], row["spill_bytes"], row["instructions"], row["loop"] or "none", row["loop_dpas"],
             f"{100 * row['loop_dpas'] / row['loop']:.1f} %" if row["loop_dpas"] else "", row["dpas"], row["block_loads"], row["calls"]) for row in rows])
        refused = [row for row in document["refused"] if row["target"] == target]
        text += "\nRefused: " + ("; ".join(f"{row['case']} ({row['why']})" for row in refused) if refused else "none") + ".\n"
    return text


def whole_parts(document):
    """Rows of parts that ran shard by shard, of those of which all shards ran."""
    for part in document.get("shards", []):
        shards = list(part["ran"].values())
        if len(shards) == part["of"]:
            figures = {key: sum(row[key] for row in shards) for key in ("passed", "failed", "skipped")}
            yield {"part": part["part"], "date": max(row["date"] for row in shards), "commit": ", ".join(dict.fromkeys(row["commit"] for row in shards)),
                   "ran": ", ".join(f"{count} {what}" for what, count in figures.items())}


def targets():
    """Each target's last runs of the conformance suite and of random kernels, side by side, of what ci/nightly found. A whole
    suite counts more than a sample that ran on the same day or before it."""
    suite, kernels = {}, {}
    document = read("nightly")
    for row in [*document["rows"], *whole_parts(document)]:
        figures = {what: int(count) for count, what in re.findall(r"(\d+) (passed|failed|skipped|of them)", row["ran"])}
        of_suite = re.fullmatch(r"conformance of ([a-z]+(?::[\w+-]+)?)(?:, (\d+ cases of seed \d+))?", row["part"])
        of_random = re.fullmatch(r"random kernels (\d+) to (\d+), (\S+) against interp", row["part"])
        passed = f"{figures.get('passed', 0)}" + (f", {figures['of them']} of them by earlier runs" if figures.get("of them") else "")
        known = suite.get(of_suite.group(1)) if of_suite else None
        if of_suite and not (known and row["date"] < known[4]):
            suite[of_suite.group(1)] = (of_suite.group(2) or "all", passed, *(figures.get(key, 0) for key in ("failed", "skipped")), row["date"], row["commit"])
        elif of_random:
            kernels.setdefault(of_random.group(3), {})[int(of_random.group(1)), int(of_random.group(2))] = figures.get("passed", 0), figures.get("failed", 0)
    def random(target):
        ranges = kernels.get(target, {})  # one inside of another counts once
        runs = [run for (a, b), run in ranges.items() if not any(c <= a and b <= d and (c, d) != (a, b) for c, d in ranges)]
        return f"{sum(run[0] for run in runs)}, {sum(run[1] for run in runs)} failed" if runs else "none"
    rank = ("interp", "cpu", "nvidia", "intel", "amd", "fibers")
    ordered = sorted(suite, key=lambda target: (rank.index(target.split(":")[0]) if target.split(":")[0] in rank else len(rank), target))
    return table(("target", "cases", "passed", "failed", "skipped", "random kernels", "date", "commit"),
                 [(f"`{target}`", *suite[target][:4], random(target), *suite[target][4:]) for target in ordered])


def amd_machine_code(document):
    """The same kernels under two compilers, without a device; no times."""
    sides = [side for side in ("terrazzo", "triton") if any(side in row for row in document["rows"])]
    text = ("# AMD: machine code beside Triton's, without a device\n\nMade from [results/amd_machine_code.json](../../results/amd_machine_code.json), which `plugins/amd/test/static/table.py --write` writes: "
            "kernels of docs/examples, the same types,\nconstants and options under both compilers, and each compiler's default of stages (3, and 2). No kernel ran, and nothing here is a speed. The formulas stand in "
            "[figures.py](../../plugins/amd/test/static/figures.py).\nThe bar: no spills, accesses at least as wide, matrix instructions in every product, bytes in flight not fewer.\n\n"
            f"{document['date']}, commit {document['commit']}, {document['machine']}, {document['peer']}. A cell has {' / '.join(name.capitalize() for name in sides)}.\n\n")

    def cell(row, make):
        return " / ".join("failed" if "failed" in row[side] else str(make(row[side])) for side in sides if side in row)
    columns = (("VGPRs", lambda f: f["vgpr"]), ("AGPRs of them", lambda f: f["agpr"]), ("SGPRs", lambda f: f["sgpr"]), ("VGPRs, SGPRs spilled", lambda f: f"{f['vgpr_spills']}, {f['sgpr_spills']}"), ("LDS", lambda f: f["lds"]),
               ("widest, mean access", lambda f: f"{f['widest']}, {f['mean_width']:g}"), ("loop", lambda f: f["loop"] if f["has_loop"] else "none"),
               ("matrix", lambda f: f"{f['matrix']} ({100 * f['matrix'] / f['loop']:.1f} %)" if f["matrix"] else "-"), ("waits", lambda f: f["waits"]), ("LDS accesses", lambda f: f["lds_accesses"]),
               ("bytes in flight", lambda f: f["in_flight"]))
    text += table(("kernel", *(name for name, _ in columns)), [(row["case"], *(cell(row, make) for _, make in columns)) for row in document["rows"]])
    missed = [row for row in document["rows"] if row["misses"]]
    text += f"\n## The bar\n\n{len(document['rows']) - len(missed)} of {len(document['rows'])} rows hold it.\n\n"
    text += (table(("kernel", "misses", "why"), [(row["case"], ", ".join(row["misses"]), row["why"] or "not known") for row in missed]) if missed else "")
    text += "\n## Worse by more than a tenth\n\n" + table(("kernel", "what", "why"), [(row["case"], "; ".join(row["worse"]), row["worse_why"] or "not known") for row in document["rows"] if row["worse"]])
    return text


def newest(folder):
    """Of files that differ only in their date the newest: name -> (file, document)."""
    found = {}
    for file in sorted(os.listdir(os.path.join(ROOT, "results", folder))):
        with open(os.path.join(ROOT, "results", folder, file), encoding="utf-8") as text:
            found[re.fullmatch(r"\d{4}-\d\d-\d\d-(.*)\.json", file)[1]] = file, json.load(text)
    return found


def diagnoses(rows):
    """What the rules say of each kernel, and what the cure gives; the largest gain first."""
    made = []
    for row in sorted(rows, key=lambda row: -row["facts"]["gain"]):
        facts, medians = row["facts"], {peer: statistics.median(samples) for peer, samples in row["samples"].items()}
        library, _, file = row["name"].partition("/")
        said = "; ".join(f"{one['rule']}: {one['evidence']}" if one["rule"] == facts["rule"] else one["rule"] for one in facts["findings"]) or "nothing"
        made.append((library, file.split("-")[0], said, facts["cure"] or "none of those that it names", f"{medians['as it is']:.4g}",
                     f"{medians['cured']:.4g}" if "cured" in medians else "", f"**{facts['gain']:.2f}**" if facts["cure"] else ""))
    return (f"Of {len(rows)} launches {sum(bool(row['facts']['cure']) for row in rows)} gain by a change that the cure of a rule names, and that gives the same results. "
            "The evidence is that of the rule whose cure was taken.\n\n" +
            table(("library", "kernel", "what the rules say", "cure", "as it is, us", "cured, us", "gain"), made))


def profiler(documents):
    """Each row with all its peers: what is compared with what is in their names."""
    text = ("# What profilers cost, and where their samples are\n\nMade from [results/profiler](../../results/README.md), which `test/bench/profiler` writes. A figure is the median of its samples. "
            "*Over* is what a peer takes beyond the\nsame launches without a tool.\n")
    for file, document in documents.values():
        machine = document["machine"]
        text += f"\n## {document['what']}\n\n[{file}](../../results/profiler/{file}): {document['date'][:10]}, commit {document['commit']}, {machine.get('device', machine['processor'])}.\n"
        if any("findings" in row.get("facts", {}) for row in document["rows"]):
            text += "\n" + diagnoses(document["rows"])
            continue
        for row in document["rows"]:
            medians = {peer: statistics.median(samples) for peer, samples in row["samples"].items()}
            rows = []
            for peer in (one["name"] for one in document["peers"]):
                without = medians.get(peer.partition(",")[0])
                if peer in medians:
                    over = f"{medians[peer] - without:+.3g}" if "," in peer and without else ""
                    rows.append((peer, f"{medians[peer]:.4g}", over))
                elif peer in row.get("failed", {}):
                    rows.append((peer, "none: " + row["failed"][peer], ""))
            text += f"\n{row['name'][0].upper() + row['name'][1:]}, {row['unit']}:\n\n" + table(("peer", row["unit"], "over"), rows)
    return text


MADE = {"amd_machine_code": amd_machine_code, "instructions": instructions, "nightly": nightly, "mutants": mutants, "ordering": ordering, "planted": planted, "suites": suites}


def stale():
    """Pages that are not what their data says, as (file of the page, what it should be)."""
    made = {name: make(read(name)) for name, make in MADE.items()}
    made["profiler"] = profiler(newest("profiler"))
    for name, want in made.items():
        path = page(name)
        if not os.path.exists(path) or open(path, encoding="utf-8").read() != want:
            yield path, want
