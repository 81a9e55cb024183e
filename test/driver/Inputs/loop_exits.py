"""Functions that leave their loops, as kernel code and as plain Python.

Run as a program with the saved outputs of the kernel: compares them with what
Python itself makes of the same functions.
"""
import array
import sys
import types

if __name__ == "__main__":
    # No Triton is needed to run the functions as they stand.
    sys.modules["triton"] = triton = types.ModuleType("triton")
    sys.modules["triton.language"] = triton.language = types.ModuleType("triton.language")
    triton.jit = lambda function: function
    triton.language.constexpr = lambda value: value
    triton.language.static_range = range

import triton
import triton.language as tl


@triton.jit
def pair(n):
    for i in range(n):
        if i * 3 > 7:
            return i, i * 2
    return -1, 5


@triton.jit
def nested(n):
    for i in range(n):
        for j in range(n):
            if i * j == 12:
                return (i, (j, None, "x"))
    return (-1, (n, None, "x"))


@triton.jit
def constant(n):
    for i in range(n):
        if i == 9:
            return 1
        if i == 3:
            return 2
    return 3


@triton.jit
def known(n):
    for i in range(n):
        if i == 5:
            return tl.constexpr(4)
    return tl.constexpr(4)


@triton.jit
def nothing(n):
    for i in range(n):
        if i == 5:
            return None
    return None


@triton.jit
def text(n):
    for i in range(n):
        if i == 2:
            return "abc"
    return "abc"


@triton.jit
def in_while(n):
    i = 0
    while i < n:
        i += 1
        if i == 4:
            continue
        if i * i > 20:
            return i
        if i == 7:
            break
    return -i


@triton.jit
def from_before(n):
    made = n * 7
    other = n - 100
    for i in range(n):
        if i == 2:
            return made, i
        if i > n - 2:
            return other, i
    return made, n


@triton.jit
def at_once(n):
    for i in range(n):
        return i + 5
    return 9


@triton.jit
def static(n):
    for i in tl.static_range(4):
        if n == i:
            return (i, n + i)
        if n == 7:
            break
    return (9, n)


@triton.jit
def kernel(out):
    n = tl.program_id(0)
    to = out + n * 16
    a, b = pair(n)
    tl.store(to + 0, a)
    tl.store(to + 1, b)
    t = nested(n)
    tl.store(to + 2, t[0])
    tl.store(to + 3, t[1][0])
    tl.store(to + 4, 1 if t[1][1] is None and t[1][2] == "x" else 0)
    tl.store(to + 5, constant(n))
    tl.store(to + tl.arange(0, known(n)) + 12, 4)
    tl.store(to + 6, 1 if nothing(n) is None and text(n) == "abc" else 0)
    tl.store(to + 7, in_while(n))
    a, b = from_before(n)
    tl.store(to + 8, a)
    tl.store(to + 9, b)
    tl.store(to + 10, at_once(n))
    t = static(n)
    tl.store(to + 11, t[0] * 100 + t[1])


@triton.jit
def whole(out):
    """A descriptor, a pointer and a tile that come out of a loop."""
    n = tl.program_id(0)
    at, end, filled = places(out + n * 16, n)
    at.store([0], filled)
    tl.store(end, n)


@triton.jit
def places(to, n):
    at = tl.make_tensor_descriptor(to, [15], [1], [16])
    filled = tl.full((16,), 3, tl.int32)
    for i in range(n):
        filled += i
        if i == 4:
            return at, to + 15 - i, filled
    return at, to + 15, filled


def expected(n):
    t, u, s = nested(n), from_before(n), static(n)
    assert nothing(n) is None and text(n) == "abc"
    return [*pair(n), t[0], t[1][0], 1, constant(n), 1, in_while(n), *u, at_once(n), s[0] * 100 + s[1], 4, 4, 4, 4]


def expected_whole(n):
    last = min(n - 1, 4)
    line = [3 + sum(range(last + 1))] * 15 + [0]
    line[15 - (4 if n > 4 else 0)] = n
    return line


def main():
    for name, wanted in zip(sys.argv[1:], (expected, expected_whole)):
        with open(name, "rb") as file:
            found = array.array("i", file.read())
        for n in range(len(found) // 16):
            line = list(found[n * 16 : n * 16 + 16])
            assert line == wanted(n), f"{name}: program {n}: {line}, expected {wanted(n)}"
        print(f"{len(found) // 16} programs agree with Python")


if __name__ == "__main__":
    main()
