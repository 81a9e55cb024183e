//===- SimtTarget.h - what the passes ask of a target ---------------------===//
//
// What   The facts and choices that differ between targets when layouts are
//        assigned: lanes of a warp, width of an access, how a dot is done.
// Why    The passes of this library are shared; a vendor derives from
// SimtTarget
//        and hands it to them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_SIMTTARGET_H
#define TERRAZZO_SIMT_SIMTTARGET_H

#include "terrazzo/simt/Contiguity.h"
#include "terrazzo/simt/SimtMachine.h"
#include "terrazzo/simt/SimtPipeline.h"

#include <string>
#include <variant>

namespace tz::simt {

/// An operand of a dot: registers in this layout, or shared memory like this.
using DotOperand = std::variant<Layout, SharedAttr>;

/// A dot whose layouts are to be chosen, and what is known of it.
struct DotRequest {
  tile::DotOp dot;
  unsigned warps;
  struct Operand {
    /// Dimensions as they lie in memory, fastest first; where nothing is known,
    /// row-major.
    llvm::SmallVector<unsigned, 3> order;
    /// Threads make it beside the dot; it is not as it lies in memory.
    bool isComputed = false;
    /// It is loaded and nothing else, and the host knows where from: whole
    /// blocks can be loaded into any layout that messages make up
    /// (hasBlockMessage). Only where the target has blocks.
    bool isBlock = false;
  } a, b;
};

struct DotChoice {
  Layout acc;
  DotOperand a, b;
  /// Name that the target's lowering knows; empty: threads multiply and add by
  /// themselves, operands lie in shared memory.
  std::string instruction;
};

enum class BlockUse { load, store };

/// A rectangle of memory that one instruction of a warp loads or stores.
struct BlockMessage {
  /// Of the warp over the rectangle: rows, and columns that are consecutive in
  /// memory. Registers are those of elements; narrow ones that share a word are
  /// beside each other.
  const Layout &layout;
  mlir::Type element;
  BlockUse use;
};

/// Loops that the bulk copy unit feeds, of a kernel.
struct CopyRequest {
  unsigned warps;  // of the kernel
  unsigned stages; // iterations: those begun, and the one that runs
  bool isAsked;    // the language asks for warps of their own
  bool areShared;  // by blocks of a cluster
};

/// What a block takes of the unit that it runs on.
struct BlockNeeds {
  unsigned warps;
  unsigned words; // of 32 bits, that each thread keeps, without addresses
  uint64_t sharedBytes;
};

class SimtTarget : public SimtMachine {
public:
  /// Threads that a block may have at most: a power of two.
  virtual unsigned mostThreads() const { return 1024; }
  /// The target's own steps, inserted by the names of those that are there
  /// (core/simt/SimtPipeline.def). Called once for each variant.
  virtual void extendPipeline(Pipeline &pipeline, Form form) const {}
  /// How a block does this dot. The default has no instruction.
  virtual DotChoice chooseDot(const DotRequest &request) const;

  /// How rows lie in shared memory that lanes write along the rows and read
  /// along the columns, without bank conflicts: arguments as of swizzledShared,
  /// which is the default. A bulk copy unit knows no padding.
  virtual SharedAttr sharedRows(mlir::MLIRContext *context,
                                llvm::ArrayRef<unsigned> order, int64_t unit,
                                int64_t elementBytes) const;

  /// Of an operand that is loaded across the rows of its buffer: bytes of a row
  /// that a thread loads, beside each other in registers, so that it writes
  /// them at once; a power of two. 0: those that it has anyway, which may be
  /// single elements.
  virtual int64_t bytesAcross() const { return 0; }

  //===--- Blocks of memory, straight to registers ------------------------===//

  /// Are there messages at all? The target of a machine with them answers yes
  /// where a variant may need a guard (makeVariants), no where it may not.
  virtual bool hasBlocks() const { return false; }
  /// Is there an instruction that does this? Asked for large rectangles first.
  virtual bool hasBlockMessage(const BlockMessage &message) const {
    return false;
  }

  //===--- Pipelines ------------------------------------------------------===//

