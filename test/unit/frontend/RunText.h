//===- RunText.h - a kernel's text, elaborated and run ----------*- C++ -*-===//
//
// What   Runs one kernel of a text in the reference interpreter.
// Why    Tests of meaning are a text, buffers and numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_FRONTEND_RUNTEXT_H
#define TERRAZZO_TEST_UNIT_FRONTEND_RUNTEXT_H

#include "test/unit/frontend/KernelFile.h"

#include "core/interpreter/Interpreter.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace tz::frontend::test {

/// `run` is as after "# run:" in a test file; the text needs no imports.
inline void runText(const std::string &text, const std::string &run,
                    std::vector<tz::interpreter::ArgValue> args) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  DiagnosticSink sink;
  Module module = parseModule("t.py",
                              "import triton\nimport triton.language as tl\n"
                              "from triton.language.extra import libdevice\n" +
                                  text,
                              sink);
  KernelRun parsed = parseRun(run);
  auto ir = elaborate(module, parsed.kernel, parsed.spec, context, sink);
  ASSERT_TRUE(ir) << sink.str();
  auto kernel = *ir->getOps<tz::tile::KernelOp>().begin();
  tz::interpreter::LaunchArgs launch;
  launch.args = std::move(args);
  tz::interpreter::Options options;
  options.stepLimit = 10000000;
  tz::interpreter::Report report;
  llvm::Error error = tz::interpreter::run(kernel, launch, options, report);
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
}

} // namespace tz::frontend::test

#endif // TERRAZZO_TEST_UNIT_FRONTEND_RUNTEXT_H
