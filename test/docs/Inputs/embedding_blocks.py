"""Compiles the blocks of C++ of a page against the public headers: embedding_blocks.py PAGE INCLUDE FOLDER.

What a block takes for granted, such as a thread pool of the program, stands in PRELUDE.
"""
import re
import shutil
import subprocess
import sys

PRELUDE = """#include <terrazzo/terrazzo.hpp>
struct Pool {
  unsigned size() const;
  void post(std::function<void()>);
};
extern Pool pool;
extern const int64_t n, rows, cols;
"""

page, include, folder = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    blocks = re.findall(r"^```cpp\n(.*?)^```$", file.read(), flags=re.M | re.S)
source = f"{folder}/blocks.cpp"
with open(source, "w", encoding="utf-8") as file:
    file.write(PRELUDE + "".join(f'void block{i}() {{\n#line 1 "block {i}"\n{block}}}\n' for i, block in enumerate(blocks)))
compiler = shutil.which("c++") or shutil.which("clang++-22")
done = subprocess.run([compiler, "-std=c++17", "-fsyntax-only", "-I", include, source], capture_output=True, text=True)
print(done.stderr or f"{len(blocks)} blocks")
sys.exit(done.returncode)
