//===- Simt.h - the simt dialect, its attributes and ops ------------------===//
//
// What   Everything generated from Simt*.td, in one include.
// Why    See terrazzo/ir/Tile.h.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMT_H
#define TERRAZZO_SIMT_SIMT_H

#include "terrazzo/ir/Tile.h"
#include "terrazzo/simt/Layout.h"
#include "terrazzo/simt/SimtDialect.h.inc"

#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#define GET_ATTRDEF_CLASSES
#include "terrazzo/simt/SimtAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "terrazzo/simt/SimtTypes.h.inc"

#define GET_OP_CLASSES
#include "terrazzo/simt/SimtOps.h.inc"

namespace tz::simt {

/// The layout of a tile's type; the type must have one.
const Layout &layoutOf(mlir::Type type);
inline const Layout &layoutOf(mlir::Value value) {
  return layoutOf(value.getType());
}
/// Does the type have a layout?
bool hasLayout(mlir::Type type);
/// Registers, 32 bits wide, in which a thread holds the tile, elements apart; 0
/// of what is no tile with a layout.
int64_t wordsOf(mlir::Value value);
/// Is it a reduction or a scan that combines what several threads hold?
bool combinesThreads(mlir::Operation *op);
/// Does the loop carry a tile and combine lanes in each iteration? Then all
/// threads wait for each other in each.
bool combinesBesideCarried(mlir::LoopLikeOpInterface loop);
/// Does what is combined come of the carried tile as well? Then the next
/// iteration waits for all threads of this one, and other blocks hide little.
bool isRecurrence(mlir::LoopLikeOpInterface loop);
/// On an scf.if without effects that begins loads of a later iteration: its
/// results are used only if that is there.
inline constexpr llvm::StringLiteral LaterLoads = "simt.later_loads";
/// On a kernel: so many blocks, beside each other along the grid's first axis,
/// run at the same time and may fill each other's shared memory.
inline constexpr llvm::StringLiteral ClusterName = "simt.cluster";
/// 1: each block is alone.
unsigned clusterBlocks(tile::KernelOp kernel);
/// On a kernel: so many such blocks share each program, and may read each
/// other's shared memory.
inline constexpr llvm::StringLiteral SplitName = "simt.split";
/// 1: each program has one block.
unsigned splitBlocks(tile::KernelOp kernel);
/// Names of the regions that simt-mark-regions makes (simt.begin_region): the
/// body of a loop whose loads begin iterations ahead, and matrix products that
/// follow each other.
inline constexpr llvm::StringLiteral PipelineRegion = "pipeline",
                                     ProductsRegion = "products";
/// In how many boxes the bulk copy unit fills the buffer.
int64_t boxesOf(DescriptorType descriptor, BufferType buffer);
/// What a thread holds of a tile, in memory's form, as words of 32 bits: a row
/// of i32. Null: of pointers.
mlir::RankedTensorType packedType(mlir::RankedTensorType type);
/// Is a tile in this layout made of messages: boxes that a warp holds whole,
/// which lie beside each other in registers and over warps? Both of rank 2.
bool isMadeOf(const Layout &layout, const Layout &message);
/// The tile type with a layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const Layout &layout);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_SIMT_H
