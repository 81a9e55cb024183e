//===- Banks.cpp - conflicts of LDS ---------------------------------------===//
//
// What   See Banks.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Banks.h"

#include <algorithm>

namespace tz::amd::sim {

BankCounter::~BankCounter() {
  constexpr unsigned banks = 32, bytesAtOnce = 128;
  const unsigned dwords = (bytes + 3) / 4;
  const unsigned together =
      std::min(wave.lanes, bytesAtOnce / (4 * std::bit_ceil(dwords)));
  for (unsigned first = 0; first < wave.lanes; first += together) {
    std::array<std::vector<uint32_t>, banks> wanted;
    size_t most = 0;
    for (unsigned lane = first; lane < first + together; ++lane) {
      for (unsigned i = 0; addresses[lane] != None && i < dwords; ++i) {
        const uint32_t dword = addresses[lane] / 4 + i;
        std::vector<uint32_t> &bank = wanted[dword % banks];
        if (std::find(bank.begin(), bank.end(), dword) == bank.end()) {
          bank.push_back(dword);
          most = std::max(most, bank.size());
        }
      }
    }
    wave.environment.report.bankAccesses += most;
    wave.environment.report.bankConflicts += most > 1 ? most - 1 : 0;
  }
}

} // namespace tz::amd::sim
