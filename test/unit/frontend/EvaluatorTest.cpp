//===- EvaluatorTest.cpp - Python at module level -------------------------===//
//
// What   What parseModule finds out about a file: constants as parameters'
//        defaults, configurations made by functions, decorators, imports.
// Why    These are computed by our own Python; each test says what CPython
//        would answer.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/elaborate/ModuleState.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace tz::frontend;

namespace {

/// The text of a module-level expression's value, "?? reason" if unknown.
std::string value(const std::string &expression,
                  const std::string &before = "") {
  DiagnosticSink sink;
  Module module =
      parseModule("t.py",
                  "import math, triton\nimport triton.language as tl\n" +
                      before + "\nresult = " + expression + "\n",
                  sink);
  EXPECT_FALSE(sink.hasErrors()) << sink.str();
  const Value &result = module.state().main->members["result"].value;
  return result.is(ValueKind::Unknown) ? "?? " + result.reason().text
                                       : repr(result);
}

TEST(Evaluator, ArithmeticIsPythons) {
  EXPECT_EQ(value("7 // -2, 7 % -2, -7 // 2, -7 % 2"), "(-4, -1, -4, 1)");
  EXPECT_EQ(value("7.5 // 2, -7.5 % 2, 5 / 2"), "(3.0, 0.5, 2.5)");
  EXPECT_EQ(value("2 ** 70, 2 ** -1, -2 ** 2"),
            "(1180591620717411303424, 0.5, -4)");
  EXPECT_EQ(value("1 << 100 >> 98, ~5, 6 & 3, 6 | 3, 6 ^ 3"),
            "(4, -6, 2, 7, 5)");
  EXPECT_EQ(value("True + 1, True & False, not 0"), "(2, False, True)");
  EXPECT_EQ(value("1 < 2 < 3, 1 < 3 < 2, 'a' < 'b', (1, 2) < (1, 3)"),
            "(True, False, True, True)");
  EXPECT_EQ(value("1e400 - 1e400 != 0, 0.1 + 0.2, 1e22, 1.0"),
            "(True, 0.30000000000000004, 1e+22, 1.0)");
}

TEST(Evaluator, OverflowIsAnErrorNotANumber) {
  EXPECT_EQ(value("2 ** 200").substr(0, 2), "??");
  EXPECT_EQ(value("1 << 127").substr(0, 2), "??");
  EXPECT_EQ(value("1 << 126"), "85070591730234615865843651857942052864");
  EXPECT_EQ(value("1 // 0"), "?? division by zero");
  EXPECT_EQ(value("[0] * 1000000").substr(0, 2), "??");
}

TEST(Evaluator, SequencesAndStrings) {
  EXPECT_EQ(value("[1, 2, 3, 4][1:3], (1, 2, 3)[::-1], [1, 2][-1]"),
            "([2, 3], (3, 2, 1), 2)");
  EXPECT_EQ(value("'ab' * 2 + 'c', 'x' in 'xyz', f'{1 + 1}-{\"q\"!r}'"),
            "('ababc', True, \"2-'q'\")");
  EXPECT_EQ(value("[x * y for x in range(3) for y in (1, 2) if x]"),
            "[1, 2, 2, 4]");
  EXPECT_EQ(value("{**{'a': 1}, 'b': 2}['b'], len({'a': 1}), sum(range(5))"),
            "(2, 1, 10)");
  EXPECT_EQ(value("a, b", "a, (b, *c) = 1, (2, 3, 4)"), "(1, 2)");
}

TEST(Evaluator, FormatsArePythons) {
  EXPECT_EQ(value("f'{3:>4}|{3:<4}|{3:^5}|{-3:05d}|{255:#x}|{255:X}|{5:b}'"),
            "'   3|3   |  3  |-0003|0xff|FF|101'");
  EXPECT_EQ(
      value("f'{1.5:.3f}|{1234567:,}|{0.25:.0%}|{1e9:.2e}|{2.0:g}|{1.5:8}'"),
      "'1.500|1,234,567|25%|1.00e+09|2|     1.5'");
  EXPECT_EQ(value("f'{\"ab\":*^6}|{\"abc\":.2}|{tl.float16!s:>6}'"),
            "'**ab**|ab|  fp16'");
  EXPECT_EQ(value("f'{3:z}'").substr(0, 2), "??");
}

TEST(Evaluator, HostFunctionsRun) {
  EXPECT_EQ(value("f(5)", "def f(n):\n"
                          "    if n < 2:\n"
                          "        return 1\n"
                          "    return n * f(n - 1)\n"),
            "120");
  EXPECT_EQ(value("g(3, b=1), g(1)", "def g(a, b=2, *c, **d):\n"
                                     "    out = []\n"
                                     "    for i in range(10):\n"
                                     "        if i == a: continue\n"
                                     "        if i > 4: break\n"
                                     "        out.append(i * b)\n"
                                     "    return out\n"),
            "([0, 1, 2, 4], [0, 4, 6, 8])");
  EXPECT_EQ(value("(lambda a, b=k: a + b)(1)", "k = 4"), "5");
  EXPECT_EQ(value("w", "w = 0\nwhile True:\n    w += 3\n    if w > 10: break"),
            "12");
  EXPECT_EQ(value("triton.cdiv(10, 3), triton.next_power_of_2(100), "
                  "math.ceil(2.1), max(1, 5, 2), min([4, 3])"),
            "(4, 128, 3, 5, 3)");
}

TEST(Evaluator, EndlessHostCodeIsStopped) {
  DiagnosticSink sink;
  parseModule("t.py", "while True:\n    pass\n", sink);
  ASSERT_TRUE(sink.hasErrors());
  EXPECT_NE(sink.str().find("limit of host steps"), std::string::npos);
  DiagnosticSink other;
  parseModule("t.py", "def f(n):\n    return f(n + 1)\nf(0)\n", other);
}

TEST(Evaluator, UnknownHostValuesAreNoErrors) {
  EXPECT_EQ(value("torch.cuda.x + 1", "import torch").substr(0, 2), "??");
  EXPECT_EQ(value("[1, y]", "import torch\ny = torch.f(3)"), "[1, unknown]");
}

TEST(Evaluator, EnvironmentIsRead) {
  setenv("TZ_TEST_VARIABLE", "17", 1);
  unsetenv("TZ_TEST_NOTHING");
  EXPECT_EQ(value("int(os.environ['TZ_TEST_VARIABLE']) + 1", "import os"),
            "18");
  EXPECT_EQ(value("os.environ['TZ_TEST_NOTHING']", "import os"),
            "?? environment variable 'TZ_TEST_NOTHING' is not set");
  EXPECT_EQ(value("('TZ_TEST_VARIABLE' in os.environ, "
                  "'TZ_TEST_NOTHING' not in os.environ, "
                  "os.getenv('TZ_TEST_NOTHING', 'no'))",
                  "import os"),
            "(True, True, 'no')");
}

TEST(Evaluator, TypesAnswerQuestions) {
  EXPECT_EQ(value("tl.float16.primitive_bitwidth, tl.int32.is_int(), "
                  "tl.bfloat16.name, tl.uint8.is_int_signed(), tl.float32"),
            "(16, True, 'bf16', False, fp32)");
  EXPECT_EQ(value("tl.pointer_type(tl.float16).element_ty == tl.float16"),
            "True");
  // Each type is asked for by its name.
  EXPECT_EQ(value("[t.is_uint16() for t in (tl.uint16, tl.int16)]"),
            "[True, False]");
  EXPECT_EQ(value("tl.float8e4b8.is_fp8e4b8(), tl.float8e4b15.is_fp8e4b15(), "
                  "tl.float8e5b16.is_fp8e5b16(), tl.float16.is_fp8e5()"),
            "(True, True, True, False)");
}

const char *tuned = R"py(
import triton
import triton.language as tl
SIZE: tl.constexpr = 4
def configs():
    return [triton.Config({'BM': bm, 'BN': 32}, num_stages=s, num_warps=8)
            for bm in [64, 128] for s in (3, 4)]
@triton.autotune(configs=configs(), key=['M', 'N'])
@triton.heuristics({'EVEN': lambda args: args['M'] % args['BM'] == 0})
@triton.jit(do_not_specialize=['M'])
def kernel(a, M, N=SIZE + 1, BM: tl.constexpr = 16, EVEN: 'tl.constexpr' = True,
           kind=None, f: tl.constexpr = tl.float16):
    pass
@some.wrapper
@triton.jit
def second(x): pass
def ordinary(x): pass
if torch.is_available():
    @triton.jit
    def third(x): pass
)py";