  /// Registers of 32 bits that a thread has; 0: not known, and no loads of
  /// later iterations are held in them.
  virtual unsigned registers() const { return 0; }
  /// Shared memory that each block takes beside its own, of what all blocks of
  /// a unit have together.
  virtual uint64_t sharedReserved() const { return 0; }
  /// Such blocks that run beside each other on one unit of the machine. The
  /// default knows nothing of units: always one.
  virtual unsigned blocksBeside(const BlockNeeds &block) const { return 1; }
  /// The narrowest asynchronous copy of one thread in bytes, a power of two; 0:
  /// there are none.
  virtual unsigned asyncCopyBytes() const { return 0; }
  /// May this load be an asynchronous copy into such a buffer? The default
  /// looks whether what each thread copies at once is wide enough.
  virtual bool canCopyAsync(mlir::Operation *load, const Contiguity &runs,
                            const Layout &layout, BufferType to) const;
  /// Can the bulk copy unit, if there is one, make copies of this kind?
  virtual bool canCopyInBulk(DescriptorType descriptor, BufferType to) const {
    return false;
  }
  /// Bytes of which a box's place in its row must be a multiple, for such
  /// copies and for blocks: a power of two. Nor does the unit store less: a row
  /// that ends within so many bytes is overwritten up to their end.
  virtual int64_t bulkAlignment() const { return 16; }
  /// ... and store from such a buffer?
  virtual bool canStoreInBulk(DescriptorType descriptor,
                              BufferType from) const {
    return false;
  }
  /// Warps that a block has beside the kernel's own to begin such copies; 0:
  /// none, the kernel's first thread does it.
  virtual unsigned copyWarps(const CopyRequest &request) const { return 0; }
  /// Should a block run program after program, the copies of the next one begun
  /// before the stores of this one? `ringBytes`: shared memory that the copies
  /// of a loop take.
  virtual bool shouldPersist(uint64_t ringBytes) const { return false; }
  /// Blocks that can run together and fill each other's shared memory: a power
  /// of two; 1: each is alone.
  virtual unsigned clusterBlocks() const { return 1; }
  /// Blocks that can share a program, and read each other's shared memory: a
  /// power of two; 1: a program has one block.
  virtual unsigned splitBlocks() const { return 1; }
  /// May the threads go on while this dot runs?
  virtual bool canStayInFlight(DotOp dot) const { return false; }
  /// Warps that begin such a dot together. Those of a block that has more go
  /// their own ways: while some of them compute, the dots of others run.
  virtual unsigned warpsOfDot(DotOp dot) const { return 1; }
  /// Registers of a thread that the sums of a loop's last dot, and of one that
  /// leads to it, take at least where the last one is delayed by an iteration,
  /// to run beside what threads compute; 0: none is.
  virtual unsigned sumsToDelay() const { return 0; }
  /// Registers of a thread, 32 bits wide, that sums of dots may take at a time;
  /// the others are for operands, addresses and what is computed.
  virtual unsigned mostAccumulators() const { return 200; }
  /// Should simt-mark-regions name the parts of loops that a scheduler cares
  /// for (SimtHooks::beginRegion)?
  virtual bool wantsRegions() const { return false; }
};

CopyRequest copyRequest(mlir::scf::ForOp loop);

/// Warps beside the kernel's own that begin the loop's copies. None where
/// blocks share a program: behind the loop all threads add up its sums.
unsigned copyWarpsOf(mlir::scf::ForOp loop, const SimtTarget &target);

/// Row-major (the last dimension fastest), no swizzle.
SharedAttr plainShared(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> shape);

/// Bytes that swizzledShared moves whole: a vector that lies in one piece stays
/// together.
inline constexpr int64_t SharedPiece = 16;

/// Panels with the widest swizzle, 128, 64 or 32 bytes a row, whose width
/// divides `unit` elements of the fastest dimension; of 16 bytes without one.
/// `unit` elements are a multiple of SharedPiece bytes.
SharedAttr swizzledShared(mlir::MLIRContext *context,
                          llvm::ArrayRef<unsigned> order, int64_t unit,
                          int64_t elementBytes);

/// The same without a swizzle: panels as wide as `unit` has powers of two, and
/// 16 bytes free behind each panel's row, or behind 128 bytes of shorter ones.
/// An address is a sum then, of which the constant part can stand in the
/// instruction.
SharedAttr paddedShared(mlir::MLIRContext *context,
                        llvm::ArrayRef<unsigned> order, int64_t unit,
                        int64_t elementBytes);

/// The accumulator of an instruction, dealt out over a tile.
struct Tiling {
  /// Of the tile's rank; the last two dimensions are rows and columns. Its
  /// warps work together.
  Layout atom;
  llvm::ArrayRef<int64_t> shape;
  /// Parties of the atom's warps beside each other along rows and columns.
  int64_t down = 1, across = 1;
  /// Of the block; parties that are left over hold copies.
  int64_t warps = 1;
};

/// Registers: the atom's, then a party's columns, then its rows, then batches.
/// The columns of a party lie together, rows go round over the parties.
Layout tiledLayout(const Tiling &tiling);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_SIMTTARGET_H
