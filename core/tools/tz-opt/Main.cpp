//===- Main.cpp - tz-opt: passes over the text of tile IR -----------------===//
//
// What   Reads tile IR, runs the passes named on the command line, prints it.
// Why    The tests of the dialect and of each pass are text in, text out.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"
#include "terrazzo/optimizer/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tz::tile::registerTileDialects(registry);
  mlir::registerTransformsPasses();
  tz::optimizer::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tile IR optimizer driver\n", registry));
}
