//===- ErrorsTest.cpp - the text of every error ---------------------------===//
//
// What   Runs each file of test/frontend/errors and compares all errors, with
//        place and text, to those that the file expects.
// Why    An error is part of the interface: one clear message at the right
//        place, and no second one that follows from it.
//
//===----------------------------------------------------------------------===//
#include "test/unit/frontend/KernelFile.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace tz::frontend;
using namespace tz::frontend::test;

namespace {

class Errors : public testing::TestWithParam<std::string> {};

TEST_P(Errors, AreAsWrittenInTheFile) {
  KernelFile file = readKernelFile(GetParam());
  ASSERT_FALSE(file.errors.empty()) << "the file expects no error";
  DiagnosticSink sink;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Module module = parseModule(file.path, file.text, sink);
  if (!sink.hasErrors()) {
    for (const KernelRun &run : file.runs) {
      auto result = elaborate(module, run.kernel, run.spec, context, sink);
      EXPECT_FALSE(result) << "a kernel with an error has no IR";
    }
  }
  EXPECT_EQ(errorLines(sink), file.errors) << sink.str();
  for (const std::string &note : file.notes) {
    std::vector<std::string> notes = noteLines(sink);
    EXPECT_NE(std::find(notes.begin(), notes.end(), note), notes.end())
        << "missing note " << note << "\n"
        << sink.str();
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Errors,
                         testing::ValuesIn(kernelFiles("test/frontend/errors")),
                         [](const testing::TestParamInfo<std::string> &info) {
                           std::string name;
                           size_t slash = info.param.rfind('/');
                           for (char c : info.param.substr(slash + 1)) {
                             name += std::isalnum(static_cast<unsigned char>(c))
                                         ? c
                                         : '_';
                           }
                           return name;
                         });

} // namespace
