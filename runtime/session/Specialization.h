//===- Specialization.h - the two levels of a kernel's table --------------===//
//
// What   A *shape* is device + argument types + constants; the compiler names
//        for it the divisor of each argument. Under a shape, a *specialisation*
//        is one set of answers to "== 1?" and "divisible?".
// Why    Two levels, because which values matter is known only once the types
//        are (decision R8).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_SESSION_SPECIALIZATION_H
#define TERRAZZO_RUNTIME_SESSION_SPECIALIZATION_H

#include "runtime/session/Kernel.h"

namespace tz::runtime {

struct Kernel::Specialization {
  const Shape *shape = nullptr; // null: of an artifact from a file
  Bits bits{};
  std::shared_ptr<const Artifact> artifact;
  std::unique_ptr<LoadedKernel> loaded;
  /// User argument i is launch argument fromLaunch[i].
  std::vector<uint32_t> fromLaunch;
};

struct Kernel::Shape {
  uint64_t hash = 0;
  std::shared_ptr<Device> device;
  std::vector<tz_arg> key; // bits are zero for run-time values
  std::vector<std::string> texts;
  std::vector<ArgumentSpec> arguments;             // one per parameter
  std::vector<SpecializationRule::Parameter> rule; // one per launch argument
  static constexpr size_t Slots = 64;
  std::array<std::atomic<Specialization *>, Slots> known{};
};

} // namespace tz::runtime

#endif
