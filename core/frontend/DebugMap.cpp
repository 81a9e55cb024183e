//===- DebugMap.cpp - what a debugger must know of a kernel ---------------===//
//
// What   The map: events between operations.
// Why    See DebugMap.h.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/DebugMap.h"

using namespace llvm;

namespace tz::frontend {

void DebugMap::add(const mlir::OpBuilder &at, DebugEvent event) {
  mlir::Block *block = at.getInsertionBlock();
  mlir::Block::iterator next = at.getInsertionPoint();
  mlir::Operation *previous =
      next == block->begin() ? nullptr : &*std::prev(next);
  if (event.kind == DebugEvent::Statement) {
    begins.push_back(event.loc);
  }
  events[{block, previous}].push_back(std::move(event));
}

ArrayRef<DebugEvent> DebugMap::after(mlir::Block *block,
                                     mlir::Operation *previous) const {
  auto known = events.find({block, previous});
  return known == events.end() ? ArrayRef<DebugEvent>()
                               : ArrayRef<DebugEvent>(known->second);
}

} // namespace tz::frontend
