"""Makes a small tree whose page of variables is wrong, and a header, and prints what ci/reference.py says. Run by reference.test."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "ci"))
sys.dont_write_bytecode = True
import book  # noqa: E402
import reference  # noqa: E402

folder = sys.argv[1]
book.ROOT = reference.ROOT = folder
FILES = {
    "docs/reference/environment.md": "| variable | meaning |\n|---|---|\n| `TERRAZZO_ONE` | `TERRAZZO_NO_ROW` is no row |\n| `TERRAZZO_GONE` | |\n| `TERRAZZO_TWO` | |\n",
    "core/A.cpp": 'auto a = environment("TERRAZZO_ONE"), b = environment("TERRAZZO_NO_ROW");\n',
    "runtime/B.cpp": 'log("TERRAZZO_GONE is only named in a message");\n',
    "python/c.py": 'two = Setting("TRITON_TWO", False)\nthree = Setting("TRITON_THREE")\n',
    "core/test/D.cpp": 'setenv("TERRAZZO_OF_A_TEST", "1", 1);\n',
}
for name, text in FILES.items():
    os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
subprocess.run(["git", "init", "-q", folder], check=True)
for fault in reference.variables():
    print(fault)
print("no more faults")

print(reference.without_bodies("""\
/// Of (this) thing; all of it {.
class Box : public Base {
public:
  explicit Box(int n = 3, Pair p = {})
      : Base(n), pair{p} {
    if (n) {
      count = n ? 1 : 2;
    }
  }
  int size() const { return count; } // in (bytes)
  std::function<void(int)> run;
};
enum { ONE = 1 };"""))
