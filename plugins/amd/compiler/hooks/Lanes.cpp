//===- Lanes.cpp - exchanges between the lanes of a wave ------------------===//
//
// What   See exchangeLanes() in AmdgcnHooks.h. Data-parallel primitives (DPP)
//        within rows of 16 lanes, other instructions between rows.
// Why    DPP is part of an arithmetic instruction. An exchange through LDS's
//        crossbar (ds_bpermute) is an instruction of its own, and waited for.
//
//   differs in     gfx9                          gfx11, gfx12
//   bits 0 and 1   quad_perm                     quad_perm
//   bits 0 to 3    half mirror (7), mirror (15)  row_xmask
//   bit 4          ds_swizzle                    permlanex16
//   bit 5          ds_bpermute
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/hooks/AmdgcnHooks.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;

namespace tz::amd {

namespace {

// Controls of DPP, from the instruction set manuals.
constexpr unsigned RowMirror = 0x140, RowHalfMirror = 0x141, RowXmask = 0x160;

Value *byDpp(IRBuilderBase &b, Value *word, unsigned control) {
  constexpr unsigned allRows = 0xf, allBanks = 0xf;
  return b.CreateIntrinsic(Intrinsic::amdgcn_update_dpp, {word->getType()},
                           {PoisonValue::get(word->getType()), word,
                            b.getInt32(control), b.getInt32(allRows),
                            b.getInt32(allBanks), b.getTrue()});
}

/// Of lane i of four: lane i ^ mask, two bits each.
unsigned quadControl(unsigned mask) {
  unsigned control = 0;
  for (unsigned lane = 0; lane < 4; ++lane) {
    control |= (lane ^ mask) << (2 * lane);
  }
  return control;
}

/// gfx9 reverses rows of 16 and of 8 lanes; what is left is within four.
Value *withinMirroredRow(IRBuilderBase &b, Value *word, unsigned mask) {
  if (mask & 8) {
    word = byDpp(b, word, RowMirror);
    mask ^= 15;
  }
  if (mask & 4) {
    word = byDpp(b, word, RowHalfMirror);
    mask ^= 7;
  }
  return mask ? byDpp(b, word, quadControl(mask)) : word;
}

Value *withinRow(IRBuilderBase &b, const Machine &machine, Value *word,
                 unsigned mask) {
  if (mask < 4) {
    return byDpp(b, word, quadControl(mask));
  }
  return machine.isGfx9 ? withinMirroredRow(b, word, mask)
                        : byDpp(b, word, RowXmask + mask);
}

/// The same lane of the other row of two.
Value *otherRow(IRBuilderBase &b, const Machine &machine, Value *word) {
  if (machine.isGfx9) { // and: all bits of the lane; or: none; xor: bit 4
    constexpr unsigned xorOfRow = 0x10 << 10 | 0x1f;
    return b.CreateIntrinsic(Intrinsic::amdgcn_ds_swizzle,
                             {word, b.getInt32(xorOfRow)});
  }
  // Four bits for each lane of a row: the lane that it reads.
  constexpr unsigned lowLanes = 0x76543210, highLanes = 0xfedcba98;
  return b.CreateIntrinsic(Intrinsic::amdgcn_permlanex16, {word->getType()},
                           {PoisonValue::get(word->getType()), word,
                            b.getInt32(lowLanes), b.getInt32(highLanes),
                            b.getFalse(), b.getFalse()});
}

} // namespace

Value *exchangeLanes(IRBuilderBase &b, const Machine &machine, Value *word,
                     unsigned mask, Value *thread) {
  if (mask >= 32) {
    Value *lane = b.CreateXor(thread, b.getInt32(mask));
    lane = b.CreateAnd(lane, machine.lanes - 1);
    return b.CreateIntrinsic(Intrinsic::amdgcn_ds_bpermute,
                             {b.CreateShl(lane, 2), word});
  }
  if (mask & 16) {
    word = otherRow(b, machine, word);
    mask &= 15;
  }
  return mask ? withinRow(b, machine, word, mask) : word;
}

} // namespace tz::amd
