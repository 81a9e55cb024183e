//===- Tile.h - the tile dialect, its types, enums and ops ------*- C++ -*-===//
//
// What   Everything generated from Tile*.td, in one include.
// Why    Users of the dialect should not have to know how it is split.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_IR_TILE_H
#define TERRAZZO_IR_TILE_H

// Before what is generated, which includes nothing.
// clang-format off
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "terrazzo/ir/TileDialect.h.inc"
#include "terrazzo/ir/TileEnums.h.inc"
// clang-format on

#define GET_TYPEDEF_CLASSES
#include "terrazzo/ir/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "terrazzo/ir/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "terrazzo/ir/TileProgramOps.h.inc"

#define GET_OP_CLASSES
#include "terrazzo/ir/TileShapeOps.h.inc"

#define GET_OP_CLASSES
#include "terrazzo/ir/TileComputeOps.h.inc"

#define GET_OP_CLASSES
#include "terrazzo/ir/TileMemoryOps.h.inc"

namespace tz::tile {

/// The element type of a scalar or a tile.
mlir::Type elementType(mlir::Type type);
/// The shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
/// `like`'s shape with another element type (a scalar gives a scalar).
mlir::Type withElement(mlir::Type like, mlir::Type element);
/// Bytes of one element in memory (i1: 1, pointers: 8, sub-byte: 1).
unsigned storageBytes(mlir::Type element);

/// Makes a context's registry know what tile IR consists of: tile, arith, scf.
void registerTileDialects(mlir::DialectRegistry &registry);

/// The version of tile IR that this build reads and writes: 0.kMinor.
inline constexpr unsigned IrMajor = 0;
inline constexpr unsigned IrMinor = 1;

} // namespace tz::tile

#endif // TERRAZZO_IR_TILE_H
