//===- SanitizerRanges.h - the bytes that an access can reach ---*- C++ -*-===//
//
// What   Code for the least and the greatest address of an access, in scalars,
//        and for whether all of a loop's accesses stay in their arrays.
// Why    Where the range is inside, no element needs to be looked at; and what
//        a loop accesses can be asked before the loop.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_SANITIZERRANGES_H
#define TERRAZZO_OPTIMIZER_SANITIZERRANGES_H

#include "core/optimizer/SanitizerArrays.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tz::optimizer {

/// i1: the access, which the builder stands before, stays in the array of
/// `ends`. It may be false of an access that does. Null if nothing is known
/// without a look at the elements.
mlir::Value staysInside(CheckBuilder &c, mlir::Operation *access, Ends ends);

/// The same of all iterations of `loop`, which the builder stands before. The
/// access is in the loop, and in none that this one holds. At once: what values
/// of one iteration have to do with each other is not seen. In each: the first,
/// the last and the one before it are looked at, which takes thrice as long.
mlir::Value staysInsideAtOnce(CheckBuilder &c, mlir::Operation *access,
                              Ends ends, mlir::scf::ForOp loop);
mlir::Value staysInsideInEach(CheckBuilder &c, mlir::Operation *access,
                              Ends ends, mlir::scf::ForOp loop);

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_SANITIZERRANGES_H
