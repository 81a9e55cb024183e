//===- PtxMatrix.cpp - which matrix instruction does a dot ----------------===//
//
// What   See PtxMatrix.h.
// Why    See PtxMatrix.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/hooks/PtxMatrix.h"

#include "backends/nvidia/compiler/hooks/Mma.h"
#include "backends/nvidia/compiler/hooks/Wgmma.h"

namespace tz::nvidia {

simt::DotChoice PtxTarget::chooseDot(const simt::DotRequest &request) const {
  if (architecture.number == 90) {
    if (std::optional<simt::DotChoice> choice = chooseWgmma(request)) {
      return *choice;
    }
  }
  if (std::optional<simt::DotChoice> choice =
          chooseMma(request, architecture)) {
    return *choice;
  }
  return SimtTarget::chooseDot(request);
}

bool PtxTarget::canStayInFlight(simt::DotOp dot) const {
  return dot.getInstruction() == WgmmaName && dot.getMaxImprecise() == 0 &&
         !tile::elementType(dot.getType()).isF16();
}

unsigned PtxTarget::warpsOfDot(simt::DotOp dot) const {
  constexpr unsigned warpsOfGroup = 4;
  return dot.getInstruction() == WgmmaName ? warpsOfGroup : 1;
}

unsigned PtxTarget::blocksBeside(const simt::BlockNeeds &block) const {
  constexpr unsigned addresses = 40, most = 255;
  const unsigned threads = block.warps * lanes();
  return architecture.blocksBeside(
      threads, std::min<unsigned>(block.words + addresses, most),
      block.sharedBytes);
}

/// Where the language asks, and where a copy waits for another block's warps:
/// those that compute would wait with it. Other products on an H100 are as
/// quick with as without, those of short loops (K = 512) 4 % slower:
/// docs/guide/performance.md. Two warp groups can have the registers of a third
/// one; beside one or four of them a warp is enough, since setmaxnreg would
/// leave them fewer.
unsigned PtxTarget::copyWarps(const simt::CopyRequest &request) const {
  if (architecture.number != 90 || !inBulk ||
      !(request.isAsked || request.areShared)) {
    return 0;
  }
  return request.warps == 8 ? 4 : 1;
}

/// CUDA Driver API, cuTensorMapEncodeTiled: at most five dimensions, boxes of
/// at most 256 in each; rows of 16 bytes, and as long as the swizzle spans. A
/// box begins where the swizzle does, so panels have whole eights of rows.
bool PtxTarget::canCopyInBulk(simt::DescriptorType descriptor,
                              simt::BufferType to) const {
  llvm::ArrayRef<int64_t> box = descriptor.getBox();
  mlir::Type element = descriptor.getElementType();
  const int64_t row = box.back() * tile::storageBytes(element);
  const unsigned bits = descriptor.getSwizzle();
  const simt::SharedAttr how = to.getLayout();
  const int64_t width = to.getShape()[how.getOrder().front()];
  int64_t rows = 1;
  for (unsigned dim : how.getOrder().drop_front()) {
    rows *= to.getShape()[dim];
  }
  if (bits != 0 && width > how.getPanel() && rows % 8 != 0) {
    return false;
  }
  return inBulk && box.size() <= 5 && row % 16 == 0 &&
         (bits == 0 || (row == 16 << bits && to.getLayout().getBase() == 4 &&
                        to.getLayout().getShift() == 3)) &&
         llvm::all_of(box, [](int64_t extent) { return extent <= 256; });
}

} // namespace tz::nvidia
