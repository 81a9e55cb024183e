//===- ParserTest.cpp - the tree of Python modules ------------------------===//
//
// What   Host Python of every kind parses; precedence; errors and how the
//        parser goes on after them; limits.
// Why    A kernel file that fails to parse because of its host code is the
//        first thing a user would meet.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/parse/Parser.h"

#include <gtest/gtest.h>

using namespace tz::frontend;
using namespace tz::frontend::ast;

namespace {

struct Parsed {
  DiagnosticSink sink;
  std::unique_ptr<Module> module;
  explicit Parsed(std::string text) {
    module = parseFile("t.py", std::move(text), sink);
  }
  std::string errors() const {
    std::string out;
    for (const Diagnostic &d : sink.diagnostics()) {
      out += std::to_string(d.loc.line) + ":" + std::to_string(d.loc.column) +
             ": " + d.message + "\n";
    }
    return out;
  }
  Expr *expression() const {
    return llvm::cast<ExprStmt>(module->body[0])->value;
  }
};

/// Fully bracketed form of arithmetic, to see precedence.
std::string shape(const Expr *e) {
  if (auto *name = llvm::dyn_cast<Name>(e)) {
    return name->id.str();
  }
  if (auto *unary = llvm::dyn_cast<Unary>(e)) {
    return "(" + tokenName(unary->op).trim('\'').str() + shape(unary->operand) +
           ")";
  }
  if (auto *binary = llvm::dyn_cast<Binary>(e)) {
    return "(" + shape(binary->lhs) + tokenName(binary->op).trim('\'').str() +
           shape(binary->rhs) + ")";
  }
  return "?";
}

TEST(Parser, PrecedenceIsPythons) {
  EXPECT_EQ(shape(Parsed("a + b * c - d").expression()), "((a+(b*c))-d)");
  EXPECT_EQ(shape(Parsed("-a ** b").expression()), "(-(a**b))");
  EXPECT_EQ(shape(Parsed("a ** -b").expression()), "(a**(-b))");
  EXPECT_EQ(shape(Parsed("a | b & c << d").expression()), "(a|(b&(c<<d)))");
  EXPECT_EQ(shape(Parsed("a ** b ** c").expression()), "(a**(b**c))");
  EXPECT_EQ(shape(Parsed("not a").expression()), "(nota)");
}

TEST(Parser, HostPythonOfEveryKindParses) {
  Parsed p(R"py(
import os, sys as system
from . import sibling
from ..pkg.mod import (a as b, c,)
@decorator(x=1)
class C(Base, metaclass=M):
    """doc"""
    x: int = 1
    def __init__(self, a, /, b: int = 2, *args, c=3, **kw) -> None:
        self.x, (y, *z) = a, (1, *b)
        super().__init__(*args, **kw)
    async def f(self):
        async with x as y:
            await g()
        async for i in x:
            yield i
def gen[T](n):
    global q
    try:
        with open(n) as f, (lock):
            x = yield from f
    except (ValueError, TypeError) as e:
        raise RuntimeError("x") from e
    except* OSError:
        pass
    else:
        del x[0], y.z
    finally:
        assert x, "message"
    while (n := n - 1) > 0 and not n in {1, 2}:
        if n is not None: continue
        elif n not in []: break
    else:
        return lambda a, *b, c=1: (a, b)
    d = {**e, 'k': [i * j for i in x if i for j in y], **{k: v for k, v in z}}
    print(f"{x!r:>{width}} {y=} {{}} {d['k']}", *a, sep='', **d)
    s = x[1:2, ..., ::-1, None]; t = 0x_ff; u = 1_000.5e-3j
    match s:
        case [1, *_] if x: pass
        case {"a": b}: pass
    match = s
    type X = int
    return (yield)
if __name__ == "__main__": main()
x = y = z = 1 if a else 2 if b else 3
x @= y; x //= 2; x **= 3; x >>= 1
)py");
  EXPECT_EQ(p.errors(), "");
}

TEST(Parser, GeneratorArgumentsKeepTheirBrackets) {
  Parsed p("f(g(x for x in y))\nh(sum(i for i in z), 1)\n");
  EXPECT_EQ(p.errors(), "");
}

TEST(Parser, EveryMistakeIsReportedOnce) {
  Parsed p("x = 1 +\n"
           "if x = 3:\n"
           "    y = 2\n"
           "else:\n"
           "    y = 3\n"
           "def f(,):\n"
           "    pass\n"
           "z = 4 5\n"
           "1 = w\n");
  EXPECT_EQ(p.errors(),
            "1:8: expected an expression, found end of line\n"
            "2:6: expected ':' after 'if' condition, found '='; '==' compares\n"
            "6:7: expected a parameter's name, found ','\n"
            "8:7: expected end of line, found number\n"
            "9:1: cannot assign to a constant\n");
}

TEST(Parser, ReportsCommonMistakes) {
  EXPECT_EQ(Parsed("def f(a, a): pass\n").errors(),
            "1:10: parameter 'a' appears twice\n");
  EXPECT_EQ(Parsed("f(a=1, 2)\n").errors(),
            "1:8: positional argument follows keyword argument\n");
  EXPECT_EQ(Parsed("if x:\npass\n").errors(),
            "2:1: expected an indented block after 'if' condition\n");
  EXPECT_EQ(Parsed("  x = 1\n").errors(), "1:3: unexpected indentation\n");
  EXPECT_EQ(Parsed("x = 09\n").errors(),
            "1:5: number has leading zeros; octal is written 0o9\n");
  EXPECT_EQ(Parsed("x = f'{a'\n").errors(),
            "1:5: '{' in f-string is never closed\n");
  EXPECT_EQ(Parsed("f(x) = 1\n").errors(), "1:1: cannot assign to a call\n");
}

TEST(Parser, PlacesInsideFStringsAreExact) {
  Parsed p("x = f'ab{ +  }'\n");
  EXPECT_EQ(p.errors(), "1:12: expected an expression, found end of file\n");
}

TEST(Parser, NestingIsLimitedNotTheStack) {
  auto limited = [](std::string text) {
    Parsed p(std::move(text));
    return p.errors().find("limit of") != std::string::npos;
  };
  EXPECT_TRUE(limited("x = " + std::string(5000, '-') + "1\n"));
  EXPECT_TRUE(limited("x = " + std::string(5000, '[') + "\n"));
  std::string sum = "x = 1", power = "x = 1", attr = "x = a", blocks;
  std::string nots = "x = ";
  for (int i = 0; i < 5000; ++i) {
    sum += " + 1";
    power += " ** 1";
    attr += ".b";
    nots += "not ";
  }
  for (int i = 0; i < 200; ++i) {
    blocks += std::string(i, ' ') + "if a:\n";
  }
  EXPECT_TRUE(limited(sum + "\n"));
  EXPECT_TRUE(limited(power + "\n"));
  EXPECT_TRUE(limited(attr + "\n"));
  EXPECT_TRUE(limited(nots + "1\n"));
  EXPECT_TRUE(limited(blocks));
  std::string lambdas, conds, strings;
  for (int i = 0; i < 5000; ++i) {
    lambdas += "lambda: ";
    conds += "a if b else ";
  }
  EXPECT_TRUE(limited("x = " + lambdas + "1\n"));
  EXPECT_TRUE(limited("x = " + conds + "1\n"));
}

TEST(Parser, BigIntegersAreKeptUntilUsed) {
  Parsed p("x = 340282366920938463463374607431768211456\n");
  EXPECT_EQ(p.errors(), "");
}

} // namespace
