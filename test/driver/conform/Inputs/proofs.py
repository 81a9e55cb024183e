"""tz conform --proofs: what is taken from earlier runs, and what is not. The target is the CPU.

A step changes one thing, says how many of the cases that pass may be taken from before, and which fail."""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

PASSES = {"proof/a_good", "proof/b_asserts", "compared/d_good", "compared/f_prints"}
faults = []


def run(step, text, folder, proved, failed=frozenset({"proof/c_wrong"}), says=None, **more):
    """One run of the cases in `text`; `proved`: names that must be taken from before, and no others."""
    cases, report = os.path.join(where, "now.cases"), os.path.join(where, "now.json")
    with open(cases, "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run(["tz", "conform", "--target", "cpu", "--cases", cases, "--filter", "^(proof|compared)/", "-j", "2", "--known-failures", "none",
                           "--proofs", folder, "--json", report], capture_output=True, text=True, env={**os.environ, **more}, check=False)
    with open(report, encoding="utf-8") as file:
        document = json.load(file)
    os.remove(report)
    rows = {row["name"]: row for row in document["cases"]}
    found = {
        "proved": ({name for name, row in rows.items() if row.get("proved")}, set(proved)),
        "failed": ({name for name, row in rows.items() if row["status"] == "failed"}, set(failed)),
        "count": (document["proved"], len(proved)),
        "last line": (f"{document['passed']} passed ({len(proved)} of them by earlier runs of the same code), {len(failed)} failed" in done.stdout, True),
        "status": (done.returncode, 1 if failed else 0),
        "notes": ([line for line in done.stderr.split("\n") if line.startswith("note: ")], [says] if says else []),
    }
    faults.extend(f"{step}: {what} is {got}, not {wanted}" for what, (got, wanted) in found.items() if got != wanted)
    return rows


def records(folder):
    return sorted(glob.glob(os.path.join(folder, "??", "*")))


def copy_of_plugin(build, name):
    """The CPU's plugin with another content of its device half."""
    folder = os.path.join(where, name)
    shutil.copytree(os.path.join(build, "lib", "terrazzo", "plugins.d"), folder, ignore=lambda _, names: [n for n in names if "cpu" not in n])
    with open(os.path.join(folder, "libtz_cpu_device.so"), "ab") as file:
        file.write(b"one byte more")
    return folder


parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("cases")
parser.add_argument("where")
options = parser.parse_args()
where = options.where
with open(options.cases, encoding="utf-8") as given:
    CASES = given.read()
kept = os.path.join(where, "kept")

rows = run("an empty folder", CASES, kept, ())
if len(records(kept)) != len(PASSES):
    faults.append(f"{len(records(kept))} records are kept, not {len(PASSES)}: failures and skips leave none")
if rows["compared/e_skipped"]["status"] != "skipped":
    faults.append("the case that the target has no feature for is not skipped")
run("the same again", CASES, kept, PASSES)
run("another name for what decides nothing", CASES, kept, PASSES, TERRAZZO_CACHE_DIR=os.path.join(where, "cache"))

# Wrong code under the name, inputs and expectation of what passed.
wrong = CASES.replace("tl.load(out + at) + n)\n\nfamily", "tl.load(out + at) - n)\n\nfamily")
run("wrong code", wrong, kept, PASSES - {"proof/a_good"}, {"proof/a_good", "proof/c_wrong"})
run("the right code again", CASES, kept, PASSES)
# 12.25 is right within a half; the same code is wrong within a tenth.
near = CASES.replace("tl.load(out + at) + n)\n\nfamily", "tl.load(out + at) + n + 0.25)\n\nfamily")
run("nearly right code", near, kept, PASSES - {"proof/a_good"})
run("nearly right code again", near, kept, PASSES)
run("a narrower tolerance", near.replace("within 0.5", "within 0.1"), kept, PASSES - {"proof/a_good", "proof/b_asserts"}, {"proof/a_good", "proof/c_wrong"})
run("another expectation", CASES.replace("out=full(12)", "out=full(13)"), kept, PASSES - {"proof/a_good", "proof/b_asserts"}, {"proof/a_good", "proof/c_wrong"})
run("other inputs", CASES.replace("out=full(7):f32[16]\n  arg n=f32:5\n  op d", "out=full(8):f32[16]\n  arg n=f32:5\n  op d"), kept, PASSES - {"compared/d_good", "compared/f_prints"})
run("another text of an assertion", CASES.replace("asserts n is four", "asserts n is five"), kept, PASSES - {"proof/b_asserts"}, {"proof/b_asserts", "proof/c_wrong"})
run("a variable of ours", CASES, kept, (), TERRAZZO_ANY="1")
run("another device half", CASES, kept, (), TERRAZZO_PLUGIN_PATH=copy_of_plugin(options.build, "other"))

# Records that are damaged are told in one line, and the cases run.
files = records(kept)
for path in files:
    with open(path, "r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"?")
run("damaged records", CASES, kept, (), says=f"note: {len(PASSES)} records in '{kept}' were damaged or of another format; their cases ran")
run("mended records", CASES, kept, PASSES)

# Two runs that share a folder.
shared = os.path.join(where, "shared")
both = [subprocess.Popen(["tz", "conform", "--target", "cpu", "--cases", options.cases, "--filter", "^compared/", "--proofs", shared, "-j", "1"],
                         stdout=subprocess.DEVNULL) for _ in range(2)]
if any(process.wait() for process in both) or len(records(shared)) != 2:
    faults.append(f"two runs at once leave {len(records(shared))} records, not 2")

print("\n".join(faults) or "as it should be")
sys.exit(bool(faults))
