//===- LaunchSlots.h - the arguments of a launch, one after another -------===//
//
// What   Tuples and descriptors spread into slots; the slots of a parameter as
//        what the compiler is told of it; which slot is which leaf.
// Why    A launch hashes, compares and packs a flat list, whatever the
//        parameters are made of. This is the one place that knows both.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_LAUNCHSLOTS_H
#define TERRAZZO_RUNTIME_SESSION_LAUNCHSLOTS_H

#include "runtime/session/ArgumentBits.h"
#include "runtime/session/CompilerService.h"

#include <span>

namespace tz::runtime {

/// Slots of one launch.
inline constexpr size_t MaxLaunchArgs = 256;

/// A plain argument is one slot. A tuple is a mark (element: items * 2 + 1 if
/// they have names), then each item, after its name as a string if they have
/// names. A descriptor is a mark (element: rank, bits: padding and the
/// logarithms of the block), then the base, the sizes and the strides.
struct Slots {
  std::span<const tz_arg> values;
  /// Which argument a slot belongs to; null: slot i is argument i.
  const uint16_t *owners = nullptr;

  size_t size() const { return values.size(); }
  const tz_arg &operator[](size_t i) const { return values[i]; }
  size_t owner(size_t i) const { return owners ? owners[i] : i; }
};

/// What is wrong with a descriptor, or nothing.
std::string findMistake(const tz_descriptor &descriptor);

/// Room for the slots of a launch; they point into it or into the arguments.
class SlotBuffer {
public:
  /// `names`: of the arguments, for messages.
  Status spread(std::span<const tz_arg> args,
                std::span<const std::string> names, std::string_view kernel,
                Slots &to);

private:
  /// What is wrong, and in which part of an argument: ".0.scale".
  struct Mistake {
    std::string part, text;
    int32_t code = TZ_E_INVALID_ARGUMENT;
  };
  using MaybeMistake = std::optional<Mistake>;

  MaybeMistake add(const tz_arg &arg);
  MaybeMistake addArgument(const tz_arg &arg);
  MaybeMistake addDescriptor(const tz_descriptor *given);
  MaybeMistake addTuple(const tz_tuple *given);

  size_t count = 0;
  uint16_t owner = 0;
  std::array<tz_arg, MaxLaunchArgs> values;
  std::array<uint16_t, MaxLaunchArgs> owners;
};

/// A number that belongs to the specialisation.
inline bool isConstexpr(const tz_arg &arg) {
  return arg.type >= TZ_TYPE_NONE ||
         (arg.element == TZ_CONSTEXPR && arg.type != TZ_TYPE_PTR);
}

/// What the compiler is told of a parameter, from the slots at `at`, which
/// moves behind them.
Result<ArgumentSpec> describe(const KernelParameter &parameter,
                              std::string_view kernel, const Slots &slots,
                              size_t &at);

/// Adds the slot of each leaf of such a value; `next` moves behind them.
void addLeafSlots(const ArgumentSpec &spec, uint32_t &next,
                  std::vector<uint32_t> &slotOfLeaf);

} // namespace tz::runtime

#endif
