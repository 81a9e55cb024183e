//===- BlockAnalysisTest.cpp - what the syntax of a block says ------------===//
//
// What   Names that blocks set and read, ways in which they may be left.
// Why    A name that is missed here is silently not carried by a loop.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/BlockAnalysis.h"

#include "core/frontend/parse/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tz::frontend;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

struct Parsed {
  DiagnosticSink sink;
  std::unique_ptr<ast::Module> module;

  explicit Parsed(std::string text)
      : module(parseFile("t.py", std::move(text), sink)) {
    EXPECT_FALSE(sink.hasErrors()) << sink.str();
  }
  ast::Block body() const { return module->body; }
};

std::vector<std::string> namesOf(std::string text) {
  Parsed parsed(std::move(text));
  std::vector<std::string> names;
  for (llvm::StringRef name : assignedNames(parsed.body())) {
    names.push_back(name.str());
  }
  return names;
}

TEST(BlockAnalysis, NamesOfEveryStatement) {
  EXPECT_THAT(namesOf("a = 1\nb += 2\nc: int = 3\nd: int\na = 4\n"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(namesOf("(a, [b, *c]) = x\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(namesOf("x[0] = 1\ny.z = 2\n"), IsEmpty());
  EXPECT_THAT(namesOf("if p:\n  a = 1\nelif q:\n  b = 1\nelse:\n  c = 1\n"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(namesOf("for i in x:\n  a = 1\nwhile p:\n  b = 1\n"),
              ElementsAre("i", "a", "b"));
  EXPECT_THAT(namesOf("with f() as a:\n  b = 1\n"), ElementsAre("a", "b"));
  EXPECT_THAT(namesOf("def f():\n  a = 1\n"), ElementsAre("f"));
}

TEST(BlockAnalysis, NamedExpressionsWhereverTheyStand) {
  EXPECT_THAT(namesOf("f((a := 1), k=[b := 2, (c := 3) + 1])\n"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(namesOf("if (a := f()) > 0 and (b := g()):\n  c = (d := 1)\n"),
              ElementsAre("a", "b", "d", "c"));
  EXPECT_THAT(namesOf("while x[(a := 0):-(b := 1)]:\n  pass\n"),
              ElementsAre("a", "b"));
  EXPECT_THAT(namesOf("assert (a := 1), f'{(b := 2)}'\n"),
              ElementsAre("a", "b"));
  EXPECT_THAT(namesOf("x += (a := 1) if (b := 2) else (c := 3)\n"),
              ElementsAre("b", "a", "c", "x"));
  EXPECT_THAT(namesOf("[(a := v) for v in (b := w) if (c := v)]\n"),
              ElementsAre("b", "c", "a"));
  EXPECT_THAT(namesOf("lambda: (a := 1)\n"), IsEmpty());
}

TEST(BlockAnalysis, WaysToLeave) {
  Parsed loop("for i in x:\n  if p:\n    break\n");
  EXPECT_FALSE(mayLeave(loop.body()));
  ast::Block body = llvm::cast<ast::For>(loop.body()[0])->body;
  EXPECT_TRUE(mayLeave(body) && containsBreak(body) && leavesLoop(body));
  EXPECT_FALSE(containsReturn(body));
  Parsed function("def f():\n  for i in x:\n    return 1\n");
  EXPECT_FALSE(mayLeave(function.body()));
  body = llvm::cast<ast::FunctionDef>(function.body()[0])->body;
  EXPECT_TRUE(mayLeave(body) && containsReturn(body));
  EXPECT_FALSE(leavesLoop(body));
}

TEST(BlockAnalysis, LoopVariablesThatAreReadLater) {
  Parsed parsed(
      "for i in x:\n  a = i\nfor j in y:\n  pass\nb = [k for k in j]\n");
  auto read = readBehindLoops(parsed.body());
  EXPECT_FALSE(read.contains("i"));
  EXPECT_TRUE(read.contains("j"));
  EXPECT_FALSE(read.contains("k"));
}

} // namespace
