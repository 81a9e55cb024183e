"""test/bench/race: a launch becomes a record that stands alone, and the record the same launch again."""

import importlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig

import pytest

pytest.importorskip("torch")

RACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "test", "bench", "race")

LIBRARY = """
import torch
import triton
import triton.language as tl

SCALE = tl.constexpr(3)


@triton.constexpr_function
def doubled(x):
    return 2 * x


LIMITS = torch.finfo(torch.float16)


@triton.jit
def scaled(x, LEAST: tl.constexpr = LIMITS.min, MOST: tl.constexpr = LIMITS.max):
    return x * SCALE + (0 if LEAST + MOST == 0 else 1)  # the limits are an object, of which two numbers are used
"""

PROGRAM = """
import torch
import triton
import triton.language as tl
import library
import recorder

# As recorder.install() does it with Triton's launcher, which is Python.
run = recorder._launch(lambda kernel, *args, grid, warmup, **named: kernel[grid](*args, **named))


def made(bias):
    @triton.jit
    def kernel(x, out, n, BLOCK: tl.constexpr, extra=None):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = library.scaled(tl.load(x + i, mask=i < n, other=0)) + bias + library.doubled(BLOCK)
        if extra is not None:
            v += tl.load(extra)
        tl.store(out + i, v, mask=i < n)
    return kernel


base = torch.arange(64, dtype=torch.int32)
x, out = base[4:44], torch.zeros(40, dtype=torch.int32)
for _ in range(3):
    run(made(tl.constexpr(7)), x, out, 40, BLOCK=16, num_warps=2, grid=(3,), warmup=False)
run(made(tl.constexpr(9)), x, out, 20, 32, extra=base[63:], grid=lambda meta: (triton.cdiv(20, meta["BLOCK"]),), warmup=False)
print(out.tolist())


class Compiled:
    # As Triton's compiled code, which is launched by grid.

    def __init__(self, kernel):
        self.kernel = kernel

    def __getitem__(self, grid):
        return lambda *args: self.kernel[grid](*args)


Compiled.__getitem__ = recorder._of_compiled(Compiled.__getitem__)
warm_up = recorder._launch(lambda kernel, *args, grid, warmup, **named: Compiled(kernel))
held = warm_up(made(tl.constexpr(1)), torch.int32, torch.int32, 1, 8, num_warps=1, grid=(1,), warmup=True)
held[(5,)](x, out, 40, 8)
"""

REPLAY = """
import json, sys
import terrazzo.triton
import replay
for path in sys.argv[1:]:
    with open(path) as file:
        record = json.load(file)
    row = replay.Row(record, "cpu")
    launch = replay.Launch(record, "terrazzo", row.memory)
    row.memory.save()
    launch()
    out = launch.named["out"]
    print(json.dumps([len(record["grid"]), row.memory.changed(), out.tolist(), launch.named["x"].storage_offset() % 64]))
"""


