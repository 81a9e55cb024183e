"""results.py: a file that is written is read as it was; what is wrong is refused and leaves no file. Run by results.test."""

import copy
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "results"))
import results  # noqa: E402

folder = sys.argv[1]
os.environ["TERRAZZO_BENCH_COMMIT"] = "abcdef0"
made = results.Results("a test", {"one": "1.0", "two": "2.0"})
made.row("first", "ms", {"one": [1.0], "two": [3.0, 2.0, 5.0]})
made.row("second", "ms", {"one": [2.0], "two": [1]}, facts={"phases": {"wait": 0.5}})
made.row("third", "ms", {"one": [1.0], "two": []}, failed={"two": "took longer than 5 s"})
good = os.path.join(folder, "good.json")
made.write(good)
document = results.read(good)
assert document == made.document and document["machine"]["cores"] >= 1 and document["rows"][2]["samples"] == {"one": [1.0]}
assert results.ratio(document["rows"][0], "two", "one") == 3.0 and results.ratio(document["rows"][2], "two", "one") is None
assert abs(results.geometric_mean([2.0, 8.0]) - 4.0) < 1e-9 and results.geometric_mean([]) is None


def refused(change, says):
    bad = copy.deepcopy(document)
    change(bad)
    found = results.problems(bad)
    assert any(says in problem for problem in found), (says, found)


refused(lambda d: d.pop("commit"), "has no 'commit'")
refused(lambda d: d.update(commit="main"), "does not match")
refused(lambda d: d.update(more=1), "which the schema does not know")
refused(lambda d: d.update(peers=[]), "is empty")
refused(lambda d: d["machine"].update(cores="16"), "is no integer")
refused(lambda d: d["rows"][0]["samples"].update(one=[]), "is empty")
refused(lambda d: d["rows"][0]["samples"].update(one=[float("nan")]), "is nan")
refused(lambda d: d["rows"][0]["samples"].update(three=[1.0]), "not among ['one', 'two']")
refused(lambda d: d["rows"][0].update(failed={"one": ""}), "is empty")

made.document["rows"][0]["better"] = "smaller"
try:
    made.write(os.path.join(folder, "never.json"))
    raise SystemExit("a wrong document was written")
except ValueError as error:
    assert "smaller" in str(error)
assert sorted(os.listdir(folder)) == ["good.json"]
with open(os.path.join(folder, "bad.json"), "w", encoding="utf-8") as file:
    json.dump(made.document, file)
