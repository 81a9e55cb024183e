//===- Wave.h - registers of a wave, and a launch that it is of -----------===//
//
// What   Launch: a kernel that runs. Group: a work-group with its LDS. Wave:
// the
//        registers of its lanes. Row: what an instruction does.
// Why    Semantics are functions of a wave and an instruction, in one file for
//        each class.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_WAVE_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_WAVE_H

#include "plugins/amd/simulator/decode/ObjectFile.h"
#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Counters.h"
#include "plugins/amd/simulator/execute/DeviceRegions.h"
#include "plugins/amd/simulator/execute/Findings.h"
#include "plugins/amd/simulator/execute/Processor.h"
#include "plugins/amd/simulator/execute/Races.h"

#include <bit>
#include <type_traits>

namespace tz::amd::sim {

struct Wave;

/// What an instruction of this name does.
struct Row {
  std::string name;
  void (*run)(Wave &, const Instruction &);
  Class kind = Class::Vector;
  uint8_t destinations = 1; ///< the first operands
  uint16_t detail = 0;      ///< what the function tells its forms apart by
  /// An atomic that may return what was there before: into its first operand,
  /// if it does.
  bool mayReturn = false;
};
/// Whether an atomic of memory returns what was there before.
inline bool returnsOld(const Instruction &in) {
  return in.has("sc0") || in.has("glc");
}
/// How many of the first operands are written, and not read.
inline unsigned destinationsOf(const Instruction &in) {
  return in.row->mayReturn && returnsOld(in) ? 1 : in.row->destinations;
}
/// Null for a name that is not known.
const Row *findRow(std::string_view name);

struct Group {
  uint32_t id[3] = {};
  uint64_t number = 0;         ///< in the order of the launch
  std::vector<uint8_t> shared; ///< LDS
  std::vector<bool> sharedWritten;
  std::vector<ByteHistory> sharedHistory;
  std::vector<std::unique_ptr<Wave>> waves;
};

/// The addresses of the apertures, by which a flat access reaches LDS and
/// scratch. No address of a process begins so.
inline constexpr uint64_t SharedAperture = uint64_t{0xF0000001} << 32;
inline constexpr uint64_t PrivateAperture = uint64_t{0xF0000002} << 32;

/// The first source of a lane shuffle.
struct Shuffled {
  std::vector<uint32_t> values;
  unsigned lanes = 0;
  uint64_t defined = 0;
  uint32_t at(unsigned lane, unsigned dword) const {
    return values[size_t{dword} * lanes + lane];
  }
  bool isDefined(unsigned lane) const { return defined >> lane & 1; }
};

/// What the semantics ask of the launch.
class Environment {
public:
  Environment(const Machine &machine, Memory &memory, Report &report)
      : machine(machine), memory(memory), report(report) {}
  virtual ~Environment() = default;

  /// Adds a finding at the wave's instruction.
  virtual void found(const Wave &wave, Found kind, std::string message) = 0;
  /// The instruction at an offset of the kernel, for messages.
  virtual std::string describe(uint64_t offset) {
    return text("+0x{:x}", offset);
  }

  const Machine &machine;
  Memory &memory;
  Report &report;
  Races *races = nullptr; ///< null: accesses are not compared
};

struct Wave {
  Wave(Environment &environment, Group &group, unsigned index, unsigned lanes)
      : environment(environment), group(group), index(index), lanes(lanes),
        counters(environment.machine),
        vectors(size_t{2} * FirstAccumulator * lanes),
        defined(size_t{2} * FirstAccumulator) {}

  Environment &environment;
  Group &group;
  unsigned index; ///< in its work-group
  unsigned lanes;
  uint64_t pc = 0; ///< of the next instruction
  const Instruction *current = nullptr;
  bool hasEnded = false;
  bool isAtBarrier = false;
  Counters counters;
  /// What was done when the wave reached the last barrier.
  std::array<uint32_t, size_t(Counter::Count)> settled{};
  uint32_t issued = 0; ///< and what had begun

