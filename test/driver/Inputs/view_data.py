"""Checks the data of tz view for softmax on the CPU: every line of a stage that names a place names one of the source's lines."""
import json
import sys

page = json.load(open(sys.argv[1]))
assert page["format"] == "terrazzo-view/0" and page["kernel"] == "softmax_kernel", page["format"]
compilation, = page["compilations"]
names = [stage["name"] for stage in compilation["stages"]]
assert names[:3] == ["tile", "neutral", "prepared"] and {"llvm", "asm"} <= set(names), names
assert any(text.startswith("simt: ") for text in compilation["absent"]), compilation["absent"]
source, = page["sources"]
assert source["path"].endswith("softmax.py") and source["first"] == 1

# The number of each place of the user's that a stage names, of its innermost user line.
def user_lines(stage):
    found = set()
    for at in stage["at"]:
        for place in at if isinstance(at, list) else [at]:
            while place >= 0 and page["files"][page["places"][place][0]].startswith("<"):
                place = page["places"][place][3]
            if place >= 0:
                file, line, _, _ = page["places"][place]
                assert page["files"][file] == source["path"], page["files"][file]
                assert 1 <= line <= len(source["lines"]), line
                found.add(line)
    return found


for stage in compilation["stages"]:
    assert len(stage["lines"]) == len(stage["at"]), stage["name"]
    if stage["name"] != "machine":
        # Load, exp and store; all of it inside of the kernel.
        assert {18, 20, 22} <= user_lines(stage) <= set(range(14, 23)), (stage["name"], user_lines(stage))

# The reduction is a function of the library: its lines hang at the calls.
tile = compilation["stages"][0]
reductions = [at for line, at in zip(tile["lines"], tile["at"]) if "tile.reduce" in page["strings"][line]]
assert len(reductions) == 2, reductions
for place, line in zip(reductions, (19, 21)):
    file, _, _, caller = page["places"][place]
    assert page["files"][file].startswith("<") and page["places"][caller][1] == line, page["places"][caller]

passes = compilation["passes"]
assert [one["pass"] for one in passes if "text" in one][0] == "tile-simplify"
recovered = next(one for one in passes if one["pass"] == "tile-recover-views")
assert any("tile.load_view" in page["strings"][line] for line in recovered["text"]["lines"])
# Behind the last pass stands what the stage is.
last = [one for one in passes if one["stage"] == "prepared" and "text" in one]
prepared = compilation["stages"][2]
assert not last or last[-1]["text"]["lines"] == prepared["lines"]
assert any(fact[0] == "grid" for fact in compilation["plans"][0]["facts"])
assert len(page["strings"]) == len(set(page["strings"]))
