"""The page of tz view in a browser: it draws, links lines, checks its own arithmetic, and needs no network."""

import re
import shutil
import subprocess
import sysconfig

import pytest

SOFTMAX = """
import triton
import triton.language as tl


@triton.jit
def scaled(row):
    return row * 3.0


@triton.jit
def softmax(out, x, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * stride + i, mask=i < n, other=-float("inf"))
    top = tl.exp(scaled(row) - tl.max(row, axis=0))
    tl.store(out + tl.program_id(0) * stride + i, top / tl.sum(top, axis=0), mask=i < n)
"""
PRODUCT = """
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for k in range(0, K, BLOCK):
        left = tl.load(a + i[:, None] * K + k + i[None, :])
        right = tl.load(b + (k + i)[:, None] * BLOCK + i[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * BLOCK + i[None, :], total)
"""
LOAD, CALL, MULTIPLY = 14, 15, 8  # lines of softmax


def browser():
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    pytest.skip("no browser of the Chromium family is on PATH")


def tz(*words):
    program = shutil.which("tz", path=sysconfig.get_path("scripts")) or shutil.which("tz")
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=300)


def view(folder, text, kernel, *words):
    (folder / "kernels.py").write_text(text)
    page = folder / "page.html"
    done = tz("view", f"{folder / 'kernels.py'}::{kernel}", "-o", str(page), *words)
    assert done.returncode == 0, done.stderr
    return page


@pytest.fixture(scope="module")
def softmax(tmp_path_factory):
    folder = tmp_path_factory.mktemp("softmax")
    (folder / "samples.json").write_text('{"format": "terrazzo-samples/0", "unit": "samples", "lines": ['
                                         '{"file": "kernels.py", "line": 14, "count": 30, "why": {"memory": 25}},'
                                         '{"file": "kernels.py", "line": 15, "count": 10}]}')
    return view(folder, SOFTMAX, "softmax", "--target", "cpu:x86-64-v3", "--sig", "*fp32:16,*fp32:16,i32,i32", "--constexpr", "BLOCK=64",
                "--samples", str(folder / "samples.json"))


@pytest.fixture(scope="module")
def product(tmp_path_factory):
    folder = tmp_path_factory.mktemp("product")
    words = ["--sig", "*fp16:16,*fp16:16,*fp32:16,i32:16", "--constexpr", "BLOCK=64"]
    (folder / "kernels.py").write_text(PRODUCT)
    # Targets with layouts whose assembly names lines, one of each plugin.
    targets = []
    for target in re.findall(r"^ +code: ([^, \n]+)", tz("targets", "-v").stdout, re.M):
        done = [tz("view", f"{folder / 'kernels.py'}::product", "--target", target, *words, "--text", "--stage", stage)
                for stage in ("simt", "asm")]
        if all(one.returncode == 0 for one in done) and not re.search(r"^0 of \d+ lines", done[1].stdout, re.M):
            targets.append(target)
    if len(targets) < 2:
        pytest.skip("two plugins with layouts are not there")
    return view(folder, PRODUCT, "product", "--target", targets[0], *words, "--beside", f"--target {targets[1]}")


def common(folder):
    return [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}",
            "--window-size=1300,800", "--virtual-time-budget=10000"]


def shown(page, asked=""):
    """The document as the browser has made it, once its script is done."""
    done = subprocess.run([*common(page.parent), "--dump-dom", f"{page.as_uri()}#{asked}"], capture_output=True, text=True, timeout=120)
    assert 'data-ready="' in done.stdout and "data-error" not in done.stdout, done.stdout[:600] + done.stderr[-1000:]
    return done.stdout


def pane(document, name):
    """Rows of a pane: number of the line -> (classes, text)."""
    part = document.split(f'data-text="{name}"')[1].split('<div class="pane"')[0]
    rows = re.findall(r'<div class="(row[^"]*)"[^>]*data-line="(\d+)">(.*?)</div>', part)
    return {int(number): (set(classes.split()), re.sub("<[^>]*>", "", text)) for classes, number, text in rows}


def marked(rows, kind="strong"):
    return sorted(number for number, (classes, _) in rows.items() if kind in classes)


def picture(page, asked, size="1300,800"):
    shot = page.parent / "shot.png"
    shot.unlink(missing_ok=True)
    words = [word for word in common(page.parent) if not word.startswith("--window-size")]
    subprocess.run([*words, f"--window-size={size}", f"--screenshot={shot}", f"{page.as_uri()}#{asked}"],
                   capture_output=True, timeout=120, check=True)
    from PIL import Image  # which matplotlib brings

    return Image.open(shot).convert("RGB")


def share(image, color):
    wanted = bytes.fromhex(color)
    counts = image.getcolors(1 << 24)
    return sum(count for count, seen in counts if max(abs(a - b) for a, b in zip(seen, wanted)) < 6) / (image.width * image.height)


def test_a_line_of_the_source_marks_what_comes_from_it(softmax):
    document = shown(softmax, f"line=kernels.py:{LOAD}&panes=source:kernels.py,tile,asm")
    source, tile, asm = (pane(document, name) for name in ("source:kernels.py", "tile", "asm"))
    assert marked(source) == [LOAD]
    assert any("tile.load" in tile[number][1] for number in marked(tile)), marked(tile)
    assert not any("tile.store" in tile[number][1] or "tile.reduce" in tile[number][1] for number in marked(tile))
    assert asm


