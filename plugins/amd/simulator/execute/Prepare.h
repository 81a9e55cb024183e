//===- Prepare.h - what a wave finds when it begins -----------------------===//
//
// What   Checks a launch, lays out its arguments and fills the registers of
//        waves as the packet processor does.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_PREPARE_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_PREPARE_H

#include "plugins/amd/simulator/execute/SimulatedLaunch.h"
#include "plugins/amd/simulator/execute/Wave.h"

namespace tz::amd::sim {

class Prepared {
public:
  /// Throws plugin::Failure for a launch that a device refuses.
  Prepared(Memory &memory, Module &module, const KernelCode &kernel,
           const LaunchShape &shape, std::span<const uint8_t> arguments);
  ~Prepared();
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;

  /// Makes the LDS and the waves of a group whose id is set.
  void fill(Environment &environment, Group &group) const;

private:
  void layOut(std::span<const uint8_t> given);
  void fillScalars(Wave &wave, const Group &group) const;
  void fillVectors(Wave &wave) const;

  Memory &memory;
  const KernelCode &kernel;
  const LaunchShape &shape;
  uint64_t entry;
  std::vector<uint64_t> arguments; ///< of 8 bytes, for their alignment
  std::vector<uint64_t> packet;    ///< the dispatch packet
  uint32_t items;                  ///< of a work-group
};

} // namespace tz::amd::sim

#endif
