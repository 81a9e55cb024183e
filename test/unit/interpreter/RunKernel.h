//===- RunKernel.h - kernels of the interpreter's tests ---------*- C++ -*-===//
//
// What   Parses tile IR text and runs its kernel on vectors.
// Why    A test should be the text of a kernel and its expected numbers.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_INTERPRETER_RUNKERNEL_H
#define TERRAZZO_TEST_UNIT_INTERPRETER_RUNKERNEL_H

#include "core/interpreter/Interpreter.h"

#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tz::interpreter {

class RunKernel : public ::testing::Test {
protected:
  RunKernel() {
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Gives `buffer` to the next run, as an argument and as known memory.
  template <typename T>
  void give(std::vector<T> &buffer, const std::string &name = "buffer",
            bool initialized = true) {
    launch.args.push_back(ArgValue::pointer(buffer.data()));
    options.memory.push_back({reinterpret_cast<uintptr_t>(buffer.data()),
                              buffer.size() * sizeof(T), name, initialized});
  }

  /// Runs the first kernel of `text`; the error's text, empty if it went well.
  std::string run(llvm::StringRef text) {
    report = {};
    mlir::ParserConfig config(&context);
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, config, "t");
    if (!module) {
      return "does not parse";
    }
    auto kernels = module->getOps<tile::KernelOp>();
    if (kernels.empty()) {
      return "no kernel";
    }
    llvm::Error error =
        interpreter::run(*kernels.begin(), launch, options, report);
    return error ? llvm::toString(std::move(error)) : "";
  }

  mlir::MLIRContext context;
  LaunchArgs launch;
  Options options;
  Report report;
};

} // namespace tz::interpreter

#endif // TERRAZZO_TEST_UNIT_INTERPRETER_RUNKERNEL_H
