//===- EmulatedDpas.h - a matrix instruction of shuffles ------------------===//
//
// What   A function of the module that does what the matrix unit does, with the
//        same operands in the same lanes.
// Why    Devices without the unit execute the code that is made for those with
//        it: layouts, packing and order of operands are tested, not only
//        compiled.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_EMULATEDDPAS_H
#define TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_EMULATEDDPAS_H

#include "plugins/intel/compiler/hooks/Matrix.h"

namespace tz::intel {

/// sums + rows * columns; operands as the instruction's.
llvm::Value *callEmulatedDpas(llvm::IRBuilderBase &b, const MatrixShape &shape,
                              llvm::Value *rows, llvm::Value *columns,
                              llvm::Value *sums);

/// for (i = 0; i < count; ++i) body(i). `carried`: the values before the loop,
/// in the body those of the iteration, which it sets anew, and those behind it.
void countTo(llvm::IRBuilderBase &b, unsigned count,
             llvm::ArrayRef<llvm::Value **> carried,
             llvm::function_ref<void(llvm::Value *)> body);

} // namespace tz::intel

#endif // TERRAZZO_PLUGINS_INTEL_COMPILER_HOOKS_EMULATEDDPAS_H
