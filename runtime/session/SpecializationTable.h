//===- SpecializationTable.h - the two levels of a kernel's table ---------===//
//
// What   A *shape* is device + argument types + constants; the compiler names
//        for it the divisor of each argument. Under a shape, a *specialisation*
//        is one set of answers to "== 1?", of pointers "the address of another
//        argument, too?", and "divisible?".
// Why    Two levels, because which values matter is known only once the types
//        are (decision R8).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_SPECIALIZATIONTABLE_H
#define TERRAZZO_RUNTIME_SESSION_SPECIALIZATIONTABLE_H

#include "runtime/session/KernelFunction.h"

namespace tz::runtime {

/// Of a leaf that is bound or left to its default.
inline constexpr uint32_t NoSlot = UINT32_MAX;

struct KernelFunction::Specialization : Code {
  const Shape *shape = nullptr; // null: of an artifact from a file
  Bits bits{};
  /// User argument i is slot fromLaunch[i] of a launch.
  std::vector<uint32_t> fromLaunch;

  /// What a slot must be: type and element are `kind`, (bits & mask) == value
  /// is `equals`, (bits & low) == 0 is `divides`.
  struct Row {
    uint64_t kind, mask, value;
    uint32_t low;
    bool equals, divides;
  };
  std::vector<Row> rows; // empty: not to be told this way
  std::vector<std::pair<uint32_t, std::string>> texts; // slots of strings
  /// Fills rows and texts; `slots`: of a launch with this code.
  void prepareRepeats(const KernelFunction &kernel, const Slots &slots);
  /// Would a launch with these arguments run this code? False says nothing.
  bool serves(const Device &device, std::span<const tz_arg> args) const;
};

struct KernelFunction::Shape {
  uint64_t hash = 0;
  std::shared_ptr<Device> device;
  std::vector<tz_arg> key; // bits are zero for run-time values
  std::vector<std::string> texts;
  std::vector<ArgumentSpec> arguments;        // one per parameter
  std::vector<uint32_t> slotOfLeaf;           // NoSlot: of no launch
  std::vector<SpecializationRule::Leaf> rule; // one per slot
  std::vector<uint32_t> pointers;             // slots of addresses
  std::vector<PointerUse> uses; // one per argument; parts of one are not known
  static constexpr size_t Slots = 64;
  std::array<std::atomic<Specialization *>, Slots> known{};
  /// Of the first of them; without the lock.
  Specialization *find(const Bits &bits, uint64_t hash) const;
};

} // namespace tz::runtime

#endif
