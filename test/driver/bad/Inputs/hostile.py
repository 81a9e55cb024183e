"""Writes texts that ask for more than a compiler should give, compiles each with tz and holds it to one error that says why, in bounded time and memory.

  hostile.py TZ FOLDER
"""
import os
import resource
import subprocess
import sys

SECONDS, MEGABYTES = 10, 1024  # of the processor; alone on a machine each takes less than 2 s

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(x, n):\n"
TAIL = "    tl.store(x, 0.0)\n"


def body(text):
    return HEAD + text + TAIL


def host(text):
    return text + HEAD + TAIL


EVALUATION = "evaluation takes more than 16777216 steps (limit of evaluation steps)"
NESTING = "expression is nested more than 200 levels deep (limit of expression nesting); split it"
CASES = {
    # Syntax
    "parentheses": (body("    a = " + "(" * 10**6 + "1" + ")" * 10**6 + "\n"), "brackets are nested more than 200 levels deep (limit of bracket nesting)"),
    "signs": (body("    a = " + "-" * 10**6 + "1\n"), NESTING),
    "sums": (body("    a = 1" + " + 1" * 10**6 + "\n"), NESTING),
    "attributes": (body("    a = x" + ".y" * 10**6 + "\n"), NESTING),
    "subscripts": (body("    a = x" + "[0]" * 10**6 + "\n"), NESTING),
    "calls": (body("    a = x" + "()" * 10**6 + "\n"), NESTING),
    "conditionals": (body("    a = " + "1 if n else " * 10**5 + "1\n"), NESTING),
    "lambdas": (body("    a = " + "lambda: " * 10**5 + "1\n"), NESTING),
    "fields": (body("    a = " + "f'{" * 10**5 + "\n"), "brackets are nested more than 200 levels deep (limit of bracket nesting)"),
    "blocks": ("".join(" " * i + "if x:\n" for i in range(3000)), "blocks are nested more than 100 levels deep (limit of indentation levels)"),
    "shallow-blocks": ("".join(" " * i + "if x:\n" for i in range(80)), "blocks are nested more than 64 levels deep (limit of block nesting)"),
    "file-size": (body("    a = 1  #" + "x" * (17 << 20) + "\n"), "file is larger than 16 MiB (limit of source size)"),
    "name": (body("    a = " + "x" * 10**7 + "\n"), "name 'xxxx"),
    "quotes": (body("    a = f'{" + "\"" * 10**6 + "}'\n"), "'{' in f-string is never closed"),
    "parameters": ("import triton\n@triton.jit\ndef kernel(" + ",".join(f"p{i}" for i in range(10**5)) + ", p0):\n    pass\n", "appears twice"),
    "nul": (body("    a = '\0'\n"), "file contains a NUL byte"),
    "not-utf8": (body("").encode() + b"a = '\xff'\n", "byte 0xFF is not valid UTF-8"),
    "utf16": (body("").encode("utf-16"), "file is UTF-16"),
    "carriage-returns": (body("").replace("\n", "\r"), "carriage return without a line feed"),
    "control-character": (body("    a = \x01\n"), "unexpected character with code 1"),
    "line-joined-at-end": (body("") + "a = 1 + \\", "unexpected character '\\'"),
    "empty": ("", "the file defines no kernel"),
    # Evaluation
    "power": (body("    a: tl.constexpr = 2 ** (2 ** 40)\n"), "limit of compile-time integers"),
    "shift": (body("    a: tl.constexpr = 1 << 2 ** 40\n"), "limit of compile-time integers"),
    "digits": (body("    a: tl.constexpr = " + "9" * 10**6 + "\n"), "limit of compile-time integers"),
    "text": (body("    a: tl.constexpr = 'a' * 10 ** 9\n"), "sequence is longer than 65536 elements (limit of sequence length)"),
    "sequence": (body("    a: tl.constexpr = (1,) * 10 ** 9\n"), "limit of sequence length"),
    "f-string": (body("    a = f'" + "{1}" * 10**5 + "'\n"), "string is longer than 65536 characters (limit of sequence length)"),
    "comprehension": (body("    a = [0 for i in tuple(range(60000)) if tuple(range(60000))]\n"), EVALUATION),
    "comprehensions": (host("a = [[[k for k in range(60000)] for j in range(60000)] for i in range(60000)]\n"), EVALUATION),
    "doubled": (host("a = (1,)\n" + "a = (a, a)\n" * 100 + "b = a == (a, a)\nc = str(a)\n"), EVALUATION),
    "dictionary": (host("a = {" + ", ".join(f"{i}: 1" for i in range(10**5)) + "}\n"), EVALUATION),
    "endless-loop": (host("while True:\n    pass\n"), "module-level code runs more than 262144 statements (limit of host steps)"),
    "endless-recursion": (host("f = lambda n: f(n) + f(n)\na = f(0)\n"), EVALUATION),
    "errors": (body("    a = missing_name\n" * 50000), "further errors are not shown (limit of errors)"),
    "syntax-errors": (body("    a = = 1\n" * 50000), "further errors are not shown (limit of errors)"),
    # Kernels
    "arguments": (body("    a = tl.load(" + "x, " * 10**6 + ")\n"), "tl.load takes 8 arguments, 1000000 were given"),
    "static-loop": (body("    for i in tl.static_range(10 ** 9):\n        x += 1\n"), "limit of unrolled iterations"),
    "static-loops": (body("    for i in tl.static_range(10 ** 4):\n        for j in tl.static_range(10 ** 4):\n            x += 1\n"), "limit of unrolled iterations"),
    "operations": (body("    x += 1\n" * 300000), "kernel has more than 131072 operations (limit of operations)"),
    "branches": (body("    if n == 0:\n        x += 0\n" + "".join(f"    elif n == {i}:\n        x += {i}\n" for i in range(1, 10**5))), "limit of region depth"),
    "returns": (body("    if n == 1:\n        return\n" * 20000), "limit of region depth"),
    "tile": (body("    a = tl.zeros([1 << 20, 1 << 20], tl.float32)\n"), "1048576 elements (limit of tile size)"),
    "huge-tile": (body("    a = tl.zeros([1 << 62, 1 << 62, 1 << 62], tl.float32)\n"), "1048576 elements (limit of tile size)"),
    "range": (body("    a = tl.arange(0, 1 << 30)\n"), "1048576 elements (limit of tile size)"),
    "doubled-carried": (body("    a = n\n" + "    a = (a, a)\n" * 60 + "    b = a\n    for i in range(n):\n        a = b\n"), EVALUATION),
    "deep-calls": ("import triton\nimport triton.language as tl\n" + "@triton.jit\ndef f0(a):\n    return a\n" + "".join(
        f"@triton.jit\ndef f{i}(a):\n    return f{i - 1}(a)\n" for i in range(1, 60)) + HEAD + "    a = f59(n)\n" + TAIL, "calls are nested more than 48 deep (limit of inlining depth)"),
    "many-calls": ("import triton\nimport triton.language as tl\n" + "@triton.jit\ndef f0(a):\n    return a + 1\n" + "".join(
        f"@triton.jit\ndef f{i}(a):\n    return f{i - 1}(f{i - 1}(a))\n" for i in range(1, 40)) + HEAD + "    a = f39(n)\n" + TAIL, EVALUATION),
    "evaluation": ("import triton\nimport triton.language as tl\n" + "@triton.jit\ndef f0(a):\n    return a\n" + "".join(
        f"@triton.jit\ndef f{i}(a):\n    return {'-' * 150}f{i - 1}(a)\n" for i in range(1, 20)) + HEAD + "    a = f19(n)\n" + TAIL,
                   "evaluation is nested more than 900 levels deep (limit of evaluation depth)"),
    "comprehension-values": (host("a = [j for i in range(300) for j in range(300)]\n") + "    b = a\n", "comprehension makes more than 65536 values (limit of sequence length)"),
    "modules": ("".join(f"import module{i}\n" for i in range(300)) + HEAD + "".join(f"    a = module{i}.value\n" for i in range(300)) + TAIL,
                "more than 256 modules are imported (limit of modules)"),
    "self-call": (body("    kernel(x, n)\n"), "recursion is not supported in kernel code"),
    # Accepted: what only looks hostile.
    "long-line": (body("    a = 1  #" + "x" * 10**7 + "\n"), None),
    "marked-utf8": (b"\xef\xbb\xbf" + body("").encode(), None),
    "dos-lines": (body("").replace("\n", "\r\n"), None),
    "tabs": (body("").replace("    ", "\t"), None),
    "form-feeds": ("\f" + body("") + "\f\n", None),
    "self-import": (host("import self_import\n"), None),
    "constant-branches": (body("    if 1 == 0:\n        x += 0\n" + "".join(f"    elif 0 == {i}:\n        x += {i}\n" for i in range(1, 10**5))), None),
}


