#!/usr/bin/env python3
# Minimax polynomials by the Remez exchange, in 120 digits, as a C++ header
#   fit.py > Coefficients.h
# or for the library's sources:
#   fit.py --library > core/optimizer/math/library/coefficients.py
# or for functions of libdevice, as text to put into core/frontend/library:
#   fit.py --libdevice
# Run by hand when a range or degree changes (needs mpmath); prints the largest
# weighted error of each fit as a power of two.
import re
import sys
from mpmath import mp, mpf, matrix, lu_solve, cos, pi, log, exp, sin, tanh
from mpmath import asin, atan, erf, erfc, sqrt, findroot, log as ln

mp.dps = 120


def remez(f, weight, lo, hi, degree, rounds=12):
    """Minimises max |weight(x) * (f(x) - p(x))| on [lo, hi]."""
    lo, hi = mpf(lo), mpf(hi)
    f, weight = away_from_zero(f), away_from_zero(weight)
    n = degree + 2
    xs = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * i / (n - 1)) for i in range(n)][::-1]
    grid = [lo + (hi - lo) * (1 - cos(pi * mpf(i) / (40 * n))) / 2 for i in range(40 * n + 1)]
    values = [(x, f(x), weight(x)) for x in grid]
    best = None
    for _ in range(rounds):
        a, b = matrix(n, n), matrix(n, 1)
        for i, x in enumerate(xs):
            for j in range(degree + 1):
                a[i, j] = x**j
            a[i, degree + 1] = (-1) ** i / weight(x)
            b[i] = f(x)
        solution = lu_solve(a, b)
        c = [solution[j] for j in range(degree + 1)]

        def err(x, fx, w):
            p = mpf(0)
            for k in reversed(c):
                p = p * x + k
            return w * (fx - p)

        errors = [(err(*v), v[0]) for v in values]
        worst = max(abs(e) for e, _ in errors)
        if best is None or worst < best[0]:
            best = (worst, c)
        # Extrema of alternating sign.
        picks = []
        for e, x in errors:
            if picks and (e > 0) == (picks[-1][0] > 0):
                if abs(e) > abs(picks[-1][0]):
                    picks[-1] = (e, x)
            else:
                picks.append((e, x))
        while len(picks) > n:
            if abs(picks[0][0]) < abs(picks[-1][0]):
                picks.pop(0)
            else:
                picks.pop()
        if len(picks) < n:
            break
        new = [x for _, x in picks]
        if max(abs(p - q) for p, q in zip(new, xs)) < (hi - lo) * mpf(10) ** -12:
            break
        xs = new
    return best


def away_from_zero(f):
    """The quotients below are 0/0 at 0 and weights vanish there."""
    tiny = mpf(10) ** -25
    return lambda x: f(x if abs(x) > tiny else tiny)


LN2 = ln(mpf(2))


def atanh_tail(z):  # log((1+s)/(1-s)) = 2s + s*z*R(z), z = s*s
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / (s * z)


def tail(f, first, power):
    """(f(x) - first(x)) / x^power as a function of x."""
    return lambda x: (f(x) - first(x)) / x**power


def erfcx_of_t(t):  # x = (1 - t) / t * 2 + 1 maps t in (0, 1] to [1, inf)
    x = 1 + 2 * (1 - t) / t
    return exp(x * x) * erfc(x)


FITS = [
    # name, type, function, weight, from, to, degree, meaning
    ("Exp2F32", "float", lambda r: (exp(r * LN2) - 1) / r, lambda r: abs(r) + mpf(2) ** -30, -0.5, 0.5, 5, "(2^r - 1) / r"),
    ("Exp2F64", "double", lambda r: (exp(r * LN2) - 1) / r, lambda r: abs(r) + mpf(2) ** -60, -0.5, 0.5, 11, "(2^r - 1) / r"),
    ("ExpF32", "float", tail(exp, lambda r: 1 + r, 2), lambda r: r * r + mpf(2) ** -30, -0.3466, 0.3466, 4, "(e^r - 1 - r) / r^2"),
    ("ExpF64", "double", tail(exp, lambda r: 1 + r, 2), lambda r: r * r + mpf(2) ** -60, -0.3466, 0.3466, 10, "(e^r - 1 - r) / r^2"),
    ("LogF32", "float", tail(lambda f: log(1 + f), lambda f: f - f * f / 2, 3), lambda f: f * f, -1 / mpf(3), 1 / mpf(3), 7, "(log(1+f) - f + f^2/2) / f^3"),
    ("Log2F32", "float", lambda f: log(1 + f) / (LN2 * f) - 1, lambda f: mpf(1), -1 / mpf(3), 1 / mpf(3), 9, "log2(1+f) / f - 1"),
    ("LogF64", "double", atanh_tail, lambda z: mpf(1), mpf(10) ** -30, mpf("0.02944"), 7, "(log((1+s)/(1-s)) - 2s) / s^3 in s^2"),
    ("SinF32", "float", lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, lambda z: z, mpf(10) ** -30, (pi / 4) ** 2 * 1.002, 2, "(sin r - r) / r^3 in r^2"),
    ("CosF32", "float", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z * z, mpf(10) ** -30, (pi / 4) ** 2 * 1.002, 2, "(cos r - 1 + r^2/2) / r^4 in r^2"),
    ("SinF64", "double", lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, lambda z: z, mpf(10) ** -30, (pi / 4) ** 2 * 1.002, 6, "(sin r - r) / r^3 in r^2"),
    ("CosF64", "double", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: z * z, mpf(10) ** -30, (pi / 4) ** 2 * 1.002, 6, "(cos r - 1 + r^2/2) / r^4 in r^2"),
    ("TanhF32", "float", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(10) ** -30, mpf("0.5625") ** 2, 4, "(tanh x / x - 1) / x^2 in x^2"),
    ("TanhF64", "double", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(10) ** -30, mpf("0.5625") ** 2, 12, "(tanh x / x - 1) / x^2 in x^2"),
    ("ErfF32", "float", lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: mpf(1), mpf(10) ** -30, mpf("0.95") ** 2, 6, "erf x / x - 1 in x^2"),
    ("ErfTailF32", "float", lambda x: -log(erfc(x)) / x, lambda x: x * erfc(x), mpf("0.95"), mpf("4.0"), 8, "-log(erfc x) / x"),
    ("ErfF64", "double", lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: mpf(1), mpf(10) ** -30, mpf(1), 12, "erf x / x - 1 in x^2"),
    ("ErfTailF64", "double", erfcx_of_t, lambda t: exp(-((1 + 2 * (1 - t) / t) ** 2)), mpf("0.28"), mpf(1), 17, "erfc x * e^(x^2) in t = 2 / (x + 1)"),
]

