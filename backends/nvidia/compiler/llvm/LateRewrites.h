//===- LateRewrites.h - what PTX has and LLVM does not make -----*- C++ -*-===//
//
// What   Rewrites of a function, each in a file of its name.
// Why    They come after LLVM's own passes, which would undo some of them and
//        do not look into the instructions that others make.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LATEREWRITES_H
#define TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LATEREWRITES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace tz::nvidia {

/// Of a call that loads from global memory and may wait until its value is
/// used, if nothing writes in between.
constexpr llvm::StringLiteral LoadAttribute = "tz-load";

/// OwnElements.cpp: vectors that put their own elements back.
void dropOwnElements(llvm::Function &function);

/// PairedConversions.cpp: 8-bit floats, two at a time.
void pairConversions(llvm::Function &function);

/// WideProducts.cpp: both halves of a product at once.
void shareWideProducts(llvm::Function &function);

/// WideFactors.cpp: products of 64 bits whose factors have 32.
void narrowFactors(llvm::Function &function);

/// SharedOffsets.cpp: what several arrays add to their addresses.
void shareOffsets(llvm::Function &function);

/// OffsetCompares.cpp: elements that are compared with one value.
void compareOffsets(llvm::Function &function);

/// FarArms.cpp: what is wanted far from zero alone.
void branchAroundFarArms(llvm::Function &function);

/// OrderedCompares.cpp: comparisons that know NaN.
void keepOrderedCompares(llvm::Function &function);

/// GuardedDivisions.cpp: divisions by any number.
void unguardDivisions(llvm::Function &function);

/// GuardedShifts.cpp: shifts by wide amounts.
void narrowGuardedShifts(llvm::Function &function);

/// IntegerConversions.cpp: floats that become integers, and packed bytes.
void convertToIntegers(llvm::Function &function);

/// NegatedMinMax.cpp: minima and maxima of negated integers.
void invertNegatedLimits(llvm::Function &function);

/// SplitWords.cpp: low halves of words, of which others are used too.
void splitChosenWords(llvm::Function &function);

/// TruncatedSums.cpp: low parts of the sums of integer matrix products.
void separateTruncatedSums(llvm::Function &function);

/// RoundedFloats.cpp: floats that are rounded to bf16 and go on as floats.
void roundInPlace(llvm::Function &function);

/// KnownDivisors.cpp: quotients whose divisor is far from 0 and infinity.
void multiplyByReciprocals(llvm::Function &function);

/// SharedDivisors.cpp: one reciprocal for many quotients.
void shareDivisors(llvm::Function &function);

/// Float8Limits.cpp: limits that a conversion has itself.
void dropSaturatedLimits(llvm::Function &function);

/// PackedLimits.cpp: extremes of bf16, two at a time.
void packLimits(llvm::Function &function);

/// UpperHalves.cpp: bf16 in words, widened in place.
void widenInPlace(llvm::Function &function);

/// EndedLives.cpp: operations that end several values, where they can.
void endLives(llvm::Function &function);

/// LateIndices.cpp: cheap integers beside their first use.
void sinkIndices(llvm::Function &function);

/// LoadAgain.cpp: rows that registers cannot hold over a barrier.
void loadAgain(llvm::Function &function);

/// LoadOrder.cpp: as many loads under way as registers hold.
void orderLoads(llvm::Function &function);

/// How PTX reads a number above zero that stands for zero, and so holds loads
/// together; read as a zero, it holds none.
constexpr llvm::StringLiteral HoldingLoads = "%smid; /*holds loads*/";
constexpr llvm::StringLiteral HoldingNone = "0; /*holds no loads*/";

} // namespace tz::nvidia

#endif // TERRAZZO_BACKENDS_NVIDIA_COMPILER_LLVM_LATEREWRITES_H
