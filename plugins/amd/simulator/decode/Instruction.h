//===- Instruction.h - one decoded instruction ----------------------------===//
//
// What   The fields of an instruction that the executor reads.
// Why    LLVM's opcodes and the order of their operands are private to its
//        target. The assembly text is public and the same for all processors,
//        so an instruction is read from it, once for each address.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_INSTRUCTION_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_INSTRUCTION_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tz::amd::sim {

/// Scalar registers; s0 to s105 have their own numbers. The numbers are ours:
/// those of the hardware differ between processors.
namespace scalar {
enum : uint16_t {
  Vcc = 106,
  Ttmp = 108, ///< 16 of them
  M0 = 124,
  Null = 125,
  Exec = 126,
  FlatScratch = 128,
  XnackMask = 130,
  SharedBase = 132,
  SharedLimit = 134,
  PrivateBase = 136,
  PrivateLimit = 138,
  Scc = 140,
  Vccz = 141,
  Execz = 142,
  Count = 144
};
} // namespace scalar

enum class File : uint8_t { None, Scalar, Vector, Immediate, Word };

/// Accumulation registers follow the 256 plain vector registers.
inline constexpr uint16_t FirstAccumulator = 256;

struct Operand {
  File file = File::None;
  uint16_t index = 0; ///< of the first register
  uint8_t dwords = 1;
  int8_t half = -1; ///< 0, 1: the low or high 16 bits (v1.l, v1.h)
  bool negate = false;
  bool absolute = false;
  bool signExtend = false;
  bool isReal = false;    ///< a decimal constant such as 1.0
  bool isLiteral = false; ///< 32 bits as they are
  int64_t integer = 0;
  double real = 0;
  std::string word; ///< what is neither register nor number
};

/// Which lane's first source a lane reads.
struct LaneShuffle {
  enum Kind : uint8_t {
    None,
    QuadPerm,
    RowShl,
    RowShr,
    RowRor,
    WaveShl,
    WaveRol,
    WaveShr,
    WaveRor,
    RowMirror,
    RowHalfMirror,
    RowBroadcast15,
    RowBroadcast31,
    RowShare, ///< row_newbcast of gfx90a
    RowXmask,
    Eight
  } kind = None;
  uint8_t amount = 0;
  uint8_t select[8] = {};
  uint8_t rowMask = 0xF, bankMask = 0xF;
  bool zeroOutside = false;  ///< bound_ctrl: lanes outside give 0
  bool readInactive = false; ///< fi
};

/// A part of 32 bits: SDWA.
enum class Part : uint8_t { Dword, Byte0, Byte1, Byte2, Byte3, Word0, Word1 };

struct PartSelect {
  bool used = false;
  Part destination = Part::Dword;
  Part source[2] = {Part::Dword, Part::Dword};
  enum Unused : uint8_t { Pad, SignExtend, Preserve } unused = Pad;
};

struct Row;

struct Instruction {
  uint64_t address = 0;
  uint32_t bytes = 0;
  uint32_t encoding[4] = {};
  std::string text; ///< as an assembler takes it
  std::string name; ///< without the suffix of its encoding
  std::vector<Operand> operands;
  std::map<std::string, std::vector<int64_t>, std::less<>> modifiers;
  LaneShuffle shuffle;
  PartSelect parts;
  bool clamp = false;
  int8_t scale = 0; ///< the result is times 2 to this power
  uint8_t opSel = 0, opSelHi = 0, negLo = 0, negHi = 0;
  const Row *row = nullptr; ///< what it does; null: not known
  /// The other half of a pair that is issued as one (VOPD).
  std::unique_ptr<Instruction> second;

  /// 0 where it is absent; an argument-less modifier is 1.
  int64_t modifier(std::string_view name, int64_t absent = 0) const {
    auto found = modifiers.find(name);
    return found == modifiers.end() || found->second.empty()
               ? absent
               : found->second.front();
  }
  bool has(std::string_view name) const {
    return modifiers.find(name) != modifiers.end();
  }
};

/// Reads the text of an instruction. Throws plugin::Failure for a text that it
/// does not understand.
std::unique_ptr<Instruction> readInstruction(std::string_view text);

} // namespace tz::amd::sim

#endif
