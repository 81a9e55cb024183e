"""Files in folders that others may share, and a disk that fails at any call."""

import errno
import json
import os

import numpy as np
import pytest
import terrazzo
import terrazzo.triton as triton
import terrazzo.triton.language as tl
from terrazzo import knobs
from terrazzo.runtime import private_files

CONFIGS = [triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})]


@terrazzo.jit
def add_one(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


def once(call, quantiles):
    """Instead of a clock."""
    call()
    return [1.0 for _ in quantiles]


def tune():
    """Tunes with a table on the disk; gives the timings."""
    tuned = triton.autotune(CONFIGS, key=["n"], do_bench=once, cache_results=True)(add_one)
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, dtype=np.float32)
    tuned[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, out, 100)
    np.testing.assert_array_equal(out, x + 1)
    return tuned.configs_timings


def table(folder):
    tables = list((folder / "autotune").iterdir())
    assert len(tables) == 1, tables  # and no temporary file
    return tables[0]


@pytest.fixture
def folder(tmp_path):
    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        yield tmp_path


def test_odd_files_are_refused(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    file.chmod(0o600)
    assert private_files.read_own(file, 7) == b"content"
    with pytest.raises(OSError, match="larger than 6 bytes"):
        private_files.read_own(file, 6)
    file.chmod(0o620)
    with pytest.raises(OSError, match="others may have written it"):
        private_files.read_own(file, 7)
    os.mkfifo(tmp_path / "pipe")
    for odd in ("pipe", "/dev/zero"):
        with pytest.raises(OSError, match="not a regular file"):
            private_files.read_own(tmp_path / odd, 7)


def test_links_are_replaced(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"mine")
    link.symlink_to(target)
    private_files.replace(str(link), b"new")
    assert target.read_bytes() == b"mine" and link.read_bytes() == b"new" and not link.is_symlink()
    assert link.stat().st_mode & 0o777 == 0o600


def test_a_pipe_as_table_does_not_wait(folder):
    tune()
    path = table(folder)
    path.unlink()
    os.mkfifo(path)
    tune()
    assert path.is_file()  # written again


@pytest.mark.parametrize("content", [
    "", "[]", "null", "{", '{"configs": 3}', '{"configs": [3]}', '{"configs": [{}]}', "[" * 100000,
    '{"configs": [{"config": [], "ms": [1]}]}', "\xff", "WORDS", "NOTHING", "NAN"
], ids=range(13))
def test_any_table_is_read(folder, content):
    tune()
    path = table(folder)
    rows = json.loads(path.read_text())
    timings = {"WORDS": ["a", "b", "c"], "NOTHING": [], "NAN": [float("nan")] * 3}
    if content in timings:
        for row in rows["configs"]:
            row["ms"] = timings[content]
        content = json.dumps(rows)
    path.write_bytes(content.encode("latin-1"))
    assert set(tune()) == set(CONFIGS)
    for ms in json.loads(table(folder).read_text())["configs"]:
        assert all(isinstance(value, float) for value in ms["ms"])


class Failing:
    """The module os; the call number `at` of what touches files fails."""

    def __init__(self, at):
        self.at, self.calls = at, 0

    def __getattr__(self, name):
        real = getattr(os, name)
        if name not in ("open", "fdopen", "fstat", "makedirs", "replace"):
            return real

        def call(*args, **kwargs):
            self.calls += 1
            if self.calls == self.at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **kwargs)

        return call


def open_files():
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("there", [False, True], ids=["new", "there"])
def test_each_call_fails_once(folder, monkeypatch, recwarn, there):
    """A table is a help, never needed: each tuning works, nothing is left behind, and the next one finds a table."""
    passes = 0
    while True:
        if there:
            tune()
        failing = Failing(passes + 1)
        before = open_files()
        with monkeypatch.context() as patch:
            patch.setattr(private_files, "os", failing)
            assert set(tune()) == set(CONFIGS)
        assert open_files() == before
        assert not [path for path in folder.rglob("*") if ".tmp." in path.name]
        if failing.calls < passes + 1:
            break
        passes += 1
        tune()
        table(folder).unlink()
    assert passes == (3 if there else 5)
    assert there or any("No space left on device" in str(one.message) for one in recwarn)


def test_groups_and_files_of_the_cache_manager(tmp_path, monkeypatch):
    from terrazzo.triton.runtime.cache import FileCacheManager

    with knobs.cache.scope():
        knobs.cache.dir = str(tmp_path)
        files = FileCacheManager("key")
        monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        with pytest.raises(OSError, match="full"):
            files.put(b"content", "file")
        assert not list((tmp_path / "key").iterdir())  # no part is left
