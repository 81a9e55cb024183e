//===- Banks.h - conflicts of LDS -----------------------------------------===//
//
// What   How often lanes of one access want different dwords of one bank.
// Why    LDS has 32 banks of 4 bytes and serves 128 bytes at a time: so many
//        lanes, one behind the other, as have that. Which lanes a device really
//        serves together where each has 16 bytes is not published.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_BANKS_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_BANKS_H

#include "plugins/amd/simulator/execute/Wave.h"

namespace tz::amd::sim {

/// Collects the addresses of one access, and counts when it goes.
class BankCounter {
public:
  BankCounter(Wave &wave, unsigned bytes)
      : wave(wave), bytes(bytes), addresses(wave.lanes, None) {}
  ~BankCounter();
  BankCounter(const BankCounter &) = delete;
  BankCounter &operator=(const BankCounter &) = delete;
  void add(unsigned lane, uint32_t address) { addresses[lane] = address; }

private:
  static constexpr uint32_t None = ~uint32_t{0};
  Wave &wave;
  const unsigned bytes;
  std::vector<uint32_t> addresses;
};

} // namespace tz::amd::sim

#endif