TEST(Frontend, ListsKernelsWithParametersAndConfigs) {
  DiagnosticSink sink;
  Module module = parseModule("t.py", tuned, sink);
  EXPECT_FALSE(sink.hasErrors()) << sink.str();
  ASSERT_EQ(module.kernels().size(), 3u);
  const KernelInfo &k = module.kernels()[0];
  EXPECT_EQ(k.name, "kernel");
  ASSERT_EQ(k.params.size(), 7u);
  EXPECT_TRUE(k.params[1].doNotSpecialize);
  EXPECT_EQ(k.params[2].defaultValue->str(), "5");
  EXPECT_TRUE(k.params[3].isConstexpr);
  EXPECT_TRUE(k.params[4].isConstexpr);
  EXPECT_FALSE(k.params[5].isConstexpr);
  EXPECT_EQ(k.params[6].defaultValue->str(), "fp16");
  ASSERT_EQ(k.configs.size(), 4u);
  EXPECT_EQ(k.configs[3].constexprs.at("BM").integer, 128);
  EXPECT_EQ(k.configs[3].numStages, 4);
  EXPECT_EQ(k.configs[3].numWarps, 8);
  EXPECT_EQ(k.tuneKey, (std::vector<std::string>{"M", "N"}));
  EXPECT_EQ(k.heuristics, std::vector<std::string>{"EVEN"});
  EXPECT_EQ(module.kernel("missing"), nullptr);
}