  std::array<uint32_t, scalar::Count> scalars{};
  std::array<bool, scalar::Count> scalarDefined{};
  std::vector<uint32_t> vectors;
  std::vector<uint64_t> defined; ///< of a vector register, a bit for each lane
  std::vector<uint8_t> scratch;  ///< of all lanes, one after the other
  uint32_t scratchBytes = 0;     ///< of a lane

  /// The lane that the first source is read from; see LaneShuffle. -1: 0.
  int sourceLane = 0;
  Shuffled shuffled;
  /// Lanes that are active by a planted instruction alone, until the mask is
  /// set again. What they load counts as written by nobody, which shows whether
  /// it is used.
  uint64_t planted = 0;
  bool isPlanted(unsigned lane) const { return planted >> lane & 1; }
  /// A value that nobody wrote was read since this was cleared.
  bool tainted = false;

  uint64_t laneMask() const { return lanes == 64 ? ~uint64_t{0} : 0xFFFFFFFFu; }
  uint64_t exec() const { return scalar64(scalar::Exec) & laneMask(); }
  uint64_t scalar64(unsigned index) const {
    return scalars[index] | uint64_t{scalars[index + 1]} << 32;
  }
  void setScalar(unsigned index, uint32_t value) {
    if (index != scalar::Null) {
      planted = index / 2 == scalar::Exec / 2 ? 0 : planted;
      scalars[index] = value;
      scalarDefined[index] = true;
    }
  }
  void setScalar64(unsigned index, uint64_t value) {
    if (index != scalar::Null) {
      setScalar(index, uint32_t(value));
      setScalar(index + 1, uint32_t(value >> 32));
    }
  }
  /// A mask of lanes: one register or two.
  void setMask(const Operand &operand, uint64_t mask) {
    setScalar(operand.index, uint32_t(mask));
    if (operand.dwords == 2) {
      setScalar(operand.index + 1, uint32_t(mask >> 32));
    }
  }
  uint64_t mask(const Operand &operand) const {
    return operand.dwords == 2 ? scalar64(operand.index)
                               : scalars[operand.index];
  }
  bool scc() const { return scalars[scalar::Scc] != 0; }
  void setScc(bool value) { setScalar(scalar::Scc, value); }

  uint32_t vector(unsigned index, unsigned lane) {
    tainted |= !(defined[index] >> lane & 1);
    return vectors[size_t{index} * lanes + lane];
  }
  void setVector(unsigned index, unsigned lane, uint32_t value) {
    vectors[size_t{index} * lanes + lane] = value;
    const uint64_t bit = uint64_t{1} << lane;
    defined[index] = tainted ? defined[index] & ~bit : defined[index] | bit;
  }

  /// 32 bits of an operand: register `dword` of it, or the constant.
  uint32_t dword(const Operand &operand, unsigned dword, unsigned lane) {
    switch (operand.file) {
    case File::Vector:
      return vector(operand.index + dword, lane);
    case File::Scalar:
      tainted |= !scalarDefined[operand.index + dword];
      return scalars[operand.index + dword];
    default:
      return dword == 0 ? uint32_t(operand.integer)
                        : uint32_t(operand.integer >> 32);
    }
  }

  void found(Found kind, std::string message) {
    environment.found(*this, kind, std::move(message));
  }
};

/// Runs `body(lane)` for each active lane.
template <typename Body>
void eachLane(Wave &wave, Body &&body) {
  for (uint64_t left = wave.exec(); left != 0; left &= left - 1) {
    wave.tainted = false;
    body(unsigned(std::countr_zero(left)));
  }
}

/// Throws plugin::Failure: the instruction is known but not this form of it.
[[noreturn]] void unsupportedForm(const Instruction &instruction,
                                  std::string_view what);

} // namespace tz::amd::sim

#endif
