//===- Findings.h - what a simulated launch found -------------------------===//
//
// What   Findings, each at an instruction, and counts of instructions.
// Why    Some mistakes give right values here and wrong ones on a device: a
//        register that is read before its wait. They are told, not executed.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_FINDINGS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_FINDINGS_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tz::amd::sim {

enum class Found : uint8_t {
  MissingWait,   ///< a register is used while a load to it may be in flight
  LateStore,     ///< a barrier is reached before a store to LDS was waited for
  OutOfBounds,   ///< no allocation, or beyond its end
  Misaligned,    ///< an address that the instruction does not take
  Uninitialised, ///< a value that nobody wrote decides or is stored
  Race,          ///< two waves access a byte, and nothing orders them
  Barrier,       ///< a wave ended while others wait
  Matrix,        ///< operands of a matrix product that no layout allows
  Unsupported,   ///< an instruction that the simulator does not know
  Endless,       ///< the limit of instructions was reached
};
const char *name(Found found);

struct Finding {
  Found kind;
  std::string kernel;
  uint64_t offset = 0;     ///< of the instruction, from the kernel's entry
  std::string instruction; ///< its text
  std::string place;       ///< its source line; empty: not known
  std::string message;
  uint64_t times = 1; ///< how often, over lanes, waves and work-groups

  /// One line for people.
  std::string text() const;
};

enum class Class : uint8_t {
  Scalar,
  Vector,
  Matrix,
  Shared,
  Memory,
  ScalarMemory,
  Wait,
  Barrier,
  Branch,
  Other,
  Count
};
const char *name(Class kind);

class Report {
public:
  /// A finding of the same kind at the same instruction is counted once more.
  /// The first message is kept.
  void add(Finding finding);
  /// Counts one more of a finding that is there; false if there is none.
  bool repeat(Found kind, uint64_t offset);

  std::vector<Finding> findings;
  /// Wave instructions by class.
  std::array<uint64_t, size_t(Class::Count)> counts{};
  /// Stores and atomics of lanes that a planted instruction has activated, but
  /// for stores of what was there already.
  uint64_t plantedStores = 0;
  /// How often LDS served lanes, and how many of these times were only for
  /// lanes that wanted a bank which another one had (Banks.h).
  uint64_t bankAccesses = 0, bankConflicts = 0;

private:
  std::map<std::pair<Found, uint64_t>, size_t> known;
};

} // namespace tz::amd::sim

#endif
