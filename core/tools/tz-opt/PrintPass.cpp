//===- PrintPass.cpp - passes that print an analysis ----------------------===//
//
// What   The order of the lines, and the list of the passes.
//
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/PrintPass.h"

#include "terrazzo/simt/Simt.h"

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
    registry.insert<simt::SimtDialect>(); // layouts are printed as attributes
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
    if (!describe.value) {
      return;
    }
    for (Value value : values) {
      std::string text;
      llvm::raw_string_ostream out(text);
      describe.value(value, names, out);
      if (!text.empty()) {
        value.printAsOperand(llvm::outs() << "  ", names);
        llvm::outs() << ": " << text << "\n";
      }
    }
  }

  static void printLine(Operation *op, const Describe &describe,
                        AsmState &names) {
    if (!describe.op) {
      return;
    }
    std::string text;
    llvm::raw_string_ostream out(text);
    describe.op(op, names, out);
    if (text.empty()) {
      return;
    }
    llvm::outs() << "  " << op->getName();
    if (op->getNumResults() > 0) {
      op->getResult(0).printAsOperand(llvm::outs() << " ", names);
    }
    llvm::outs() << ": " << text << "\n";
  }

  static void print(Operation *op, const Describe &describe, AsmState &names) {
    printLine(op, describe, names);
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
  registerPrintPass("tile-print-exact-integers",
                    "print which integers do not wrap and are not negative",
                    describeExactIntegers);
  registerPrintPass("tile-print-known-masks",
                    "print of each comparison when it is true in all lanes",
                    describeKnownMasks);
  registerPrintPass("tile-print-mask-bounds",
                    "print the bounds that the mask of each access is made of",
                    describeMaskBounds);
  registerPrintPass("tile-print-folded-lanes",
                    "print of each load by offsets that wrap around or stop "
                    "at a limit who sees the lanes beyond it",
                    describeFoldedLanes);
  registerPrintPass("tile-print-view-accesses",
                    "print the view that each access by pointers is of, or "
                    "why it is of none",
                    describeViewAccesses);
  registerPrintPass("tile-print-loop-contents",
                    "print what each loop holds and who reads its masks",
                    describeLoopContents);
  registerPrintPass("tile-print-argument-uses",
                    "print what the code makes of each argument",
                    describeArgumentUses);
  registerPrintPass("simt-print-contiguity",
                    "print the runs of consecutive and of equal lanes of each "
                    "tile",
                    describeContiguity);
  registerPrintPass("simt-print-lane-strides",
                    "print by how much each tile mostly grows from lane to "
                    "lane",
                    describeLaneStrides);
  registerPrintPass("simt-print-programs",
                    "print which integers are the same in all programs",
                    describePrograms);
  registerPrintPass("simt-print-uniform",
                    "print what is equal in all lanes of a warp",
                    describeUniform);
  registerPrintPass("simt-print-memory-order",
                    "print the group of each access, and whether it writes",
                    describeMemoryOrder);
  registerPrintPass("simt-print-launch-views",
                    "print the frame of each view that the host can describe",
                    describeLaunchViews);
  registerPrintPass("simt-print-layouts",
                    "print the layouts that accesses ask for and tiles get",
                    describeLayouts);
  registerPrintPass("simt-print-vectors",
                    "print how many elements a thread accesses at once",
                    describeVectors);
  registerPrintPass("simt-print-loop-iterations",
                    "print which loads of a loop may go ahead",
                    describeLoopIterations);
  registerPrintPass("simt-print-pipeline-plans",
                    "print how far ahead the copies of each loop go",
                    describePipelinePlans);
  registerPrintPass("simt-print-checked-forms",
                    "print of each branch whether its sides differ in checks",
                    describeCheckedForms);
  registerPrintPass("simt-print-disjoint-accesses",
                    "print which accesses of views share no element",
                    describeDisjointAccesses);
  registerPrintPass("simt-print-loop-needs",
                    "print what a loop with dots keeps in registers and in "
                    "shared memory",
                    describeLoopNeeds);
  registerPrintPass("simt-print-register-plans",
                    "print how far ahead the loads of each loop go into "
                    "registers",
                    describeRegisterPlans);
}
