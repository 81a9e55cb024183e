//===- NamedKernel.h - a kernel whose values have names ---------*- C++ -*-===//
//
// What   Parses the text of a kernel, and finds a value by its location:
//        `%s = arith.addi %a, %b : i32 loc("s")`.
// Why    The names of values in the text are lost when it is parsed.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_UNIT_OPTIMIZER_NAMEDKERNEL_H
#define TERRAZZO_TEST_UNIT_OPTIMIZER_NAMEDKERNEL_H

#include "terrazzo/ir/Tile.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tz::test {

class NamedKernel {
public:
  /// `text` is one `tile.kernel`. A text that is not valid fails the test.
  explicit NamedKernel(llvm::StringRef text) {
    mlir::DialectRegistry registry;
    tile::registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text.str();
  }

  tile::KernelOp kernel() { return *module->getOps<tile::KernelOp>().begin(); }

  /// The value at loc("NAME"); null and a failure where there is none.
  mlir::Value operator[](llvm::StringRef name) {
    mlir::Value found;
    auto look = [&](mlir::Value value) {
      auto at = mlir::dyn_cast<mlir::NameLoc>(value.getLoc());
      if (at && at.getName() == name) {
        found = value;
      }
    };
    kernel().walk([&](mlir::Operation *op) {
      llvm::for_each(op->getResults(), look);
      for (mlir::Region &region : op->getRegions()) {
        llvm::for_each(region.getArguments(), look);
      }
    });
    EXPECT_TRUE(found) << "no value " << name.str();
    return found;
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tz::test

#endif // TERRAZZO_TEST_UNIT_OPTIMIZER_NAMEDKERNEL_H
