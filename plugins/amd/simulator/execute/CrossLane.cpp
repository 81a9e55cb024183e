//===- CrossLane.cpp - values that cross lanes ----------------------------===//
//
// What   Between one lane and a scalar register, and between registers of two
//        kinds.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

namespace tz::amd::sim {

namespace {

void readFirst(Wave &wave, const Instruction &in) {
  // Without active lanes it is lane 0.
  const unsigned lane =
      wave.exec() == 0 ? 0 : unsigned(std::countr_zero(wave.exec()));
  wave.setScalar(in.operands.at(0).index,
                 wave.dword(in.operands.at(1), 0, lane));
}
void readOne(Wave &wave, const Instruction &in) {
  const unsigned lane = wave.dword(in.operands.at(2), 0, 0) % wave.lanes;
  wave.setScalar(in.operands.at(0).index,
                 wave.dword(in.operands.at(1), 0, lane));
}
void writeOne(Wave &wave, const Instruction &in) {
  const unsigned lane = wave.dword(in.operands.at(2), 0, 0) % wave.lanes;
  wave.tainted = false;
  wave.setVector(in.operands.at(0).index, lane,
                 wave.dword(in.operands.at(1), 0, 0));
}

/// Between plain and accumulation registers.
void move(Wave &wave, const Instruction &in) {
  eachLane(wave, [&](unsigned lane) {
    const Operand &from = in.operands.at(1);
    const uint32_t value = from.file == File::Immediate
                               ? uint32_t(constantBits(from, 4, false))
                               : wave.dword(from, 0, lane);
    wave.setVector(in.operands.at(0).index, lane, value);
  });
}

void swap(Wave &wave, const Instruction &in) {
  eachLane(wave, [&](unsigned lane) {
    const unsigned a = in.operands.at(0).index, b = in.operands.at(1).index;
    const uint32_t first = wave.vector(a, lane), second = wave.vector(b, lane);
    wave.setVector(a, lane, second);
    wave.setVector(b, lane, first);
  });
}

/// Each lane of a row reads the lane of its own row, or of its neighbour, that
/// a nibble of the two selectors names.
template <bool Across>
void permuteRow(Wave &wave, const Instruction &in) {
  std::vector<uint32_t> old(wave.lanes);
  std::vector<bool> isTainted(wave.lanes);
  const bool readsInactive = (in.opSel & 1) != 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    wave.tainted = false;
    old[lane] = wave.dword(in.operands.at(1), 0, lane);
    isTainted[lane] = wave.tainted;
  }
  const uint64_t select = wave.dword(in.operands.at(2), 0, 0) |
                          uint64_t{wave.dword(in.operands.at(3), 0, 0)} << 32;
  eachLane(wave, [&](unsigned lane) {
    const unsigned row = (lane & ~15u) ^ (Across ? 16 : 0);
    const unsigned from = row + unsigned(select >> (4 * (lane & 15)) & 15);
    const bool isThere = readsInactive || (wave.exec() >> from & 1);
    if (isThere || (in.opSel & 2)) {
      wave.tainted = isThere && isTainted[from];
      wave.setVector(in.operands.at(0).index, lane, isThere ? old[from] : 0);
    }
  });
}

} // namespace

std::vector<Row> laneRows() {
  return {
      {"v_readfirstlane_b32", readFirst},
      {"v_readlane_b32", readOne},
      {"v_writelane_b32", writeOne},
      {"v_accvgpr_read_b32", move},
      {"v_accvgpr_write_b32", move},
      {"v_accvgpr_mov_b32", move},
      {"v_swap_b32", swap, Class::Vector, 2},
      {"v_permlane16_b32", permuteRow<false>},
      {"v_permlanex16_b32", permuteRow<true>},
  };
}

} // namespace tz::amd::sim
