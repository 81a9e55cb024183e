//===- Processor.cpp - the processors that are executed -------------------===//
//
// What   See Processor.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Processor.h"

namespace tz::amd::sim {

static constexpr Machine Machines[] = {
    {"gfx942", 64, 64 * 1024, 304, false, true, true, true, false, 15, 63},
    {"gfx1100", 32, 64 * 1024, 96, true, false, false, false, false, 63, 63},
    {"gfx950", 64, 160 * 1024, 256, false, true, true, true, true, 15, 63},
};

std::span<const Machine> machines() { return Machines; }

std::string machineNames() {
  std::string out;
  for (const Machine &machine : Machines) {
    out += (out.empty() ? "" : ", ") + std::string(machine.processor);
  }
  return out;
}

const Machine *findMachine(std::string_view processor) {
  for (const Machine &machine : Machines) {
    if (machine.processor == processor) {
      return &machine;
    }
  }
  return nullptr;
}

} // namespace tz::amd::sim
