"""Random Python functions of integers, under CPython and as kernels in the reference interpreter.

    random_programs.py FOLDER [--first SEED] [--count N]

Writes N functions of three integers into files of 25 in FOLDER, runs each file as one kernel with `tz run`
and compares what its functions return with what CPython gives. A difference is printed with the function; then the exit
status is 1. The functions are statements that set a name, if and elif, for and while, break, continue and return,
conditional and named expressions. They leave out what kernels do otherwise than Python: quotients, and numbers that
overflow.
"""
import argparse
import os
import random
import struct
import subprocess
import sys

ARGUMENTS = ((3, 7, 4), (0, 1, 0), (9, 2, 1), (1, 6, 7))
PER_FILE = 25


class Program:
    """The text of one function `name(a, b, n)`, made from a seed."""

    def __init__(self, name, seed):
        self.random = random.Random(seed)
        self.counters = 0
        body = self.block(1, 3, False) + self.block(1, 3, False)
        self.text = "\n".join([f"def {name}(a, b, n):", *(f"    {v} = a * 0" for v in "cij"), *body, "    return " + self.result(), ""])

    def result(self):
        return "a * 3 + b * 5 + c + i * 7 + j * 11"

    def chance(self, likely):
        return self.random.random() < likely

    def value(self, depth):
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return self.random.choice(["a", "b", "c", "n", "1", "2", "3", "5"])
        if kind < 0.65:
            return f"({self.value(depth - 1)} {self.random.choice('+-*')} {self.value(depth - 1)})"
        if kind < 0.75:
            return f"({self.random.choice('abc')} := {self.value(depth - 1)} & 15)"
        if kind < 0.9:
            return f"({self.value(depth - 1)} if {self.condition(depth - 1)} else {self.value(depth - 1)})"
        return f"({self.value(depth - 1)} & 15)"

    def condition(self, depth):
        return f"{self.value(max(depth - 1, 0))} {self.random.choice(['<', '>', '==', '!=', '<=', '>='])} {self.value(max(depth - 1, 0))}"

    def block(self, indent, depth, in_loop):
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(indent, depth, in_loop)]

    def statement(self, indent, depth, in_loop):
        pad, kind = "    " * indent, self.random.random()
        if depth == 0 or kind < 0.35:
            name = self.random.choice("abc")
            return [f"{pad}{name} = {self.value(2)} & 31" if self.chance(0.6) else f"{pad}{name} += {self.value(2)} & 7"]
        if kind < 0.6:
            return self.branch(indent, depth, in_loop)
        if kind < 0.78:
            name = self.random.choice("ij")
            over = self.random.choice(["range(n)", "range(1, n)", "range(n, 0, -1)", "range(b & 3)", "range(0, n, 2)", "tl.static_range(3)"])
            if over.startswith("tl."):  # a constant in each iteration
                self.counters += 1
                name = f"s{self.counters}"
            return [f"{pad}for {name} in {over}:", f"{pad}    c += {name}", *self.block(indent + 1, depth - 1, True)]
        if kind < 0.88:
            self.counters += 1
            name = f"w{self.counters}"
            condition = self.random.choice([f"{name} < 4", f"({name} := {name} + 1) < 6", f"({name} < 5) & ({self.condition(1)})"])
            return [f"{pad}{name} = 0", f"{pad}while {condition}:", f"{pad}    {name} += 1", *self.block(indent + 1, depth - 1, True)]
        leave = self.random.choice(["break", "continue"]) if in_loop and self.chance(0.5) else "return " + self.result()
        return [f"{pad}if {self.condition(1)}:", f"{pad}    {leave}"]

    def branch(self, indent, depth, in_loop):
        pad = "    " * indent
        lines = [f"{pad}if {self.condition(2)}:", *self.block(indent + 1, depth - 1, in_loop)]
        for _ in range(self.random.choice([0, 0, 1, 2])):
            lines += [f"{pad}elif {self.condition(2)}:", *self.block(indent + 1, depth - 1, in_loop)]
        if self.chance(0.5):
            lines += [f"{pad}else:", *self.block(indent + 1, depth - 1, in_loop)]
        return lines


class StaticRange:
    static_range = range


def compare(folder, first, count):
    """The number of functions of a file that differ; all of them if it does not run."""
    programs = [Program(f"f{seed}", seed) for seed in range(first, first + count)]
    path = os.path.join(folder, f"from_{first}.py")
    with open(path, "w") as file:
        file.write("import triton\nimport triton.language as tl\n")
        for program in programs:
            file.write("\n\n@triton.jit\n" + program.text)
        file.write("\n\n@triton.jit\ndef kernel(out, a, b, n):\n")
        for place in range(count):
            file.write(f"    tl.store(out + {place}, f{first + place}(a, b, n))\n")
    given = ARGUMENTS[first // PER_FILE % len(ARGUMENTS)]
    names = {"tl": StaticRange}
    for program in programs:
        exec(program.text, names)
    wanted = [names[f"f{first + place}"](*given) for place in range(count)]
    saved = path + ".bin"
    command = ["tz", "run", path + "::kernel", "--grid", "1", "--target", "interp", "--arg", f"out=zeros:i32[{count}]", "--save", "out=" + saved]
    for name, number in zip("abn", given):
        command += ["--arg", f"{name}=i32:{number}"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        print(f"{path}: {run.stderr}")
        return count
    with open(saved, "rb") as file:
        got = struct.unpack(f"{count}i", file.read())
    for program, was, should in zip(programs, got, wanted):
        if was != should:
            print(f"{program.text}of {given} is {should}, the kernel gives {was}\n")
    return sum(was != should for was, should in zip(got, wanted))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="how many functions, a multiple of %d" % PER_FILE)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    differing = sum(compare(options.folder, first, PER_FILE) for first in range(options.first, options.first + options.count, PER_FILE))
    print(f"{options.count} programs, {differing} differ from CPython")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
