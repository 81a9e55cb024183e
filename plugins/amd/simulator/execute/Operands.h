//===- Operands.h - typed operands of instructions ------------------------===//
//
// What   Reads sources and writes results as the instruction's type, with the
//        modifiers of its encoding: signs, halves, parts, lane shuffles, scale
//        and clamp.
// Why    A semantic function is then the arithmetic alone.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_OPERANDS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_OPERANDS_H

#include "plugins/amd/simulator/execute/Wave.h"

#include <cmath>

namespace tz::amd::sim {

using half = _Float16;

template <typename T>
inline constexpr bool IsReal =
    std::is_floating_point_v<T> || std::is_same_v<T, half>;

template <unsigned Bytes>
using BitsOf =
    std::conditional_t<Bytes == 8, uint64_t,
                       std::conditional_t<Bytes == 4, uint32_t, uint16_t>>;

/// The bits of a constant in an operand of so many bytes.
uint64_t constantBits(const Operand &operand, unsigned bytes, bool isReal);

/// The lane that DPP reads for `lane`; -1: it reads 0; -2: the lane keeps its
/// result.
int shuffledLane(const Wave &wave, const LaneShuffle &shuffle, unsigned lane);

/// Keeps the first source as it is before a lane is written: source and result
/// may be one register.
void saveShuffled(Wave &wave, const Instruction &in);

/// 32 bits with a part of SDWA taken out of them.
uint32_t takePart(uint32_t value, Part part, bool signExtend);
uint32_t putPart(uint32_t old, uint32_t value, const PartSelect &parts);

/// Runs `body(lane)` for each lane whose result is written.
template <typename Body>
void eachResult(Wave &wave, const Instruction &in, Body &&body) {
  if (in.shuffle.kind != LaneShuffle::None) {
    saveShuffled(wave, in);
  }
  eachLane(wave, [&](unsigned lane) {
    wave.sourceLane = int(lane);
    if (in.shuffle.kind != LaneShuffle::None) {
      wave.sourceLane = shuffledLane(wave, in.shuffle, lane);
      if (wave.sourceLane == -2) {
        return;
      }
    }
    body(lane);
  });
}

template <typename T>
uint64_t rawSource(Wave &wave, const Instruction &in, unsigned at,
                   unsigned lane) {
  const Operand &operand = in.operands[at];
  if (operand.file == File::Immediate) {
    return constantBits(operand, sizeof(T), IsReal<T>);
  }
  const unsigned source = at - in.row->destinations;
  const bool isShuffled = in.shuffle.kind != LaneShuffle::None && source == 0 &&
                          operand.file == File::Vector;
  if (isShuffled && wave.sourceLane < 0) {
    return 0;
  }
  auto dword = [&](unsigned at) {
    return isShuffled ? wave.shuffled.at(unsigned(wave.sourceLane), at)
                      : wave.dword(operand, at, lane);
  };
  uint32_t low = dword(0);
  if (isShuffled) {
    wave.tainted |= !wave.shuffled.isDefined(unsigned(wave.sourceLane));
  }
  if (in.parts.used && source < 2) {
    low = takePart(low, in.parts.source[source], operand.signExtend);
  }
  if constexpr (sizeof(T) == 8) {
    return low | uint64_t{dword(1)} << 32;
  } else if constexpr (sizeof(T) == 2) {
    const bool high =
        operand.half >= 0 ? operand.half == 1 : (in.opSel >> source & 1) != 0;
    return high ? low >> 16 : low & 0xFFFF;
  } else {
    return low;
  }
}

/// The source `at` (an index of operands) as a T.
template <typename T>
T source(Wave &wave, const Instruction &in, unsigned at, unsigned lane) {
  using Bits = BitsOf<sizeof(T)>;
  Bits bits = Bits(rawSource<T>(wave, in, at, lane));
  const Operand &operand = in.operands[at];
  if constexpr (IsReal<T>) {
    constexpr Bits sign = Bits(Bits{1} << (sizeof(T) * 8 - 1));
    bits = operand.absolute ? Bits(bits & ~sign) : bits;
    bits = operand.negate ? Bits(bits ^ sign) : bits;
  } else if (operand.negate || operand.absolute) {
    unsupportedForm(in, "a sign on an integer");
  }
  return std::bit_cast<T>(bits);
}

template <typename T>
T scaled(const Instruction &in, T value) {
  if constexpr (IsReal<T>) {
    if (in.scale != 0) {
      value = T(value * T(in.scale == 1 ? 2.0 : in.scale == 2 ? 4.0 : 0.5));
    }
    if (in.clamp) {
      // Not a number becomes 0.
      value = value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
    }
  } else if (in.clamp) {
    unsupportedForm(in, "a clamp of integers");
  }
  return value;
}

/// Writes the result of a lane as it is.
template <typename T>
void unclampedResult(Wave &wave, const Instruction &in, unsigned at,
                     unsigned lane, T value) {
  const Operand &operand = in.operands[at];
  const auto bits = std::bit_cast<BitsOf<sizeof(T)>>(value);
  if constexpr (sizeof(T) == 8) {
    wave.setVector(operand.index, lane, uint32_t(bits));
    wave.setVector(operand.index + 1, lane, uint32_t(bits >> 32));
    return;
  }
  const uint32_t old = wave.vectors[size_t{operand.index} * wave.lanes + lane];
  uint32_t word = uint32_t(bits);
  if (in.parts.used) {
    word = putPart(old, word, in.parts);
  } else if constexpr (sizeof(T) == 2) {
    const size_t sources = in.operands.size() - in.row->destinations;
    const bool high =
        operand.half >= 0 ? operand.half == 1 : (in.opSel >> sources & 1) != 0;
    const bool clears =
        wave.environment.machine.clearsHighHalf && in.opSel == 0;
    word = high     ? (old & 0xFFFF) | word << 16
           : clears ? word
                    : (old & 0xFFFF0000u) | word;
  }
  wave.setVector(operand.index, lane, word);
}

/// Writes the result of a lane, scaled and clamped as the instruction says.
template <typename T>
void result(Wave &wave, const Instruction &in, unsigned at, unsigned lane,
            T value) {
  unclampedResult(wave, in, at, lane, scaled(in, value));
}

//===--- Semantic functions from arithmetic -------------------------------===//

template <typename Function>
struct Signature;
template <typename Result, typename... Sources>
struct Signature<Result (*)(Sources...)> {
  using ResultType = Result;
  template <auto Function, size_t... At>
  static Result call(Wave &wave, const Instruction &in, unsigned lane,
                     std::index_sequence<At...>) {
    return Function(source<Sources>(wave, in, unsigned(At + 1), lane)...);
  }
  static constexpr size_t Count = sizeof...(Sources);
};
/// A lambda without captures as a pointer to a function.
template <auto Lambda>
inline constexpr auto Pointer = +Lambda;

/// One result of the sources, for each lane.
template <auto Lambda>
void each(Wave &wave, const Instruction &in) {
  using Types = Signature<std::remove_const_t<decltype(Pointer<Lambda>)>>;
  eachResult(wave, in, [&](unsigned lane) {
    result(wave, in, 0, lane,
           Types::template call<Pointer<Lambda>>(
               wave, in, lane, std::make_index_sequence<Types::Count>{}));
  });
}

/// Writes 64 bits whose low half comes from the low halves of the sources
/// alone: a compiler may leave the upper half of a source undefined then.
inline void resultFromLow(Wave &wave, const Instruction &in, unsigned lane,
                          uint64_t value) {
  const bool isTainted = wave.tainted;
  wave.tainted = false;
  for (size_t i = in.row->destinations; i < in.operands.size(); ++i) {
    const File file = in.operands[i].file;
    if (file == File::Vector || file == File::Scalar) {
      (void)wave.dword(in.operands[i], 0, lane);
    }
  }
  wave.setVector(in.operands[0].index, lane, uint32_t(value));
  wave.tainted = isTainted;
  wave.setVector(in.operands[0].index + 1u, lane, uint32_t(value >> 32));
}
/// each() for them.
template <auto Lambda>
void eachFromLow(Wave &wave, const Instruction &in) {
  if (in.shuffle.kind != LaneShuffle::None) {
    return each<Lambda>(wave, in);
  }
  using Types = Signature<std::remove_const_t<decltype(Pointer<Lambda>)>>;
  eachResult(wave, in, [&](unsigned lane) {
    resultFromLow(
        wave, in, lane,
        Types::template call<Pointer<Lambda>>(
            wave, in, lane, std::make_index_sequence<Types::Count>{}));
  });
}

} // namespace tz::amd::sim

#endif
