//===- Operations.h - layouts that operations ask for -----------*- C++ -*-===//
//
// What   The layout of a pair from that of its halves; a layout whose scan goes
//        over runs, lanes and warps one after the other.
// Why    Beside blockedLayout, which an access asks for; only the choice of
//        layouts wants these.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_SIMT_LAYOUT_OPERATIONS_H
#define TERRAZZO_CORE_SIMT_LAYOUT_OPERATIONS_H

#include "terrazzo/simt/Layout.h"

namespace tz::simt {

/// Layout of a pair whose halves have this layout: the halves are in registers.
Layout joined(const Layout &half);

/// Along the axis registers lie lowest, then lanes, then warps, so that a scan
/// goes over a thread's run, over lanes and over warps one after the other.
Layout scanLayout(llvm::ArrayRef<int64_t> shape, unsigned axis, unsigned lanes,
                  unsigned warps);

} // namespace tz::simt

#endif // TERRAZZO_CORE_SIMT_LAYOUT_OPERATIONS_H
