//===- SpirvBlocks.h - 2-D blocks of memory, straight to registers --------===//
//
// What   The block loads that there are, as data; their code: the function that
//        the driver's compiler knows, or one of loads that does the same.
// Why    Operands of the matrix unit come from memory in the form in which it
//        takes them, without local memory in between.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_SPIRVBLOCKS_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_SPIRVBLOCKS_H

#include "plugins/intel/compiler/IntelMachines.h"

#include "terrazzo/simt/SimtHooks.h"
#include "terrazzo/simt/SimtTarget.h"

namespace tz::intel {

/// What a lane gets of a block.
enum class BlockForm {
  plain,     ///< of each row the elements at its place; blocks one by one
  packed,    ///< a column: the elements that share a word below each other
  transposed ///< a row
};

/// A load of a rectangle by a sub-group of 16 lanes.
struct BlockLoad {
  BlockForm form;
  const char *name;               ///< behind the prefix of all of them
  unsigned elementBytes;          ///< as the instruction counts columns
  unsigned rows, columns, blocks; ///< blocks lie beside each other
  unsigned resultBits, results;   ///< numbers that each lane gets
  unsigned resultBytes() const { return resultBits / 8; }
};

/// Null: there is none that moves this.
const BlockLoad *findBlockLoad(const simt::BlockMessage &message);
const BlockLoad *findBlockLoad(const simt::Layout &message,
                               unsigned elementBytes);

/// A frame's corner: SimtHooks::loadBlock's arguments.
struct BlockPlace {
  simt::DescriptorType type;
  llvm::Value *descriptor;
  llvm::ArrayRef<llvm::Value *> at;
};

/// The elements of this lane, as numbers of the element's width.
llvm::SmallVector<llvm::Value *> emitBlockLoad(llvm::IRBuilderBase &b,
                                               const Machine &machine,
                                               const BlockPlace &place,
                                               const BlockLoad &load,
                                               unsigned elementBytes);
/// Each lane asks for a line of the rectangle; nothing where messages are
/// emulated. `lane`: i32.
void emitBlockPrefetch(llvm::IRBuilderBase &b, const Machine &machine,
                       const BlockPlace &place, const BlockLoad &load,
                       llvm::Value *lane);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_SPIRVBLOCKS_H
