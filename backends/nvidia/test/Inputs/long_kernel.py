"""Prints a kernel of so many masked loads and stores."""
import sys

print("import triton\nimport triton.language as tl\n\n@triton.jit\ndef kernel(x, out, n):")
print("    at = tl.program_id(0) * 4096 + tl.arange(0, 4096)")
for i in range(int(sys.argv[1])):
    print(f"    tl.store(out + {i * 4096} + at, tl.load(x + {i * 4096} + at, mask=at < n) + 1.0, mask=at < n)")
