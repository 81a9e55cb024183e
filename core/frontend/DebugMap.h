//===- DebugMap.h - what a debugger must know of a kernel -------*- C++ -*-===//
//
// What   Beside the operations of an elaborated kernel: where statements begin,
//        what names are set to, where inlined calls begin and end.
// Why    IR has no names and no statements. An assignment such as `m = m_new`
//        is no operation, so locations of operations cannot hold this.
//
// Events stand between operations. They are true only of IR as elaborate()
// made it: after any pass their operations and values may be gone.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_FRONTEND_DEBUGMAP_H
#define TERRAZZO_CORE_FRONTEND_DEBUGMAP_H

#include "core/frontend/TileTypes.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/DenseMap.h"

#include <string>
#include <vector>

namespace tz::frontend {

/// What a name, an item of its tuple or a field of its record stands for.
struct DebugPart {
  std::string path;  ///< "", "[0]", ".field"
  std::string text;  ///< of a compile-time value, as Python prints it
  mlir::Value value; ///< of a run-time value; null: `text`
  TileType type;     ///< of a run-time value
};

struct DebugEvent {
  enum Kind : uint8_t {
    Statement, ///< the statement at `loc` begins
    Name,      ///< `name` stands for `parts` from here on
    Enter,     ///< the call at `loc` of the function `name` begins
    Leave,     ///< and ends
  } kind = Statement;
  SourceLoc loc;
  std::string name;
  std::vector<DebugPart> parts;
};

class DebugMap {
public:
  /// What happens at the builder's place, after all that was added there.
  void add(const mlir::OpBuilder &at, DebugEvent event);

  /// The events between `previous` and the operation after it, in order; null:
  /// before the block's first operation.
  llvm::ArrayRef<DebugEvent> after(mlir::Block *block,
                                   mlir::Operation *previous) const;

  /// Where statements begin, in the order of elaboration, each place once for
  /// each time that it was elaborated.
  llvm::ArrayRef<SourceLoc> statements() const { return begins; }

private:
  using Place = std::pair<mlir::Block *, mlir::Operation *>;
  llvm::DenseMap<Place, std::vector<DebugEvent>> events;
  std::vector<SourceLoc> begins;
};

} // namespace tz::frontend

#endif // TERRAZZO_CORE_FRONTEND_DEBUGMAP_H
