//===- Operations.h - layouts that operations ask for -----------*- C++ -*-===//
//
// What   The layout of a pair from that of its halves; a layout whose scan goes
//        over runs, lanes and warps one after the other; whether a thread has
//        all of its own elements in another layout.
// Why    Beside blockedLayout, which an access asks for; only the choice of
//        layouts and conversions between them want these.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LAYOUT_OPERATIONS_H
#define TERRAZZO_CORE_SIMT_LAYOUT_OPERATIONS_H

#include "terrazzo/simt/Layout.h"

namespace tz::simt {

/// Layout of a pair whose halves have this layout: the halves are in registers.
Layout joined(const Layout &half);

/// Along the axis registers lie lowest, then lanes, then warps, so that a scan
/// goes over a thread's run, over lanes and over warps one after the other.
/// Where there are lines for all threads, and the axis is not the last one,
/// each thread has whole lines. `vector`: elements that are loaded at once.
Layout scanLayout(llvm::ArrayRef<int64_t> shape, unsigned axis, int64_t vector,
                  unsigned lanes, unsigned warps);

/// How far the registers, lanes and warps of a layout reach along the axis
/// before registers go on: a scan takes such a stretch at once. None if lanes
/// or warps are not in order there, or other registers lie between them.
std::optional<int64_t> scanStretch(const Layout &layout, unsigned axis);

/// For each register of `to` the register of `from` in which the same thread
/// holds that element; none if it does not hold them all.
std::optional<llvm::SmallVector<unsigned>> registersWithin(const Layout &from,
                                                           const Layout &to);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LAYOUT_OPERATIONS_H
