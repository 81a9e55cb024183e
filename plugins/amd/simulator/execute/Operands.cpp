//===- Operands.cpp - constants, lane shuffles and parts ------------------===//
//
// What   See Operands.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Operands.h"

#include "plugins/amd/simulator/decode/Text.h"

#include "terrazzo/plugin/Error.h"

namespace tz::amd::sim {

void unsupportedForm(const Instruction &in, std::string_view what) {
  throw plugin::Failure(
      TZ_E_UNSUPPORTED_OP,
      text("the simulator does not know '{}' of the instruction '{}' "
           "(encoding {:08x} {:08x})",
           what, in.text, in.encoding[0], in.encoding[1]));
}

uint64_t constantBits(const Operand &operand, unsigned bytes, bool isReal) {
  if (operand.isReal) {
    switch (bytes) {
    case 8:
      return std::bit_cast<uint64_t>(operand.real);
    case 2:
      return std::bit_cast<uint16_t>(half(operand.real));
    default:
      return std::bit_cast<uint32_t>(float(operand.real));
    }
  }
  const uint64_t value = uint64_t(operand.integer);
  // The literal of a double is its upper half.
  if (bytes == 8 && isReal && operand.isLiteral && value <= 0xFFFFFFFFu) {
    return value << 32;
  }
  return value;
}

static int laneOf(const LaneShuffle &shuffle, int lane, int lanes) {
  using Kind = LaneShuffle::Kind;
  const int row = lane & ~15, inRow = lane & 15, n = shuffle.amount;
  switch (shuffle.kind) {
  case Kind::QuadPerm:
    return (lane & ~3) + shuffle.select[lane & 3];
  case Kind::Eight:
    return (lane & ~7) + shuffle.select[lane & 7];
  case Kind::RowShl:
    return inRow + n > 15 ? -1 : lane + n;
  case Kind::RowShr:
    return inRow < n ? -1 : lane - n;
  case Kind::RowRor:
    return row + ((inRow - n) & 15);
  case Kind::WaveShl:
    return lane + 1 < lanes ? lane + 1 : -1;
  case Kind::WaveRol:
    return (lane + 1) % lanes;
  case Kind::WaveShr:
    return lane - 1;
  case Kind::WaveRor:
    return (lane + lanes - 1) % lanes;
  case Kind::RowMirror:
    return row + 15 - inRow;
  case Kind::RowHalfMirror:
    return (lane & ~7) + 7 - (lane & 7);
  case Kind::RowBroadcast15:
    return lane < 16 ? -1 : row - 1;
  case Kind::RowBroadcast31:
    return lane < 32 ? -1 : 31;
  case Kind::RowShare:
    return row + n;
  case Kind::RowXmask:
    return row + (inRow ^ n);
  case Kind::None:
    break;
  }
  return lane;
}

int shuffledLane(const Wave &wave, const LaneShuffle &shuffle, unsigned lane) {
  const unsigned row = lane / 16 & 3, bank = lane / 4 & 3;
  if (!(shuffle.rowMask >> row & 1) || !(shuffle.bankMask >> bank & 1)) {
    return -2;
  }
  const int from = laneOf(shuffle, int(lane), int(wave.lanes));
  if (from >= 0 && (shuffle.readInactive || (wave.exec() >> from & 1))) {
    return from;
  }
  return shuffle.zeroOutside || shuffle.kind == LaneShuffle::Eight ? -1 : -2;
}

void saveShuffled(Wave &wave, const Instruction &in) {
  const Operand &first = in.operands.at(in.row->destinations);
  if (first.file != File::Vector) {
    return;
  }
  const auto begin = wave.vectors.begin() + ptrdiff_t(first.index * wave.lanes);
  wave.shuffled.values.assign(begin, begin + first.dwords * wave.lanes);
  wave.shuffled.lanes = wave.lanes;
  wave.shuffled.defined = wave.defined[first.index];
}

//===--- Parts of a register ----------------------------------------------===//

static unsigned firstBit(Part part) {
  constexpr unsigned bits[] = {0, 0, 8, 16, 24, 0, 16};
  return bits[size_t(part)];
}
static unsigned bitCount(Part part) {
  return part == Part::Dword ? 32 : part >= Part::Word0 ? 16 : 8;
}

uint32_t takePart(uint32_t value, Part part, bool signExtend) {
  const unsigned bits = bitCount(part);
  if (bits == 32) {
    return value;
  }
  const uint32_t taken = value >> firstBit(part) << (32 - bits);
  return signExtend ? uint32_t(int32_t(taken) >> (32 - bits))
                    : taken >> (32 - bits);
}

uint32_t putPart(uint32_t old, uint32_t value, const PartSelect &parts) {
  const unsigned bits = bitCount(parts.destination);
  if (bits == 32) {
    return value;
  }
  const unsigned first = firstBit(parts.destination);
  const uint32_t ones = ((1u << bits) - 1) << first;
  const uint32_t placed = value << first & ones;
  switch (parts.unused) {
  case PartSelect::Preserve:
    return (old & ~ones) | placed;
  case PartSelect::SignExtend:
    return uint32_t(int32_t(placed << (32 - bits - first)) >>
                    (32 - bits - first));
  case PartSelect::Pad:
    break;
  }
  return placed;
}

} // namespace tz::amd::sim
