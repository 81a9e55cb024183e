//===- Atomics.h - atomic operations on one element as LLVM IR ------------===//
//
// What   Read-modify-write and compare-exchange of tile IR on one element of
//        any type.
// Why    Integers have instructions of their own; floats and P11 (a NaN changes
//        nothing in fmax and fmin) are loops of compare-exchange.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_LOWERING_ATOMICS_H
#define TERRAZZO_LOWERING_ATOMICS_H

#include "terrazzo/lowering/Elementwise.h"

namespace tz::lowering {

/// How an atomic is ordered, and for whom (LLVM's name of a scope).
struct AtomicOrder {
  tile::MemSem sem;
  llvm::StringRef scope = "";
  /// Has the machine atomic maxima and minima of integers? Those of floats are
  /// made of them then; else by compare and exchange.
  bool hasExtrema = false;
};

llvm::AtomicOrdering orderOf(tile::MemSem sem);

/// The old value, as in registers. Ends in another block than it began.
llvm::Value *emitAtomicUpdate(llvm::IRBuilderBase &b, Elementwise &arithmetic,
                              tile::AtomicKind kind, llvm::Value *pointer,
                              llvm::Value *value, mlir::Type element,
                              const AtomicOrder &order);

/// What an atomic of `kind` makes of `now`, as in registers; also of vectors.
llvm::Value *updated(llvm::IRBuilderBase &b, Elementwise &arithmetic,
                     tile::AtomicKind kind, llvm::Value *now,
                     llvm::Value *value, mlir::Type element);

/// Stores `value` where memory equals `compare` bit by bit; the old value.
llvm::Value *emitCompareExchange(llvm::IRBuilderBase &b,
                                 Elementwise &arithmetic, llvm::Value *pointer,
                                 llvm::Value *compare, llvm::Value *value,
                                 mlir::Type element, const AtomicOrder &order);

} // namespace tz::lowering

#endif // TERRAZZO_LOWERING_ATOMICS_H
