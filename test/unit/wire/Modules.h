//===- Modules.h - modules for the tests of the portable form ---*- C++ -*-===//
//
// What   Text to module, module to text, and the golden files.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_WIRE_MODULES_H
#define TERRAZZO_TEST_UNIT_WIRE_MODULES_H

#include "terrazzo/wire/Wire.h"

#include <gtest/gtest.h>
#include <optional>

namespace tz::wire {

/// Where the goldens are, and whether --bless was given.
inline const std::string GoldenFolder = TZ_WIRE_GOLDENS;

std::string slurp(const std::string &path);
/// Names without ending, sorted.
std::vector<std::string> goldenNames();

mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text,
                                        mlir::MLIRContext &context);
std::string print(mlir::ModuleOp module, bool locations = false);

/// The bytes, or a failed test.
std::string written(mlir::ModuleOp module, const WriteOptions &options = {});
/// The message of a refusal, or "" if the call succeeded.
template <typename T>
std::string messageOf(llvm::Expected<T> result) {
  return result ? "" : llvm::toString(result.takeError());
}

} // namespace tz::wire

#endif
