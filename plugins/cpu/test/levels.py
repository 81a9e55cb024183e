"""The levels of x86-64 that this plugin's tests run for, and how a machine stands for an older one; for ci/test and ci/nightly.

One for each kind of machine whose code differs: before AVX, AVX2 alone, AVX-512, AVX-512 with BF16 and VNNI. What is
newer is tested where it is the machine's own level.
"""

LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4+avx512bf16+avx512vnni")

# Whole kernels, compiled for the machine's level and run. The other unit tests name their levels, and run each that the machine has.
UNIT_TESTS = ("test-cpu-compile", "test-cpu-language")

# Text tests that take long, most of it in the interpreter: ci/nightly runs them for the other levels.
LONG_TEXT_TESTS = ("compile-time", "divided", "long-functions", "long-loops", "quotients", "sums")


def environment(level):
    return {"TERRAZZO_CPU_CAP": level}
