"""Holds the machine code of conformance cases to what it must be, by Intel's offline compiler (`tz explain`).

    machine_code.py TARGET --filter REGEX     TARGET: intel:pvc, intel:dg2, or all
    machine_code.py all --examples            every example, in one type each
    machine_code.py all --examples --json OUT also writes what was found

One line a variant: registers, spills, matrix instructions, the hot loop. Exit status 1: a kernel does not compile, calls a
function, does a product of 16-bit floats or bytes without the matrix unit though its shape allows it, or spills though its
name matches --no-spills. Kernels that the machine refuses are listed with the reason. Exit status 2: there is no such
compiler here."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

# Of each element: how the machine's text names it, and how deep one instruction is.
ELEMENTS = {"f16": ("hf", 16), "bf16": ("bf", 16), "i8": ("b", 32)}
ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
LANES = {"intel:pvc": 16, "intel:dg2": 8}
REFUSED = re.compile(r"f64|fp64|64-bit floats")


def tz(*arguments):
    return subprocess.run(["tz", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


def cases(pattern):
    """(name, kernel's text, arguments of `tz run`) of each case, as `tz conform --show` prints them."""
    name, lines = None, []
    for line in tz("conform", "--show", "--filter", pattern).stdout.splitlines():
        if line.startswith("# tz run ") and name:
            words = shlex.split(line[len("# tz run "):])
            yield name, "\n".join(lines) + "\n", words
            name, lines = None, []
        elif name is None:
            name = line[2:] if line.startswith("# ") else None
        else:
            lines.append(line)


def explain(target, case):
    """The explanation, or why there is none."""
    name, text, words = case
    kept = []
    for flag, value in zip(words[1::2], words[2::2]):
        if flag in ("--grid", "--arg", "--constexpr", "--option", "--buffer", "--let"):
            kept += [flag, value]
    with tempfile.TemporaryDirectory() as folder:
        file, _, kernel = words[0].partition("::")
        path = os.path.join(folder, file)
        with open(path, "w") as out:
            out.write(text)
        done = tz("explain", f"{path}::{kernel}", "--target", target, "--json", *kept)
    return name, json.loads(done.stdout) if done.returncode == 0 else done.stderr.strip()


def wanted(target, found):
    """Element types whose products the matrix unit must do."""
    lanes, types = LANES[target], set()
    for line in found["lines"]:
        for fact in line["facts"]:
            dot = re.match(r"dot of (\d+)x(\d+)x(\w+) and \d+x(\d+)x(\w+) into \S+x(\w+),", fact)
            if not dot or dot[3] != dot[5] or dot[3] not in ELEMENTS or dot[6] not in ("f32", "i32"):
                continue
            element, depth = ELEMENTS[dot[3]]
            if int(dot[1]) % 8 == 0 and int(dot[2]) % depth == 0 and int(dot[4]) % lanes == 0:
                types.add(element)
    return types


def rows(name, target, found):
    """What is known of each variant."""
    facts = found["artifact"]
    for variant in found["variants"]:
        entry = variant["name"]
        of = lambda what: facts.get(f"{entry}.{what}", "")
        loop = re.match(r"(\d+) instructions, (\d+)", of("hot_loop"))
        yield {"case": name, "target": target, "kernel": entry, "registers": int(variant.get("registers", 0)),
               "spill_bytes": variant["spill_bytes"], "dpas": of("dpas"), "block_loads": of("block_loads"),
               "instructions": int(of("instructions") or 0), "loop": int(loop[1]) if loop else 0,
               "loop_dpas": int(loop[2]) if loop else 0, "calls": int(of("calls") or -1)}


def faults(row, types, may_spill):
    if row["instructions"] == 0:
        yield "no machine code was read"
    if row["calls"] > 0:
        yield f"{row['calls']} calls"
    if row["spill_bytes"] and not may_spill:
        yield f"spills {row['spill_bytes']} bytes"
    for element in types:
        if not re.search(rf"dpasw?\.\S+ of {LANES[row['target']]} lanes, {element}(;|$)", row["dpas"]):
            yield f"no matrix instruction of {LANES[row['target']]} lanes for {element}"


def examples():
    """A pattern of each example's cases in one type."""
    families = [name for path in glob.glob(os.path.join(ROOT, "test", "conformance", "*.cases"))
                for name in re.findall(r"^family (\w+): docs/examples", open(path).read(), re.M)]
    return f"^({'|'.join(sorted(families))})/[a-z0-9_]+/(f16|f8e4m3|i32)(/full)?$|^mamba_chunk_scan/passing/f32/full$"


def compiler():
    """What made the code, with its version where the system's packages tell it."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "intel-opencl-icd"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False) if shutil.which("dpkg-query") else None
    return "ocloc" + (f" of intel-opencl-icd {done.stdout.strip()}" if done and done.returncode == 0 else "")


def check(target, pattern, no_spills, document):
    """Prints what each case's code has, and adds it to the document. The number of cases, and of wrong ones."""
    count = wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, found in pool.map(lambda case: explain(target, case), list(cases(pattern))):
            count += 1
            if isinstance(found, str):
                wrong += not REFUSED.search(found)
                document["refused"].append({"case": name, "target": target, "why": found.split("\n")[0]})
                print(f"{target} {name}: {found}")
                continue
            for row in rows(name, target, found):
                document["rows"].append(row)
                bad = list(faults(row, wanted(target, found), not re.search(no_spills, name)))
                wrong += bool(bad)
                print(f"{target} {name} {row['kernel']}: {row['registers']} registers, {row['spill_bytes']} bytes spilled; "
                      f"{row['dpas']}; loop of {row['loop']}, {row['loop_dpas']} of them dpas"
                      + "".join("; WRONG: " + one for one in bad))
    return count, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", choices=[*sorted(LANES), "all"])
    parser.add_argument("--filter", help="regular expression over names of cases")
    parser.add_argument("--examples", action="store_true", help="every example's kernels, in place of --filter")
    parser.add_argument("--no-spills", default="^(matmul|attention)/", help="cases that must not spill (%(default)s)")
    parser.add_argument("--json", help="write what was found to this file")
    options = parser.parse_args()
    if bool(options.filter) == options.examples:
        parser.error("one of --filter and --examples is needed")
    if not shutil.which("ocloc"):
        print("Intel's offline compiler, ocloc, is not installed (Debian: intel-opencl-icd)")
        return 2
    document = {"compiler": compiler(), "rows": [], "refused": []}
    count = wrong = 0
    for target in sorted(LANES) if options.target == "all" else [options.target]:
        checked, bad = check(target, examples() if options.examples else options.filter, options.no_spills, document)
        count, wrong = count + checked, wrong + bad
    if options.json:
        with open(options.json, "w") as out:
            json.dump(document, out, indent=1)
    spilling = sum(row["spill_bytes"] > 0 for row in document["rows"])
    print(f"{count} cases: {len(document['rows'])} variants, {spilling} spill, {len(document['refused'])} refused, {wrong} wrong")
    return 1 if wrong or not document["rows"] else 0


if __name__ == "__main__":
    sys.exit(main())
