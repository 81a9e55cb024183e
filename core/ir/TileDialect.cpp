//===- TileDialect.cpp - registration of the tile dialect -----------------===//
//
// What   Puts types, attributes and the four op families into the dialect.
// Why    The families are compiled apart (R18); only their lists meet here.
//
//===----------------------------------------------------------------------===//
#include "terrazzo/ir/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tz::tile;

#include "terrazzo/ir/TileDialect.cpp.inc"
#include "terrazzo/ir/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "terrazzo/ir/TileAttrs.cpp.inc"

void TileDialect::initialize() {
  registerTypes();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "terrazzo/ir/TileAttrs.cpp.inc"
      >();
  registerOps();
}

void TileDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "terrazzo/ir/TileProgramOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "terrazzo/ir/TileShapeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "terrazzo/ir/TileComputeOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "terrazzo/ir/TileMemoryOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

void tz::tile::registerTileDialects(DialectRegistry &registry) {
  registry.insert<TileDialect, arith::ArithDialect, scf::SCFDialect>();
}
