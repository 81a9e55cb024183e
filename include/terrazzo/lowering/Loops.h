//===- Loops.h - the counter of a loop ---------------------------*- C++
//-*-===//
//
// What   Emits the counter of an scf.for as LLVM IR.
// Why    The number of iterations is that of exact arithmetic: a counter that
//        would leave its type after the last iteration must not begin again.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_LOOPS_H
#define TERRAZZO_LOWERING_LOOPS_H

#include "llvm/IR/IRBuilder.h"

namespace tz::lowering {

/// A counter from `low` while it is below `high`, by `step` > 0, all of one
/// integer type. Made in front of the loop; then begin() in the empty header,
/// goesOn() behind the header's other phis, and next() at the loop's end.
class LoopCounter {
public:
  /// `isWide`: the type holds `high` + `step`, so that no sum wraps.
  LoopCounter(llvm::IRBuilderBase &b, llvm::Value *low, llvm::Value *high,
              llvm::Value *step, bool isUnsigned, bool isWide = false);

  /// The counter.
  llvm::PHINode *begin(llvm::IRBuilderBase &b);
  /// Whether there is an iteration with this counter.
  llvm::Value *goesOn(llvm::IRBuilderBase &b);
  /// Adds the values of the next iteration; `b` stands before the branch to the
  /// header.
  void next(llvm::IRBuilderBase &b);

  /// For a loop in pieces: the bound of the piece that begins with the counter
  /// `from`, of at most `iterations`. It takes the place of `high` in what
  /// goesOn() gave. Null: the counter is compared with no bound.
  llvm::Value *endOfPiece(llvm::IRBuilderBase &b, llvm::Value *from,
                          uint64_t iterations);
  /// In the last piece this does not hold when the piece is done.
  llvm::Value *hasMore(llvm::IRBuilderBase &b) {
    return isBelow(b, counter, high);
  }

  /// Whether the whole loop is one piece; asked in front of the loop.
  llvm::Value *isOnePiece(llvm::IRBuilderBase &b, uint64_t iterations);

private:
  llvm::Value *isBelow(llvm::IRBuilderBase &b, llvm::Value *value,
                       llvm::Value *bound);

  llvm::BasicBlock *before;
  llvm::Value *low, *high, *step;
  bool isUnsigned, isWide;
  llvm::Value *last = nullptr; ///< the counter below it has a next one
  llvm::Value *runs = nullptr; ///< whether there is a first one
  llvm::PHINode *counter = nullptr, *exists = nullptr;
};

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_LOOPS_H
