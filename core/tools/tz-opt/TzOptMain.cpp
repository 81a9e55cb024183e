//===- TzOptMain.cpp - tz-opt: passes over the text of tile IR ------------===//
//
// What   Reads tile IR, runs the passes named on the command line, prints it.
// Why    The tests of the dialect and of each pass are text in, text out.
//
//===----------------------------------------------------------------------===//
#include "core/tools/tz-opt/PrintPass.h"

#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/TilePipeline.h"
#include "terrazzo/simt/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

/// Takes --mlir-pass-statistics over: MLIR's own report is empty unless LLVM
/// was built to count, ours is not.
static bool takeStatisticsFlag() {
  auto &options = llvm::cl::getRegisteredOptions();
  auto it = options.find("mlir-pass-statistics");
  if (it == options.end() || it->second->getNumOccurrences() == 0) {
    return false;
  }
  auto *flag = static_cast<llvm::cl::opt<bool> *>(it->second);
  bool wanted = *flag;
  *flag = false;
  return wanted;
}

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tz::tile::registerTileDialects(registry);
  registry.insert<tz::simt::SimtDialect>();
  mlir::registerTransformsPasses();
  tz::optimizer::registerPasses();
  tz::simt::registerPasses();
  tz::opt::registerPrintPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "tile IR optimizer driver\n", registry);
  bool statistics = takeStatisticsFlag();
  if (statistics) {
    tz::optimizer::enableStatistics();
  }
  llvm::LogicalResult result =
      mlir::MlirOptMain(argc, argv, input, output, registry);
  if (statistics) {
    tz::optimizer::printStatistics(llvm::errs());
  }
  return mlir::asMainReturnCode(result);
}
