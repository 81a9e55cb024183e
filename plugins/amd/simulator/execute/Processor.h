//===- Processor.h - what processors differ in ----------------------------===//
//
// What   The facts of a processor that the executor asks for.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_PROCESSOR_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_PROCESSOR_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tz::amd::sim {

struct Machine {
  std::string_view processor;
  unsigned lanes;       ///< that its compilers use
  uint32_t sharedBytes; ///< LDS that a work-group may have
  unsigned units;       ///< compute units of a product with it
  /// Stores are counted apart from loads (vscnt).
  bool hasStoreCounter;
  /// An instruction of 16 bits clears the upper half of its result.
  bool clearsHighHalf;
  /// Accesses of a work-group to memory are done in the order of issue, so a
  /// barrier orders them without a wait: it runs on one unit with one cache
  /// (LLVM's "User Guide for AMDGPU Backend", memory model of gfx942 without
  /// split groups). On gfx11 it runs on two.
  bool ordersMemory;
  bool hasAccumulators; ///< 256 accumulation registers beside the others
  bool hasOcpFloats;    ///< floats of 8 bits are those of OCP, not FNUZ
  /// The largest value of lgkmcnt, and of the counters of memory.
  unsigned sharedInFlight;
  unsigned memoryInFlight;
};

/// Null for a processor that is not executed.
const Machine *findMachine(std::string_view processor);
/// All of them.
std::span<const Machine> machines();
/// For messages: "gfx942, ...".
std::string machineNames();

} // namespace tz::amd::sim

#endif
