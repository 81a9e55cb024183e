"""A run's rows put into those of before: one is replaced in its place, a new one stands behind its group, the rest stays. Run by nightly.test."""
import importlib.machinery
import importlib.util
import os
import sys

CI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "ci")
sys.path.insert(0, CI)
loader = importlib.machinery.SourceFileLoader("nightly", os.path.join(CI, "nightly"))
sys.dont_write_bytecode = True
nightly = importlib.util.module_from_spec(importlib.util.spec_from_loader("nightly", loader))
loader.exec_module(nightly)
import pages  # noqa: E402


def rows(*names, result="old"):
    return [{"part": name, "result": result} for name in names]


old = rows("ASan + UBSan", "fuzz, a", "fuzz, b", "by hand", "conformance of x", "random kernels 1 to 2, x")
new = rows("fuzz, c", "conformance of x", "fuzz, a", "TSan, t", result="new")
for row in pages.merged(old, new, "part", nightly.group):
    print(row["part"], "=", row["result"])

document = {"last": "some parts", "fuzz": [], "fuzz_limits": {"seconds": 1, "megabytes": 2},
            "skipped": ["test-a: Suite.Case/v4: no such CPU", "test-a (TSan): Suite.Other", "terrazzo:test :: a/b.test: no such CPU"],
            "rows": [{"part": "a | b", "result": "clean", "ran": "1 test", "time": "1 s", "date": "2026-01-02", "commit": "abc", "machine": "2 cores", "note": "not shown"}]}

def shard(passed, commit, failures=(), **reasons):
    return {"passed": passed, "failed": len(failures), "known_failures": 0, "skipped": sum(reasons.values()), "reasons": reasons, "failures": list(failures),
            "seconds": 10, "date": "2026-01-02", "commit": commit, "machine": "2 cores"}


# Shards of several runs add up; one that runs again takes the place of what it was; another number of shards begins anew.
parts = []
for index, row in ((2, shard(90, "abc", no_f64=10)), (1, shard(80, "abc", failures=("x/wrong",), no_f64=5)), (1, shard(94, "def", no_f64=6)), (3, shard(99, "abc", failures=("y/wrong",)))):
    parts = pages.with_shard(parts, "conformance of y", 4, 400, index, row)
parts = pages.with_shard(parts, "conformance of z", 40, 400, 1, shard(10, "abc"))
parts = pages.with_shard(parts, "conformance of z", 2, 400, 1, {**shard(200, "abc"), "proved": 150})
document["shards"] = parts
print(pages.nightly(document))
