//===- CpuLanguageTest.cpp - every name of the language on this target ----===//
//
// What   Compiles and runs each example of the language's table that the table
//        says works here, through the neutral optimizer.
// Why    docs/reference/language.md promises it.
//===----------------------------------------------------------------------===//
#include "gtest/gtest.h"
#include "test/unit/frontend/LanguageExamples.h"

#include "plugins/cpu/test/Program.h"

#include "terrazzo/optimizer/TilePipeline.h"

using namespace tz::frontend;
using namespace tz::frontend::test;

namespace {

class Language : public testing::TestWithParam<LanguageExample> {};

TEST_P(Language, RunsAsTheTableSays) {
  const LanguageExample &row = GetParam();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule("example.py", exampleKernel(row), sink);
  auto ir = elaborate(module, "kernel", exampleTypes(), context, sink);
  if (!row.cpu) {
    EXPECT_FALSE(ir && row.interp) << "works in the interpreter alone?";
    return;
  }
  ASSERT_TRUE(ir) << sink.str();
  tz::optimizer::RemarkSink remarks;
  ASSERT_TRUE(mlir::succeeded(tz::optimizer::runNeutral(*ir, &remarks)));
  bool logs = false;
  ir->walk([&](mlir::Operation *op) {
    logs |= mlir::isa<tz::tile::PrintOp, tz::tile::AssertOp>(op);
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  ir->print(stream);
  ExampleBuffers memory;
  tz::cpu::test::Program program(text.c_str());
  if (logs) {
    GTEST_SKIP() << "compiled; to run it needs a log, see DeviceTest";
  }
  program.arg(memory.out.data())
      .arg(memory.work.data())
      .arg(memory.in.data())
      .arg(memory.counters.data())
      .arg(int32_t{0})
      .run(1);
  EXPECT_EQ(differenceOf(row, memory.out), "");
}

std::string testName(const testing::TestParamInfo<LanguageExample> &info) {
  std::string name;
  for (char c : info.param.name) {
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(Names, Language, testing::ValuesIn(languageExamples()),
                         testName);

} // namespace