def run(program, folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([RACE, str(folder), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=environment, cwd=folder,
                          timeout=120)


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("race")
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / "program.py").write_text(PROGRAM)
    os.environ["RACE_OUT"] = str(tmp_path / "records")
    try:
        (tmp_path / "records").mkdir()
        done = run("import terrazzo; terrazzo.install_as_triton(); "
                   "exec(compile(open('program.py').read(), 'program.py', 'exec'))", tmp_path)
    finally:
        del os.environ["RACE_OUT"]
    assert done.returncode == 0, done.stderr
    refused = tmp_path / "records" / "refused.jsonl"
    assert not refused.exists(), refused.read_text()
    return tmp_path, json.loads(done.stdout), sorted(str(path) for path in (tmp_path / "records").glob("*.json"))


def test_values_that_were_never_written(tmp_path):
    """What an array held before may be anything: near the largest number, or none."""
    program = """
import json, sys
import torch
import arguments
large = torch.full((8192,), 3e38)
large[::2] = -3e38
large[1::512] = float("nan")
made = [arguments._content(large), arguments._content(torch.full((8192,), float("inf"))), arguments._content(torch.zeros(8192))]
drawn = torch.empty(64)
arguments.Memory([], "cpu")._fill(drawn, {"normal": [0.0, float("nan"), -1.0, 1.0]})  # as records of version 1 may have it
made.append(bool(drawn.isfinite().all()))
print(json.dumps(made))
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} in {done.stdout}"))
    assert abs(made[0]["normal"][1] - 3e38) < 1e36 and made[0]["normal"][3] > 2.9e38
    assert made[1]["normal"] == [0.0, 1.0, -4.0, 4.0] and made[2]["normal"][1] == 0 and made[3]


def test_small_values_for_a_second_comparison(tmp_path):
    """A row whose results differ is wrong only if they do with small numbers, too."""
    program = """
import json
import torch
import arguments, race
drawn = [torch.empty(64), torch.empty(64, dtype=torch.int32)]
memory = arguments.Memory([], "cpu", small=True)
memory._fill(drawn[0], {"normal": [65.8, 10412.7, -65472.0, 65504.0]})
memory._fill(drawn[1], {"uniform": [1000, 2000]})  # indices and lengths stay
rows = [{"comparison": "different", "small_values": verdict} for verdict in ("equal", "near", "different", "not determined")]
wrong = [race.is_wrong(row) for row in rows]
print(json.dumps([drawn[0].abs().max().item(), drawn[1].min().item(), wrong, race.is_wrong({"comparison": "equal"})]))
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    largest, least, wrong, equal = json.loads(done.stdout)
    assert 0 < largest < 0.11 and least >= 1000
    assert wrong == [False, False, True, True] and not equal


def test_numbers_of_8_bits_are_drawn_as_numbers(tmp_path):
    """Drawn as bytes, a large tensor held NaN, and every sum over it was NaN in both compilers."""
    program = """
import json
import torch
import arguments
large = torch.randn(1 << 20).to(torch.float8_e4m3fn).repeat(5)
content = arguments._content(large)
drawn = torch.empty(1 << 16, dtype=torch.float8_e4m3fn)
arguments.Memory([], "cpu")._fill(drawn, content)
finite, deviation = bool(drawn.float().isfinite().all()), drawn.float().std().item()
print(json.dumps([content["normal"], finite, deviation, "exact" in arguments._content(large[:4096])]))
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    (mean, deviation, low, high), finite, drawn, small_is_exact = json.loads(done.stdout)
    assert abs(mean) < 0.1 and 0.9 < deviation < 1.1 and -8 < low < -3 and 3 < high < 8
    assert finite and 0.9 < drawn < 1.1 and small_is_exact


def test_tensors_of_the_host_say_that_they_are_the_devices():
    """Libraries ask where a tensor is, also in an operator of torch.library and in backward."""
    command = [sys.executable, os.path.join(RACE, "tests", "where_tensors_are.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_modules_for_programs_without_a_gpu(tmp_path):
    """A package without what it runs when it is imported, one that stands in for another, and no program in a library's place."""
    (tmp_path / "library").mkdir()
    (tmp_path / "library" / "__init__.py").write_text("raise ImportError('not wanted')")
    (tmp_path / "library" / "part.py").write_text("from other.module import given\nvalue = given + 1")
    program = """
import importlib.util, os, sys
import torch
import without_gpu
without_gpu.without_init("library", os.path.abspath("library"))
without_gpu.stand_in("other.module", given=4)
assert without_gpu.of("library.part", "value") == 5 and importlib.util.find_spec("other.module") is not None
from other.module import Mode
from other.module.below import decorated
assert Mode.FAST is Mode and decorated(len) is len
sys.path.insert(0, os.path.join(os.path.dirname(without_gpu.__file__), "shapes"))
assert importlib.util.find_spec("liger") is not None
without_gpu._hide_programs()
importlib.invalidate_caches()
assert importlib.util.find_spec("liger") is None
large, none = without_gpu.random(300, 1000, dtype=torch.float16, scale=2), without_gpu.random(0, 4)
assert large.shape == (300, 1000) and 1.9 < large.float().std() < 2.1 and none.shape == (0, 4)
assert without_gpu._compiled(print, grid=(1,), warmup=False).name == "print"
assert without_gpu._compiled(print, grid=(1,), warmup=True) is None
"""
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr


def test_records_replay_alone(records):
    folder, expected, paths = records
    assert len(paths) == 3  # equal launches are one record
    (folder / "library.py").unlink()  # a record needs nothing of the program
    done = run(REPLAY, folder, *paths)
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    values = [3 * (i + 4) for i in range(40)]
    first = [v + 7 + 32 for v in values]
    second = [v + 9 + 64 + 63 for v in values[:20]]
    third = [v + 1 + 16 for v in values]
    assert sorted(outcome[2] for outcome in found) == sorted([first, second + first[20:], third]) and expected == second + first[20:]


def test_records_are_checked_without_a_gpu(tmp_path):
    """By Triton, where it is: a record that it compiles, one whose source is not whole, one that is too large."""
    pytest.importorskip("triton")
    source = ["def kernel(x, n, BLOCK: tl.constexpr):", "    i = tl.arange(0, BLOCK)", "    tl.store(x + i, n, mask=i < n)"]
    function = {"name": "kernel", "kind": "jit", "bindings": {"tl": {"module": "triton.language"}}, "options": {}, "source": source}
    tensor = {"dtype": "int32", "shape": [128], "strides": [1], "storage": 0, "offset": 0, "content": {"empty": True}}
    record = {"id": "good", "kernel": "kernel", "bytes": 512, "grid": [1, 1, 1], "options": {"num_warps": 1},
              "storages": [{"bytes": 512, "align": 0}], "functions": [function],
              "arguments": {"x": {"tensor": tensor}, "n": {"constant": 100}, "BLOCK": {"constant": 128}}}
    without = json.loads(json.dumps(record).replace("tl.store(x + i, n", "absent(x + i, n"))
    large = {**record, "id": "large", "bytes": 5 * 10**9}
    for name, one in (("a-good", record), ("b-without", {**without, "id": "without"}), ("c-large", large)):
        (tmp_path / f"{name}.json").write_text(json.dumps(one))
    command = [sys.executable, os.path.join(RACE, "race.py"), "check", "--remove", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and "b-without.json: " in lines[0] and "absent" in lines[0]
    assert "c-large.json: 5.0 GB of tensors; removed" in lines[1]
    assert sorted(path.name for path in tmp_path.glob("*.json")) == ["a-good.json"]


def test_records_tell_the_launch(records):
    _, _, paths = records
    for path in paths:
        with open(path) as file:
            record = json.load(file)
        assert record["kernel"] == "kernel" and len(record["grid"]) == 3
        assert record["arguments"]["x"]["tensor"]["strides"] == [1] and record["arguments"]["x"]["tensor"]["offset"] == 4
        names = [function["name"] for function in record["functions"]]
        assert names[0] == "kernel" and set(names) == {"kernel", "scaled", "doubled"}
        options = {(3, 1, 1): {"num_warps": 2}, (1, 1, 1): {}, (5, 1, 1): {"num_warps": 1}}
        assert record["options"] == options[tuple(record["grid"])]


def test_a_record_as_a_file_and_a_command(tmp_path, monkeypatch):
    """`tz compile` reads what export writes, infinities among the constants too."""
    program = shutil.which("tz", path=sysconfig.get_path("scripts")) or shutil.which("tz")
    if program is None:
        pytest.skip("no tz on the path")
    monkeypatch.syspath_prepend(RACE)
    export = importlib.import_module("export")
    source = ["def kernel(x, out, LIMIT: tl.constexpr, BLOCK: tl.constexpr):", "    i = tl.arange(0, BLOCK)",
              "    v = tl.load(x + i)", "    tl.store(out + i, tl.where(v > FLOOR, v, LIMIT))"]
    record = {"kernel": "kernel", "functions": [{"name": "kernel", "kind": "jit", "source": source,
                                                 "bindings": {"tl": {"module": "triton.language"},
                                                              "FLOOR": {"constexpr": {"float": "-inf"}}}}],
              "arguments": {**{name: {"tensor": {"dtype": "float32", "offset": 0}} for name in ("x", "out")},
                            "LIMIT": {"constant": {"float": "inf"}}, "BLOCK": {"constant": 16}},
              "options": {"num_warps": 2}}
    words = shlex.split(export.export(record, str(tmp_path / "kernel.py"), "cpu"))
    assert "LIMIT=inf" in words
    done = subprocess.run([program, *words[1:], "--emit", "neutral", "-o", str(tmp_path / "kernel.mlir")], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "tile.kernel" in (tmp_path / "kernel.mlir").read_text()


def test_types_and_classes_of_the_language():
    program = """
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from kernel_source import _home, decode_constant, encode_constant

for type_ in (tl.float16, tl.float8e5, tl.int32, tl.int1):
    told = encode_constant((type_, 2))
    assert told["tuple"][0] == {"dtype": type_.name} and decode_constant(told, triton) == (type_, 2)
for kind in (tl.constexpr, tl.tensor, tl.dtype):
    assert _home(kind) == "triton.language.core" and getattr(tl.core, kind.__name__) is kind
"""
    done = run(program, os.path.dirname(RACE))
    assert done.returncode == 0, done.stderr


def test_an_object_that_stands_for_a_tensor_is_recorded_as_it(monkeypatch):
    """FlagGems gives its kernels such objects; the kernels were refused."""
    import torch
    monkeypatch.syspath_prepend(RACE)
    import arguments

    class Wrapper:
        def __init__(self, base):
            self._base, self.dtype = base, base.dtype

        def data_ptr(self):
            return self._base.data_ptr()
    base = torch.arange(6, dtype=torch.int32).view(2, 3)
    told = [arguments.describe(one, arguments.Storages(), None) for one in (base, Wrapper(base))]
    assert told[0] == told[1]
    assert told[1]["tensor"]["shape"] == [2, 3]
