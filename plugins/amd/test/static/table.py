#!/usr/bin/env python3
"""Machine code of the same kernels under Terrazzo and under Triton's AMD backend, as figures. No GPU, no times.

    table.py TZ [--triton PYTHON] [--machine gfx942] [--only WORD] [--write results/amd_machine_code.json] [--keep FOLDER]

PYTHON is an interpreter that has Triton: python -m venv V; V/bin/pip install triton==3.6.0. Its wheel has the AMD backend.
figures.py has the formulas. A row misses the bar where ours spills registers of either kind, has a narrower widest access, no matrix instruction in
its loop where the other has some, or fewer bytes in flight. cases.py says why, where that is known.
"""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", "..", ".."))
EXAMPLES = os.path.join(ROOT, "docs", "examples")
sys.path.insert(0, HERE)
import cases
import figures

# Figure, and whether less is better; those that are told beside the bar.
COMPARED = {"vgpr": True, "loop": True, "waits": True, "lds": True}


def parameters_of(case):
    text = open(os.path.join(EXAMPLES, case.file), encoding="utf-8").read()
    inside = re.search(rf"^def {case.function}\((.*?)\):", text, re.M | re.S).group(1)
    return re.findall(r"^\s*(\w+)\s*(?::|=|$)", "\n".join(re.sub(r"#.*", "", inside).split(",")), re.M)


def ours(tz, case, machine):
    command = [tz, "compile", f"{os.path.join(EXAMPLES, case.file)}::{case.function}", "--target", f"amd:{machine}", "--emit", "asm", "-o", "-"]
    signature = []
    for name, kind in cases.arguments_of(parameters_of(case), case):
        if kind:
            signature.append(kind)
        elif re.match(r"^stride_", name):
            signature.append(str(case.constants[name]))
        elif name.isupper():
            command += ["--constexpr", f"{name}={case.constants[name]}"]
    command += ["--sig", ",".join(signature)]
    for name, value in case.options.items():
        command += ["--option", f"{name}={value}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[0][:200]}
    threads = int(re.search(r"\.max_flat_workgroup_size:\s*(\d+)", done.stdout).group(1))
    lanes = int(re.search(r"\.wavefront_size:\s*(\d+)", done.stdout).group(1))
    return {"text": done.stdout, "lds": None, "warps": threads // lanes, "lanes": lanes}


def theirs(python, chosen, machine):
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([python, os.path.join(HERE, "peer.py"), machine, EXAMPLES, *(case.name for case in chosen)],
                              capture_output=True, text=True, env=dict(os.environ, TRITON_CACHE_DIR=cache))
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(chosen):
        sys.exit(f"table.py: the peer ended after {len(lines)} of {len(chosen)} kernels:\n{done.stderr[-2000:]}")
    return [json.loads(line) for line in lines]


def version_of(python):
    """Of Triton; a sentence of what is missing ends the program."""
    try:
        done = subprocess.run([python, "-c", "import triton; print(triton.__version__)"], capture_output=True, text=True)
    except OSError as problem:
        sys.exit(f"table.py: --triton {python}: {problem.strerror}; it is an interpreter with triton==3.6.0")
    if done.returncode:
        sys.exit(f"table.py: --triton {python} has no Triton; install it there: {python} -m pip install triton==3.6.0")
    return done.stdout.strip()


def measured(made, keep, name):
    if "failed" in made:
        return {"failed": made["failed"]}
    if keep:
        with open(os.path.join(keep, name + ".s"), "w", encoding="utf-8") as file:
            file.write(made["text"])
    return {"warps": made["warps"], **figures.figures(made["text"], made["lanes"], made["warps"], made["lds"])}


def misses(row):
    """What of the bar a row misses, and what is worse by more than 10 %."""
    mine, other = row["terrazzo"], row.get("triton")
    if "failed" in mine:
        return ["does not compile"], []
    bar = [text for text, isMissed in (("spills", mine["vgpr_spills"] or mine["sgpr_spills"] or mine["scratch"]),) if isMissed]
    if not other or "failed" in other:
        return bar, []
    bar += [text for text, is_missed in (
        ("narrower accesses", mine["widest"] < other["widest"]), ("no matrix instruction", other["matrix"] and not mine["matrix"]),
        ("fewer bytes in flight", mine["in_flight"] < other["in_flight"])) if is_missed]
    worse = [f"{name} {mine[name]} for {other[name]}" for name in COMPARED if mine[name] > 1.1 * other[name]]
    share = [100 * side["matrix"] / side["loop"] for side in (mine, other)]
    if share[1] and share[0] < share[1] / 1.1:
        worse.append(f"share of matrix instructions {share[0]:.1f} % for {share[1]:.1f} %")
    return bar, worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tz")
    parser.add_argument("--triton", metavar="PYTHON", help="an interpreter with Triton; without it Terrazzo's figures alone are told")
    parser.add_argument("--machine", default="gfx942")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--write", metavar="FILE")
    parser.add_argument("--keep", metavar="FOLDER", help="keeps the assembly")
    given = parser.parse_args()
    if given.write and given.only:
        parser.error("--write takes all cases; leave out --only")
    version = version_of(given.triton) if given.triton else None
    if given.keep:
        os.makedirs(given.keep, exist_ok=True)
    chosen = [case for case in cases.CASES if given.only in case.name]
    peers = theirs(given.triton, chosen, given.machine) if given.triton else [None] * len(chosen)
    if not given.triton:
        print("no peer: --triton names no interpreter with Triton; figures of Terrazzo alone")
    rows = []
    for i, (case, peer) in enumerate(zip(chosen, peers)):
        row = {"case": case.name, "terrazzo": measured(ours(given.tz, case, given.machine), given.keep, f"{i}-terrazzo")}
        if peer:
            row["triton"] = measured(peer, given.keep, f"{i}-triton")
        row["misses"], row["worse"] = misses(row)
        row["why"] = cases.MISSES.get(case.name, "") if row["misses"] else ""
        row["worse_why"] = " ".join(why for text in row["worse"] if (why := cases.why_worse(case.name, text.split()[0])))
        rows.append(row)
        print(f"{case.name}: {', '.join(row['misses']) or 'the bar is held'}" + (f"; worse: {', '.join(row['worse'])}" if row["worse"] else ""), flush=True)
        for side in ("terrazzo", "triton"):
            if side in row:
                print(f"    {side:9} " + " ".join(f"{k}={v}" for k, v in row[side].items() if k not in ("kernel", "has_loop")))
    if given.write:
        commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True).stdout.strip()
        document = {"format": "terrazzo-amd-static", "date": datetime.date.today().isoformat(), "commit": commit, "machine": given.machine,
                    "peer": f"Triton {version}" if version else "none", "rows": rows}
        with open(given.write + ".part", "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
        os.replace(given.write + ".part", given.write)


if __name__ == "__main__":
    main()
