//===- ScalarMemory.cpp - loads into scalar registers ---------------------===//
//
// What   SMEM. Its loads return in any order.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include <cstring>

namespace tz::amd::sim {

namespace {

void finish(Wave &wave, const Instruction &in) {
  wave.counters.issue(Counter::Shared, {in.operands.at(0), true});
}

uint64_t offsetOf(Wave &wave, const Instruction &in) {
  const Operand &operand = in.operands.at(2);
  const uint64_t offset = operand.file == File::Immediate
                              ? uint64_t(operand.integer)
                              : wave.dword(operand, 0, 0);
  return offset + uint64_t(in.modifier("offset"));
}

void loadFrom(Wave &wave, const Instruction &in, uint64_t address,
              unsigned usable) {
  const Operand &to = in.operands.at(0);
  uint32_t words[16] = {};
  bool isDefined = true;
  if (wave.tainted) {
    wave.found(Found::Uninitialised,
               "a scalar register that nobody wrote is an address");
  }
  if (usable != 0) {
    Memory &memory = wave.environment.memory;
    if (!memory.find(address, usable)) {
      wave.found(Found::OutOfBounds, text("{} bytes at 0x{:x}; {}", usable,
                                          address, memory.nearest(address)));
    } else {
      std::memcpy(words, reinterpret_cast<const void *>(address), usable);
      isDefined = memory.isWritten(address, usable);
      if (Races *races = wave.environment.races) {
        races->device(wave, 0, address, usable, AccessKind::Read,
                      Counter::Shared);
      }
    }
  }
  for (unsigned i = 0; i < to.dwords; ++i) {
    wave.setScalar(to.index + i, words[i]);
    wave.scalarDefined[to.index + i] = isDefined;
  }
  finish(wave, in);
}

void load(Wave &wave, const Instruction &in) {
  wave.tainted = false;
  const Operand &base = in.operands.at(1);
  const uint64_t from =
      wave.dword(base, 0, 0) | uint64_t{wave.dword(base, 1, 0)} << 32;
  loadFrom(wave, in, (from + offsetOf(wave, in)) & ~uint64_t{3},
           in.operands[0].dwords * 4u);
}

/// Dwords beyond the buffer's records are 0.
void loadBuffer(Wave &wave, const Instruction &in) {
  wave.tainted = false;
  const Operand &resource = in.operands.at(1);
  const uint64_t base = wave.dword(resource, 0, 0) |
                        uint64_t{wave.dword(resource, 1, 0) & 0xFFFF} << 32;
  const uint64_t stride = wave.dword(resource, 1, 0) >> 16 & 0x3FFF;
  const uint64_t bytes = wave.dword(resource, 2, 0) * (stride ? stride : 1);
  const uint64_t offset = offsetOf(wave, in) & ~uint64_t{3};
  const uint64_t left = offset < bytes ? (bytes - offset) & ~uint64_t{3} : 0;
  loadFrom(wave, in, base + offset,
           unsigned(std::min<uint64_t>(left, in.operands[0].dwords * 4u)));
}

/// A clock that counts instructions of the wave's launch.
void readClock(Wave &wave, const Instruction &in) {
  uint64_t ticks = 0;
  for (uint64_t count : wave.environment.report.counts) {
    ticks += count;
  }
  wave.setScalar64(in.operands.at(0).index, ticks);
  finish(wave, in);
}

} // namespace

std::vector<Row> scalarMemoryRows() {
  std::vector<Row> rows;
  for (const char *size :
       {"dword", "dwordx2", "dwordx3", "dwordx4", "dwordx8", "dwordx16", "b32",
        "b64", "b96", "b128", "b256", "b512"}) {
    rows.push_back(
        {std::string("s_load_") + size, load, Class::ScalarMemory, 1});
    rows.push_back({std::string("s_buffer_load_") + size, loadBuffer,
                    Class::ScalarMemory, 1});
  }
  for (const char *name : {"s_memtime", "s_memrealtime"}) {
    rows.push_back({name, readClock, Class::ScalarMemory, 1});
  }
  return rows;
}

} // namespace tz::amd::sim