TEST(Frontend, HeuristicsAreComputed) {
  DiagnosticSink sink;
  Module module = parseModule("t.py", tuned, sink);
  std::map<std::string, ConstValue> known{{"M", ConstValue::fromInt(256)},
                                          {"BM", ConstValue::fromInt(64)}};
  EXPECT_TRUE(evaluateHeuristics(module, "kernel", {}, known, sink));
  EXPECT_EQ(known.at("EVEN").str(), "True");
  known.erase("BM");
  EXPECT_FALSE(evaluateHeuristics(module, "kernel", {}, known, sink));
  EXPECT_EQ(sink.errorCount(), 1u);
}

TEST(Frontend, SiblingFilesAreReadOnUse) {
  auto folder = std::filesystem::temp_directory_path() / "terrazzo-frontend";
  std::filesystem::create_directories(folder / "pkg");
  auto write = [&](const char *name, const char *text) {
    std::ofstream(folder / name) << text;
  };
  write("constants.py", "A = 3\nfrom pkg.inner import B\n");
  write("pkg/__init__.py", "");
  write("pkg/inner.py", "B = 4\nfrom ..nowhere import C\n");
  write("broken.py", "def f(:\n");
  DiagnosticSink sink;
  Module module = parseModule((folder / "main.py").string(),
                              "import constants\n"
                              "from constants import A as a, B\n"
                              "from pkg import inner\n"
                              "import pkg.inner as again\n"
                              "import broken\n"
                              "x = constants.A + a + B + inner.B + again.B\n",
                              sink);
  EXPECT_FALSE(sink.hasErrors()) << sink.str();
  EXPECT_EQ(repr(module.state().main->members["x"].value), "18");
  std::filesystem::remove_all(folder);
}

TEST(ConstValue, ReadsTheCommandLine) {
  EXPECT_EQ(ConstValue::parse("128").str(), "128");
  EXPECT_EQ(ConstValue::parse("0x10").str(), "16");
  EXPECT_EQ(ConstValue::parse("-1.5").str(), "-1.5");
  EXPECT_EQ(ConstValue::parse("True").str(), "True");
  EXPECT_EQ(ConstValue::parse("None").str(), "None");
  EXPECT_EQ(ConstValue::parse("'abc'").str(), "'abc'");
  EXPECT_EQ(ConstValue::parse("fp16").kind, ConstValue::DType);
  EXPECT_EQ(ConstValue::parse("leaky_relu").kind, ConstValue::Function);
}

} // namespace