def test_marks_pass_through_inlined_calls(softmax):
    # From the call: what the called function does. From the called line: the call is marked weakly.
    tile = pane(shown(softmax, f"line=kernels.py:{CALL}&panes=source:kernels.py,tile"), "tile")
    assert any("arith.mulf" in tile[number][1] for number in marked(tile))
    assert any("tile.reduce" in tile[number][1] for number in marked(tile)), "a function of the library, too"
    document = shown(softmax, f"line=kernels.py:{MULTIPLY}&panes=source:kernels.py,tile")
    multiply, = [number for number in marked(pane(document, "tile")) if "arith.mulf" in pane(document, "tile")[number][1]]
    document = shown(softmax, f"line=tile:{multiply}&panes=source:kernels.py,tile,prepared")
    source = pane(document, "source:kernels.py")
    assert marked(source) == [MULTIPLY] and marked(source, "weak") == [CALL]
    assert "called at kernels.py:15" in document
    prepared = pane(document, "prepared")
    assert any("arith.mulf" in prepared[number][1] for number in marked(prepared))


def test_samples_and_remarks_stand_at_their_lines(softmax):
    document = shown(softmax)
    rows = pane(document, "source:kernels.py")
    assert "75.0%" in rows[LOAD][1] and "25.0%" in rows[CALL][1] and "30 samples: memory 25" in document
    assert "tile-legalize-math" in document  # exp is made of other operations


def test_passes_show_what_they_changed(softmax):
    document = shown(softmax, "tab=passes")
    assert 'data-pass="tile-recover-views"' in document and '<div class="plus">' in document and '<div class="minus">' in document


def test_layouts_are_what_the_compiler_says(product):
    document = shown(product, "tab=layouts")
    good, of = map(int, re.search(r"(\d+) of (\d+) elements are where the compiler puts them", document).groups())
    assert good == of > 0
    assert "Shared memory" in document and "<canvas" in document


def test_every_layout_and_diff_of_both_targets(product):
    """The page's own arithmetic, run by the browser on all its data."""
    text = product.read_text().replace('document.documentElement.dataset.ready', """
for (const one of data.compilations) for (const layout of one.layouts) {
  if (checkProbes(layout) !== layout.probes.length) throw new Error("layout " + layout.text);
  const drawn = ownersOf(layout, layout.shape.slice(0, -2).map(() => 0));
  if (Array.from(drawn.owners).some(owner => !owner)) throw new Error("an element without an owner: " + layout.text);
  for (const [at, place] of layout.probes) {
    if (at.slice(0, -2).some(Boolean)) continue;
    const owner = drawn.owners[(at.length > 1 ? at[at.length - 2] : 0) * drawn.columns + at[at.length - 1]];
    if (owner.join() !== place.join()) throw new Error("owner " + owner + ", not " + place + ": " + layout.text);
  }
}
for (const one of data.compilations) {
  let before = linesOf(one.stages[0]);
  for (const step of one.passes.filter(step => step.text)) {
    const after = linesOf(step.text), steps = difference(before, after);
    const old = steps.filter(part => part[0] !== "+").map(part => plain(part[1]));
    const fresh = steps.filter(part => part[0] !== "-").map(part => part[1]);
    if (old.join("\\n") !== before.map(plain).join("\\n") ||
        fresh.join("\\n") !== after.join("\\n")) throw new Error("difference of " + step.pass);
    before = after;
  }
}
document.documentElement.dataset.checked = data.compilations.map(one => one.layouts.length).join();
document.documentElement.dataset.ready""")
    page = product.parent / "checked.html"
    page.write_text(text)
    counts = re.search(r'data-checked="(\d+),(\d+)"', shown(page)).groups()
    assert all(int(count) > 0 for count in counts), counts


def test_two_compilations_beside_each_other(product):
    document = shown(product, "line=kernels.py:12")
    assert marked(pane(document, "asm")) or marked(pane(document, "b:asm"))
    assert all(re.search(rf"{side}: assembly \([\w-]+\)", document) for side in "AB")
    assert "registers" in shown(product, "tab=facts")


@pytest.mark.parametrize("theme, background, mark", [("light", "FFFFFF", "FFE49C"), ("dark", "14171D", "5D4B12")])
def test_pictures_are_not_blank(product, theme, background, mark):
    image = picture(product, f"theme={theme}&line=kernels.py:13&panes=source:kernels.py,simt,asm")
    assert 0.5 < share(image, background) < 0.98
    assert 0.003 < share(image, mark) < 0.5
    layouts = picture(product, f"theme={theme}&tab=layouts")
    assert len(layouts.getcolors(1 << 24)) > 300  # a colour of each lane


def test_the_page_loads_nothing(softmax, product):
    for page in (softmax, product):
        text = page.read_text()
        code = text.split('id="data">')[0] + text.split("</script>", 1)[1]
        assert not re.search(r"(?:src|href)\s*=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket", code)
        assert text.count("</script>") == 2
