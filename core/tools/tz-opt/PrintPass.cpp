//===- PrintPass.cpp - passes that print an analysis ----------------------===//
//
// What   The order of the lines, and the list of the passes.
//
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/PrintPass.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tz;
using namespace tz::opt;

namespace {

/// On the module, not on its kernels: those run side by side, in no order.
class PrintPass : public PassWrapper<PrintPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintPass)

  PrintPass(StringRef flag, StringRef summary, Analyze analyze)
      : flag(flag), summary(summary), analyze(analyze) {}

  StringRef getArgument() const override { return flag; }
  StringRef getDescription() const override { return summary; }

  /// An analysis may add ops (LaneForms), which may be of dialects that the
  /// input does not use.
  void getDependentDialects(DialectRegistry &registry) const override {
    tile::registerTileDialects(registry);
  }

  void runOnOperation() override {
    SmallVector<std::pair<tile::KernelOp, Describe>> kernels;
    for (auto kernel : getOperation().getOps<tile::KernelOp>()) {
      kernels.emplace_back(kernel, analyze(kernel));
    }
    // Names come last: an analysis may have added ops.
    AsmState names(getOperation());
    for (auto &[kernel, describe] : kernels) {
      llvm::outs() << flag << " @" << kernel.getSymName() << "\n";
      print(kernel.getOperation(), describe, names);
    }
    llvm::outs().flush();
  }

private:
  static void printLines(ValueRange values, const Describe &describe,
                         AsmState &names) {
    for (Value value : values) {
      std::string text;
      llvm::raw_string_ostream out(text);
      describe(value, names, out);
      if (!text.empty()) {
        value.printAsOperand(llvm::outs() << "  ", names);
        llvm::outs() << ": " << text << "\n";
      }
    }
  }

  static void print(Operation *op, const Describe &describe, AsmState &names) {
    printLines(op->getResults(), describe, names);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        printLines(block.getArguments(), describe, names);
        for (Operation &inner : block) {
          print(&inner, describe, names);
        }
      }
    }
  }

  StringRef flag, summary;
  Analyze analyze;
};

} // namespace

void tz::opt::registerPrintPass(StringRef flag, StringRef summary,
                                Analyze analyze) {
  registerPass([=]() -> std::unique_ptr<Pass> {
    return std::make_unique<PrintPass>(flag, summary, analyze);
  });
}

void tz::opt::registerPrintPasses() {
  registerPrintPass("tile-print-hints",
                    "print the range and a divisor of each integer and pointer",
                    describeHints);
  registerPrintPass("tile-print-lane-forms",
                    "print the formula of each integer, pointer and view in "
                    "its lane indices",
                    describeLaneForms);
  registerPrintPass("simt-print-contiguity",
                    "print the runs of consecutive and of equal lanes of each "
                    "tile",
                    describeContiguity);
}