def run(tz, path):
    """Status, what was printed, seconds of the processor, megabytes."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (6 * SECONDS, 6 * SECONDS))
    command = [tz, "compile", path + "::kernel", "--target", "interp", "--emit", "tile", "--sig", "*fp32,i32", "-o", os.devnull]
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=limit)
    text = child.stdout.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    return os.waitstatus_to_exitcode(status), text, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def main():
    tz, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    sanitized = b"__asan_init" in open(tz, "rb").read()
    for i in range(300):
        with open(os.path.join(folder, f"module{i}.py"), "w") as file:
            file.write("import triton.language as tl\nvalue = tl.constexpr(1)\n")
    paths = {}
    for name, (text, expected) in CASES.items():
        path = paths[name] = os.path.join(folder, name.replace("-", "_") + ".py")
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    kinds = {"folder": "is a folder", "pipe": "nobody writes to it", "device": "is not a regular file", "link-to-itself": "Too many levels of symbolic links"}
    for name, expected in kinds.items():
        path = paths[name] = os.path.join(folder, name + ".py")
        if not os.path.lexists(path):
            {"folder": os.mkdir, "pipe": os.mkfifo, "device": lambda p: os.symlink("/dev/zero", p), "link-to-itself": lambda p: os.symlink(p, p)}[name](path)
        CASES[name] = ("", expected)
    faults = 0
    for name, (_, expected) in CASES.items():
        status, text, seconds, megabytes = run(tz, paths[name])
        count = text.count("error: ")
        wrong = []
        if expected is None and status != 0:
            wrong.append("is legal and was refused")
        elif expected is not None and (status != 1 or expected not in text or count != (64 if name.endswith("errors") else 1)):
            wrong.append(f"expected one error '{expected}', found {count}")
        if not sanitized and (seconds > SECONDS or megabytes > MEGABYTES):
            wrong.append(f"took {seconds:.1f} s and {megabytes} MB")
        if wrong:
            faults += 1
            print(f"{name}: status {status}, {'; '.join(wrong)}\n{text[:400]}")
    print(f"{len(CASES)} texts, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
