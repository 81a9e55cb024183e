#!/usr/bin/env python3
"""Makes docs/guide/views.png from the page of tz view.

  test/docs/views_picture.py TZ

Needs a browser of the Chromium family on PATH, and Pillow.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = ["--target", "nvidia:sm_90a", "--sig",
         "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,i32:1,i32:16,i32:1,i32:16,i32:1"]
CONSTANTS = ["BLOCK_M=128", "BLOCK_N=128", "BLOCK_K=64", "GROUP_M=8", "ACTIVATION=leaky_relu"]
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        sys.exit("no browser of the Chromium family is on PATH")
    try:
        from PIL import Image
    except ImportError:
        sys.exit("the picture is made small by Pillow: pip install pillow")
    source = (ROOT / "docs/examples/matmul.py").read_text().split("\n")
    line = next(number for number, text in enumerate(source, 1) if "tl.dot(" in text)
    with tempfile.TemporaryDirectory() as folder:
        page, shot = pathlib.Path(folder, "page.html"), pathlib.Path(folder, "shot.png")
        subprocess.run([sys.argv[1], "view", "docs/examples/matmul.py::matmul_kernel", *WORDS,
                        *[word for one in CONSTANTS for word in ("--constexpr", one)], "-o", page], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1280,600",
                        "--virtual-time-budget=10000", f"--user-data-dir={folder}/profile", f"--screenshot={shot}",
                        f"{page.as_uri()}#theme=light&line=matmul.py:{line}"], check=True, capture_output=True)
        picture = ROOT / "docs/guide/views.png"
        Image.open(shot).convert("RGB").quantize(48).save(picture, optimize=True)
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
