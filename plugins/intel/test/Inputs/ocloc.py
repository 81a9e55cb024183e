"""Compiles a SPIR-V module by Intel's offline compiler, and prints what its machine code has.

    ocloc.py DEVICE MODULE.spv      DEVICE: pvc or dg2

One line a kernel: how many matrix instructions of each kind, loads of 2-D blocks and prefetches, and calls, of which there
must be none. Then what the
compiler says of spilled registers. Exit status 1: it does not compile, or its code has a call."""
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)


def disassembler(folder):
    """ocloc opens the disassembler's library by a name that only development packages have."""
    found = glob.glob("/usr/lib/*/libiga64.so.1")
    if found:
        os.symlink(found[0], os.path.join(folder, "libiga64.so"))
    return folder


def main(device, module):
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made")
        compiled = run(["ocloc", "compile", "-spirv_input", "-file", module, "-device", device, "-output", made, "-output_no_suffix"])
        if "Build succeeded" not in compiled.stdout:
            print(compiled.stdout)
            return 1
        out = os.path.join(folder, "out")
        os.mkdir(out)
        environment = dict(os.environ, LD_LIBRARY_PATH=disassembler(folder))
        shown = run(["ocloc", "disasm", "-file", made, "-dump", out, "-device", device], env=environment)
        texts = sorted(glob.glob(os.path.join(out, "*.asm")))
        if not texts:
            print("no machine code was shown:", shown.stdout)
            return 1
        calls = 0
        for path in texts:
            kinds = collections.Counter()
            count = 0
            for line in open(path, errors="replace"):
                matrix = re.search(r"\b(dpasw?\.\w+) \((\d+)\|\w+\).*:(\w+)\s+r\S+:(\w+)", line)
                if matrix:
                    kinds[f"{matrix[1]} of {matrix[2]} lanes, {matrix[4]}"] += 1
                block = re.search(r"load_block2d\.ugm\.(\w+)\.", line)
                if block:
                    kinds[f"block loads {block[1]}"] += 1
                kinds["prefetches"] += bool(re.search(r"send\.ugm \(16\|M0\)\s+null\s.*rd:0; load\.ugm", line))
                count += bool(re.search(r"^\s*(\([^)]*\)\s+)?calla? ", line))
            name = re.sub(r"_KernelHeap\.asm$|\.asm$", "", os.path.basename(path))
            listed = ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items()) if n) or "no dpas"
            print(f"{name}: {listed}; {count} calls")
            calls += count
        for line in compiled.stdout.splitlines():
            if re.search("spill", line, re.I):
                print(line.strip())
        return 1 if calls else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
