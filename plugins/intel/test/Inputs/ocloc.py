"""Compiles a SPIR-V module by Intel's offline compiler, and prints what its machine code has.

    ocloc.py DEVICE MODULE.spv              DEVICE: pvc or dg2
    ocloc.py DEVICE MODULE.spv --json OUT   the same as a list of objects, one for each kernel

One line a kernel: how many matrix instructions of each kind, loads of 2-D blocks and prefetches, and calls, of which there
must be none. Behind it, of each innermost loop with matrix instructions, how many of its instructions they are; then what the
compiler says of spilled registers. Exit status 1: it does not compile, or its code has a call."""
import argparse
import collections
import glob
import json
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


def instructions(path):
    """Lines of a kernel's text: labels as (name, None), instructions as (None, text)."""
    for line in open(path, errors="replace"):
        label = re.match(r"(L\d+):", line)
        if label:
            yield label[1], None
        elif line.strip():
            yield None, line


def kind_of(line):
    matrix = re.search(r"\b(dpasw?\.\w+) \((\d+)\|\w+\).*:(\w+)\s+r\S+:(\w+)", line)
    if matrix:
        return f"{matrix[1]} of {matrix[2]} lanes, {matrix[4]}"
    block = re.search(r"load_block2d\.ugm\.(\w+)\.", line)
    if block:
        return f"block loads {block[1]}"
    if re.search(r"send\.ugm \(16\|M0\)\s+null\s.*rd:0; load\.ugm", line):
        return "prefetches"
    return "calls" if re.search(r"^\s*(\([^)]*\)\s+)?calla? ", line) else None


def hot_loops(path):
    """Innermost loops with matrix instructions: (instructions, of them matrix instructions)."""
    labels, lines, backward = {}, [], []
    for label, line in instructions(path):
        if label:
            labels[label] = len(lines)
            continue
        jump = re.search(r"\b(?:jmpi|while|goto)\b.*?(L\d+)", line)
        if jump and jump[1] in labels:
            backward.append((labels[jump[1]], len(lines)))
        lines.append(line)
    inner = [one for one in backward if not any(one != o and one[0] <= o[0] and o[1] <= one[1] for o in backward)]
    counts = [(last + 1 - first, sum("dpas" in line for line in lines[first:last + 1])) for first, last in inner]
    return [one for one in counts if one[1]]


def describe(path):
    kinds = collections.Counter(filter(None, (kind_of(line) for _, line in instructions(path) if line)))
    name = re.sub(r"_KernelHeap\.asm$|\.asm$", "", os.path.basename(path))
    return {"kernel": name, "calls": kinds.pop("calls", 0), "kinds": dict(sorted(kinds.items())), "loops": hot_loops(path)}


def compile_module(device, module, folder):
    """The compiler's text, and the paths of its machine code as text."""
    made, out = os.path.join(folder, "made"), os.path.join(folder, "out")
    command = ["ocloc", "compile", "-spirv_input", "-file", module, "-device", device, "-output", made, "-output_no_suffix"]
    # As both device halves do, by what the module says of itself.
    if b"terrazzo: large register file" in open(module, "rb").read():
        command += ["-options", "-cl-intel-256-GRF-per-thread"]
    compiled = run(command).stdout
    if "Build succeeded" not in compiled:
        return compiled, []
    os.mkdir(out)
    environment = dict(os.environ, LD_LIBRARY_PATH=disassembler(folder))
    shown = run(["ocloc", "disasm", "-file", made, "-dump", out, "-device", device], env=environment)
    return compiled + shown.stdout, sorted(glob.glob(os.path.join(out, "*.asm")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device")
    parser.add_argument("module")
    parser.add_argument("--json", help="write what was found to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        said, paths = compile_module(options.device, options.module, folder)
        if not paths:
            print(said)
            return 1
        kernels = [describe(path) for path in paths]
        for one in kernels:
            spilled = re.search(rf"kernel {one['kernel']} .*allocated (\d+) regs and spilled around (\d+)", said)
            one["spilled"] = int(spilled[2]) if spilled else 0
            listed = ", ".join(f"{n} {kind}" for kind, n in one["kinds"].items()) or "no dpas"
            print(f"{one['kernel']}: {listed}; {one['calls']} calls")
            for length, matrix in one["loops"]:
                print(f"  a loop of {length} instructions, {matrix} of them dpas")
        for line in said.splitlines():
            if re.search("spill", line, re.I):
                print(line.strip())
        if options.json:
            json.dump(kernels, open(options.json, "w"), indent=1)
        return 1 if any(one["calls"] for one in kernels) else 0


if __name__ == "__main__":
    sys.exit(main())
