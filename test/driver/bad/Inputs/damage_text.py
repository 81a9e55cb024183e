"""Writes a kernel file whose bytes are damaged: damage_text.py FILE nul|cr|crlf."""
import sys

KERNEL = """import triton
import triton.language as tl


@triton.jit
def k(out):
    value = 1
    tl.store(out, value)
"""
path, how = sys.argv[1:]
text = {
    "nul": KERNEL.replace("= 1", "= 1\0"),
    "cr": KERNEL.replace("\n", "\r"),
    "crlf": KERNEL.replace("\n", "\r\n"),
}[how]
with open(path, "w", newline="", encoding="utf-8") as file:
    file.write(text)
