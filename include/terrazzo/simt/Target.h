//===- Target.h - what the passes ask of a target -------------------------===//
//
// What   The facts and choices that differ between targets when layouts are
//        assigned: lanes of a warp, width of an access, how a dot is done.
// Why    The passes of this library are shared; a vendor derives from Target
//        and hands it to them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_SIMT_TARGET_H
#define TERRAZZO_SIMT_TARGET_H

#include "terrazzo/simt/Contiguity.h"
#include "terrazzo/simt/Simt.h"

#include <string>
#include <variant>

namespace tz::simt {

/// An operand of a dot: registers in this layout, or shared memory like this.
using DotOperand = std::variant<Layout, SharedAttr>;

struct DotChoice {
  Layout acc;
  DotOperand a, b;
  /// Name that the target's lowering knows; empty: threads multiply and add by
  /// themselves, operands lie in shared memory.
  std::string instruction;
};

class Target {
public:
  virtual ~Target() = default;

  /// Lanes of a warp: a power of two.
  virtual unsigned lanes() const { return 32; }
  /// The widest access of one thread.
  virtual int64_t vectorBytes() const { return 16; }
  /// How a block of so many warps does this dot. The default has no
  /// instruction.
  virtual DotChoice chooseDot(tile::DotOp dot, unsigned warps) const;

  //===--- Pipelines ------------------------------------------------------===//

  /// Shared memory that one block may have.
  virtual uint64_t sharedBytes() const { return 0; }
  /// The narrowest asynchronous copy of one thread in bytes, a power of two; 0:
  /// there are none.
  virtual unsigned asyncCopyBytes() const { return 0; }
  /// May this load be an asynchronous copy into such a buffer? The default
  /// looks whether what each thread copies at once is wide enough.
  virtual bool canCopyAsync(mlir::Operation *load, const Contiguity &runs,
                            const Layout &layout, BufferType to) const;
  /// May the threads go on while this dot, whose operands are buffers, runs?
  virtual bool canStayInFlight(DotOp dot) const { return false; }
};

/// Row-major (the last dimension fastest), no swizzle.
SharedAttr plainShared(mlir::MLIRContext *context,
                       llvm::ArrayRef<int64_t> shape);

} // namespace tz::simt

#endif // TERRAZZO_SIMT_TARGET_H
