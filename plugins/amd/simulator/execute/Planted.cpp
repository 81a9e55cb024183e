//===- Planted.cpp - an instruction in place of another one ---------------===//
//
// What   See Planted.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Planted.h"

#include "plugins/amd/simulator/decode/Text.h"

#include "terrazzo/plugin/Error.h"

#include <charconv>
#include <cstdlib>
#include <fstream>

namespace tz::amd::sim {

static std::string variable(const char *name) {
  const char *value = ::secure_getenv(name);
  return value ? value : "";
}

Planted::Planted(Module &module, const KernelCode &kernel, const Memory &memory,
                 const Report &report)
    : module(module), kernel(kernel), memory(memory), report(report),
      entry(module.loaded(kernel.entry)),
      trace(variable("TERRAZZO_AMD_SIMULATOR_TRACE")) {
  const std::string text = variable("TERRAZZO_AMD_SIMULATOR_PLANT");
  if (text.empty()) {
    return;
  }
  const size_t plus = text.find("+0x"), equals = text.find('=');
  uint64_t offset = 0;
  const char *end = text.data() + std::min(equals, text.size());
  if (plus == text.npos || equals == text.npos || equals < plus + 4 ||
      std::from_chars(text.data() + plus + 3, end, offset, 16).ptr != end) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          sim::text("TERRAZZO_AMD_SIMULATOR_PLANT is '{}'; it "
                                    "must be KERNEL+0xOFFSET=INSTRUCTION",
                                    text));
  }
  if (text.substr(0, plus) != kernel.name) {
    return;
  }
  address = entry + offset;
  planted = module.instead(address, text.substr(equals + 1));
}

Planted::~Planted() {
  if (trace.empty()) {
    return;
  }
  std::ofstream out(trace, std::ios::app);
  for (uint64_t at : executed) {
    out << sim::text("{} 0x{:x} {}\n", kernel.name, at - entry,
                     module.at(at).text);
  }
  if (planted) {
    out << sim::text(
        "planted: {} executions, {} with another result, {} stores "
        "of other lanes\n",
        executions, differences, report.plantedStores);
  }
  out << sim::text("memory of {}: 0x{:x}\n", kernel.name, memory.digest());
}

void Planted::expect(Wave &wave) {
  const Instruction &own = module.at(address);
  ++executions;
  const Class kind = own.row->kind;
  const bool changesRegistersAlone =
      kind == Class::Scalar || kind == Class::Vector || kind == Class::Matrix;
  if (!changesRegistersAlone || planted->row->kind != kind || own.second) {
    differences += 1; // What else it does is not compared.
    expected.vectors.clear();
    return;
  }
  const auto vectors = wave.vectors;
  const auto defined = wave.defined;
  const auto scalars = wave.scalars;
  const auto scalarDefined = wave.scalarDefined;
  own.row->run(wave, own);
  expected.scalars = wave.scalars;
  expected.vectors = std::move(wave.vectors);
  wave.vectors = vectors;
  wave.defined = defined;
  wave.scalars = scalars;
  wave.scalarDefined = scalarDefined;
}

void Planted::compare(Wave &wave) {
  if (!expected.vectors.empty()) {
    const uint64_t own = expected.scalars[scalar::Exec] |
                         uint64_t{expected.scalars[scalar::Exec + 1]} << 32;
    wave.planted = wave.exec() & ~own;
    differences +=
        expected.scalars != wave.scalars || expected.vectors != wave.vectors;
  }
}

} // namespace tz::amd::sim
