//===- Lines.h - what a thread holds along a dimension ----------*- C++ -*-===//
//
// What   The registers of each line of a tile along one dimension, and the bits
//        of lanes and warps that move along it.
// Why    Reductions and scans combine lines: in a thread, then over lanes, then
//        over warps.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LOWER_LINES_H
#define TERRAZZO_CORE_SIMT_LOWER_LINES_H

#include "terrazzo/simt/Layout.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

#include <map>
#include <optional>

namespace tz::simt {

/// Registers of a line, by their coordinate along it.
using Line = llvm::SmallVector<std::pair<int64_t, unsigned>>;

/// By the coordinates without that of `axis`, in order along it. Registers that
/// are copies are left out.
std::map<Coordinates, Line> linesOf(const Layout &layout, unsigned axis,
                                    llvm::function_ref<bool(unsigned)> isCopy);

/// Bits of an axis whose basis moves along `dim`, and only along it; none if
/// one moves along others as well.
std::optional<llvm::SmallVector<unsigned>> bitsAlong(const Layout &layout,
                                                     Axis axis, unsigned dim);

/// These bits of a number, beside each other.
llvm::Value *gatherBits(llvm::IRBuilder<> &b, llvm::Value *number,
                        llvm::ArrayRef<unsigned> bits);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LOWER_LINES_H