# For the library alone.
LIBRARY_FITS = [
    ("PowLogF32", "float", atanh_tail, lambda z: mpf(1), mpf(10) ** -30, mpf("0.0401"), 3, "(log((1+s)/(1-s)) - 2s) / s^3 in s^2"),
]

HEADER = """//===- Coefficients.h - Minimax polynomials -------------------------------===//
//
// What   Coefficients of the kernels of Math, lowest power first.
// Why    Generated by core/optimizer/math/fit.py: the fits are reproducible and
//        their errors are stated.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_COMPILER_MATH_COEFFICIENTS_H
#define TERRAZZO_PLUGINS_CPU_COMPILER_MATH_COEFFICIENTS_H

namespace tz::cpu::math {
"""


def two_over_pi_words(count):
    mp.dps = 1000
    value = 2 / +pi
    words = []
    for _ in range(count):
        value *= mpf(2) ** 64
        word = int(value)
        value -= word
        words.append(word)
    mp.dps = 120
    return words


LIBDEVICE_FITS = [
    ("AsinF32", "float", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(10) ** -30, mpf("0.25"), 4, "(asin s / s - 1) / s^2 in s^2"),
    ("AtanF32", "float", lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: z, mpf(10) ** -30, mpf(1), 8, "(atan t / t - 1) / t^2 in t^2"),
]

PYTHON_HEADER = '''"""Minimax polynomials, lowest power first. Made by ../fit.py --library."""
import triton.language as tl
'''


def constants(fits):
    """As constants of kernel-language source."""
    out = []
    for name, ctype, f, weight, lo, hi, degree, meaning in fits:
        worst, c = remez(f, weight, lo, hi, degree)
        stem = re.sub(r"(?<=[a-z0-9])(?=F(32|64))|(?<=[a-z])(?=[A-Z])", "_", name).upper()
        out.append(f"# {meaning}; weighted error 2^{mp.nstr(log(worst, 2), 5)}.")
        numbers = [repr(float(x)) if ctype == "double" else shortest_float(x) for x in c]
        out.append(f"{stem}: tl.constexpr = (")
        out.extend(f"    {number}," for number in numbers)
        out.append(")\n")
    return out


def library():
    out = [PYTHON_HEADER, *constants(FITS + LIBRARY_FITS)]
    out.append("# The binary fraction of 2/pi after 64 zero bits.")
    out.append("TWO_OVER_PI: tl.constexpr = (")
    out.extend(f"    0x{w:016x}," for w in [0] + two_over_pi_words(20))
    out.append(")")
    print("\n".join(out))


def shortest_float(x):
    import struct
    return "%.9g" % struct.unpack("f", struct.pack("f", float(x)))[0]


def main():
    if "--library" in sys.argv:
        return library()
    if "--libdevice" in sys.argv:
        return print("\n".join(constants(LIBDEVICE_FITS)))
    out = [HEADER]
    for name, ctype, f, weight, lo, hi, degree, meaning in FITS:
        worst, c = remez(f, weight, lo, hi, degree)
        bits = mp.nstr(log(worst, 2), 5)
        print(name, "2^", bits, file=sys.stderr)
        out.append(f"/// {meaning}; weighted error 2^{bits}.")
        body = ", ".join(float(x).hex() if ctype == "double" else repr_float(x) for x in c)
        out.append(f"inline constexpr double k{name}[] = {{{body}}};\n")
    words = ", ".join(f"0x{w:016x}u" for w in [0] + two_over_pi_words(20))
    out.append("/// 64 zero bits, then the binary fraction of 2/pi.")
    out.append(f"inline constexpr unsigned long kTwoOverPi[] = {{{words}}};\n")
    out.append("} // namespace tz::cpu::math\n\n#endif")
    print("\n".join(out))


def repr_float(x):
    import struct
    return struct.unpack("f", struct.pack("f", float(x)))[0].hex()


main()
