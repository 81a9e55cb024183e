//===- Shared.cpp - LDS ---------------------------------------------------===//
//
// What   DS instructions: loads, stores and atomics of LDS, and the
// permutations
//        of lanes that go through its crossbar.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Banks.h"
#include "plugins/amd/simulator/execute/MemoryForms.h"
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include <cstring>

namespace tz::amd::sim {

namespace {

/// The bytes at an address of LDS, or null: the access is told and skipped.
uint8_t *sharedAt(Wave &wave, uint32_t address, unsigned bytes, unsigned lane) {
  if (wave.tainted) {
    wave.found(Found::Uninitialised,
               text("lane {} uses a value that nobody wrote as an "
                    "address of LDS",
                    lane));
  }
  std::vector<uint8_t> &shared = wave.group.shared;
  if (address > shared.size() || bytes > shared.size() - address) {
    wave.found(Found::OutOfBounds,
               text("lane {} reaches {} bytes at {} of LDS; the "
                    "work-group has {} bytes",
                    lane, bytes, address, shared.size()));
    return nullptr;
  }
  return shared.data() + address;
}

bool isWritten(const Wave &wave, uint32_t address, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    if (!wave.group.sharedWritten[address + i]) {
      return false;
    }
  }
  return true;
}
void markWritten(Wave &wave, uint32_t address, unsigned bytes, bool isDefined) {
  for (unsigned i = 0; i < bytes; ++i) {
    wave.group.sharedWritten[address + i] = isDefined;
  }
}

void noteAccess(Wave &wave, unsigned lane, uint32_t address, unsigned bytes,
                AccessKind kind, uint64_t which = AllBytes) {
  if (Races *races = wave.environment.races; races && which != 0) {
    races->shared(wave, lane, address, bytes, kind, Counter::Shared, which);
  }
}

/// Only registers wait; constants do not occur.
Operand slice(const Operand &operand, unsigned first, unsigned dwords) {
  Operand out = operand;
  out.index = uint16_t(operand.index + first);
  out.dwords = uint8_t(dwords);
  return out;
}

void loadLane(Wave &wave, const Operand &to, unsigned lane,
              const AccessForm &form, uint32_t address) {
  uint8_t bytes[16] = {};
  const uint8_t *at = sharedAt(wave, address, form.bytes, lane);
  if (at) {
    std::memcpy(bytes, at, form.bytes);
    noteAccess(wave, lane, address, form.bytes, AccessKind::Read);
  }
  wave.tainted =
      (at && !isWritten(wave, address, form.bytes)) || wave.isPlanted(lane);
  writeLoaded(wave, to, lane, form, bytes);
}
void storeLane(Wave &wave, const Operand &from, unsigned lane,
               const AccessForm &form, uint32_t address) {
  uint8_t *at = sharedAt(wave, address, form.bytes, lane);
  if (!at) {
    return;
  }
  uint8_t bytes[16];
  wave.tainted = false;
  readStored(wave, from, lane, form, bytes);
  const uint64_t changed = isWritten(wave, address, form.bytes)
                               ? changedBytes(at, bytes, form.bytes)
                               : AllBytes;
  wave.environment.report.plantedStores += wave.isPlanted(lane) && changed != 0;
  noteAccess(wave, lane, address, form.bytes, AccessKind::Write, changed);
  std::memcpy(at, bytes, form.bytes);
  markWritten(wave, address, form.bytes, !wave.tainted);
}

void load(Wave &wave, const Instruction &in) {
  const AccessForm &form = loadForms()[in.row->detail];
  BankCounter banks(wave, form.bytes);
  const uint32_t offset = uint32_t(in.modifier("offset"));
  eachLane(wave, [&](unsigned lane) {
    const uint32_t address = wave.dword(in.operands.at(1), 0, lane) + offset;
    banks.add(lane, address);
    loadLane(wave, in.operands[0], lane, form, address);
  });
  wave.counters.issue(Counter::Shared, {in.operands.at(0)});
}
void store(Wave &wave, const Instruction &in) {
  const AccessForm &form = storeForms()[in.row->detail];
  BankCounter banks(wave, form.bytes);
  const uint32_t offset = uint32_t(in.modifier("offset"));
  eachLane(wave, [&](unsigned lane) {
    const uint32_t address = wave.dword(in.operands.at(0), 0, lane) + offset;
    banks.add(lane, address);
    storeLane(wave, in.operands.at(1), lane, form, address);
  });
  wave.counters.issue(Counter::Shared, {{}, false, true});
}

/// Two elements; the offsets count elements, or 64 of them.
template <unsigned Unit>
void loadTwo(Wave &wave, const Instruction &in) {
  const AccessForm &form = loadForms()[in.row->detail];
  const unsigned dwords = form.bytes / 4u;
  const uint32_t unit = form.bytes * Unit;
  BankCounter banks(wave, form.bytes), moreBanks(wave, form.bytes);
  const uint32_t first = uint32_t(in.modifier("offset0")) * unit;
  const uint32_t second = uint32_t(in.modifier("offset1")) * unit;
  eachLane(wave, [&](unsigned lane) {
    const uint32_t base = wave.dword(in.operands.at(1), 0, lane);
    banks.add(lane, base + first);
    moreBanks.add(lane, base + second);
    loadLane(wave, slice(in.operands[0], 0, dwords), lane, form, base + first);
    wave.tainted = false;
    loadLane(wave, slice(in.operands[0], dwords, dwords), lane, form,
             base + second);
  });
  wave.counters.issue(Counter::Shared, {in.operands.at(0)});
}
template <unsigned Unit>
void storeTwo(Wave &wave, const Instruction &in) {
  const AccessForm &form = storeForms()[in.row->detail];
  const uint32_t unit = form.bytes * Unit;
  BankCounter banks(wave, form.bytes), moreBanks(wave, form.bytes);
  const uint32_t first = uint32_t(in.modifier("offset0")) * unit;
  const uint32_t second = uint32_t(in.modifier("offset1")) * unit;
  eachLane(wave, [&](unsigned lane) {
    const uint32_t base = wave.dword(in.operands.at(0), 0, lane);
    banks.add(lane, base + first);
    moreBanks.add(lane, base + second);
    storeLane(wave, in.operands.at(1), lane, form, base + first);
    wave.tainted = false;
    storeLane(wave, in.operands.at(2), lane, form, base + second);
  });
  wave.counters.issue(Counter::Shared, {{}, false, true});
}

uint64_t wide(Wave &wave, const Operand &operand, unsigned bytes,
              unsigned lane) {
  uint64_t value = wave.dword(operand, 0, lane);
  if (bytes == 8) {
    value |= uint64_t{wave.dword(operand, 1, lane)} << 32;
  }
  return value;
}

/// Lanes one after the other. With a comparison the expected value comes first
/// and the new one second.
template <bool Returns>
void atomic(Wave &wave, const Instruction &in) {
  const AtomicForm &form = atomicForms()[in.row->detail];
  const unsigned at = Returns ? 1 : 0;
  const uint32_t offset = uint32_t(in.modifier("offset"));
  eachLane(wave, [&](unsigned lane) {
    const uint32_t address = wave.dword(in.operands.at(at), 0, lane) + offset;
    uint8_t *bytes = sharedAt(wave, address, form.bytes, lane);
    if (!bytes) {
      return;
    }
    noteAccess(wave, lane, address, form.bytes, AccessKind::Atomic);
    wave.tainted = !isWritten(wave, address, form.bytes);
    uint64_t data = wide(wave, in.operands.at(at + 1), form.bytes, lane);
    uint64_t expected = 0;
    if (form.comparesFirst) {
      expected = data;
      data = wide(wave, in.operands.at(at + 2), form.bytes, lane);
      if (form.newFirst) {
        std::swap(data, expected);
      }
    }
    const uint64_t old = runAtomic(form, bytes, data, expected);
    markWritten(wave, address, form.bytes, !wave.tainted);
    if (Returns) {
      wave.setVector(in.operands[0].index, lane, uint32_t(old));
      if (form.bytes == 8) {
        wave.setVector(in.operands[0].index + 1u, lane, uint32_t(old >> 32));
      }
    }
  });
  wave.counters.issue(Counter::Shared,
                      {Returns ? in.operands.at(0) : Operand(), false, true});
}

//===--- Permutations of lanes --------------------------------------------===//

struct Snapshot {
  std::vector<uint32_t> values;
  uint64_t defined;
};
Snapshot snapshot(const Wave &wave, const Operand &operand) {
  const auto begin =
      wave.vectors.begin() + ptrdiff_t(operand.index * wave.lanes);
  return {{begin, begin + wave.lanes}, wave.defined[operand.index]};
}

/// Each lane reads the lane that it names; an inactive one gives 0.
void permuteBackward(Wave &wave, const Instruction &in) {
  const Snapshot data = snapshot(wave, in.operands.at(2));
  const uint32_t offset = uint32_t(in.modifier("offset"));
  eachLane(wave, [&](unsigned lane) {
    const uint32_t address = wave.dword(in.operands.at(1), 0, lane) + offset;
    const unsigned from = address / 4 % wave.lanes;
    const bool isThere = wave.exec() >> from & 1;
    wave.tainted |= isThere && !(data.defined >> from & 1);
    wave.setVector(in.operands[0].index, lane, isThere ? data.values[from] : 0);
  });
  wave.counters.issue(Counter::Shared, {in.operands.at(0)});
}
/// Each lane writes to the lane that it names; the highest one wins.
void permuteForward(Wave &wave, const Instruction &in) {
  const Snapshot data = snapshot(wave, in.operands.at(2));
  const uint32_t offset = uint32_t(in.modifier("offset"));
  std::vector<uint32_t> out(wave.lanes);
  eachLane(wave, [&](unsigned lane) {
    const uint32_t address = wave.dword(in.operands.at(1), 0, lane) + offset;
    out[address / 4 % wave.lanes] = data.values[lane];
  });
  eachLane(wave, [&](unsigned lane) {
    wave.setVector(in.operands[0].index, lane, out[lane]);
  });
  wave.counters.issue(Counter::Shared, {in.operands.at(0)});
}
/// A fixed pattern among 32 lanes, or among 4.
void swizzle(Wave &wave, const Instruction &in) {
  const Snapshot data = snapshot(wave, in.operands.at(1));
  const uint32_t pattern = in.encoding[0] & 0xFFFF;
  if (pattern >= 0xC000) {
    unsupportedForm(in, "a rotation of lanes");
  }
  eachLane(wave, [&](unsigned lane) {
    unsigned from;
    if (pattern & 0x8000) {
      from = (lane & ~3u) + (pattern >> (2 * (lane & 3)) & 3);
    } else {
      const unsigned inside = lane & 31;
      from =
          (lane & ~31u) + (((inside & (pattern & 31)) | (pattern >> 5 & 31)) ^
                           (pattern >> 10 & 31));
    }
    const bool isThere = wave.exec() >> from & 1;
    wave.tainted = isThere && !(data.defined >> from & 1);
    wave.setVector(in.operands.at(0).index, lane,
                   isThere ? data.values[from] : 0);
  });
  wave.counters.issue(Counter::Shared, {in.operands.at(0)});
}

/// Four rows of 16 columns, of 16 bits: of 16 lanes each reads four columns of
/// a row, lane / 4, and gets the column of its own number.
void loadAcross(Wave &wave, const Instruction &in) {
  constexpr unsigned bytes = 8, rows = 4, group = 16;
  BankCounter banks(wave, bytes);
  const uint32_t offset = uint32_t(in.modifier("offset"));
  std::vector<std::array<uint16_t, 4>> data(wave.lanes);
  uint64_t known = 0;
  eachLane(wave, [&](unsigned lane) {
    const uint32_t address = wave.dword(in.operands.at(1), 0, lane) + offset;
    banks.add(lane, address);
    if (const uint8_t *at = sharedAt(wave, address, bytes, lane)) {
      noteAccess(wave, lane, address, bytes, AccessKind::Read);
      std::memcpy(data[lane].data(), at, bytes);
      known |=
          uint64_t{isWritten(wave, address, bytes) && !wave.isPlanted(lane)}
          << lane;
    }
  });
  eachLane(wave, [&](unsigned lane) {
    const unsigned column = lane % group;
    uint16_t values[rows];
    for (unsigned row = 0; row < rows; ++row) {
      const unsigned from = lane - column + row * 4 + column / 4;
      wave.tainted |= !(known >> from & 1);
      values[row] = data[from][column % 4];
    }
    for (unsigned i = 0; i < 2; ++i) {
      wave.setVector(in.operands[0].index + i, lane,
                     values[2 * i] | uint32_t{values[2 * i + 1]} << 16);
    }
  });
  wave.counters.issue(Counter::Shared, {in.operands.at(0)});
}

struct SharedName {
  const char *type;
  unsigned form; ///< of loadForms or storeForms
};

} // namespace

std::vector<Row> sharedRows() {
  std::vector<Row> rows;
  auto add = [&](const std::string &name, auto run, unsigned detail,
                 uint8_t destinations) {
    rows.push_back({name, run, Class::Shared, destinations, uint16_t(detail)});
  };
  constexpr SharedName loads[] = {
      {"u8", 0},       {"i8", 1},         {"u16", 2},     {"i16", 3},
      {"b32", 4},      {"b64", 5},        {"b96", 6},     {"b128", 7},
      {"u8_d16", 8},   {"u8_d16_hi", 9},  {"i8_d16", 10}, {"i8_d16_hi", 11},
      {"u16_d16", 12}, {"u16_d16_hi", 13}};
  constexpr SharedName stores[] = {
      {"b8", 0},  {"b16", 1},  {"b32", 2},       {"b64", 3},
      {"b96", 4}, {"b128", 5}, {"b8_d16_hi", 6}, {"b16_d16_hi", 7}};
  for (const SharedName &name : loads) {
    add(std::string("ds_read_") + name.type, load, name.form, 1);
    add(std::string("ds_load_") + name.type, load, name.form, 1);
  }
  for (const SharedName &name : stores) {
    add(std::string("ds_write_") + name.type, store, name.form, 0);
    add(std::string("ds_store_") + name.type, store, name.form, 0);
  }
  const std::pair<const char *, unsigned> twos[] = {{"b32", 0}, {"b64", 1}};
  for (auto [type, more] : twos) {
    const std::string end = type;
    add("ds_read2_" + end, loadTwo<1>, 4 + more, 1);
    add("ds_load_2addr_" + end, loadTwo<1>, 4 + more, 1);
    add("ds_read2st64_" + end, loadTwo<64>, 4 + more, 1);
    add("ds_load_2addr_stride64_" + end, loadTwo<64>, 4 + more, 1);
    add("ds_write2_" + end, storeTwo<1>, 2 + more, 0);
    add("ds_store_2addr_" + end, storeTwo<1>, 2 + more, 0);
    add("ds_write2st64_" + end, storeTwo<64>, 2 + more, 0);
    add("ds_store_2addr_stride64_" + end, storeTwo<64>, 2 + more, 0);
  }
  for (unsigned i = 0; i < atomicForms().size(); ++i) {
    const std::string name = atomicForms()[i].name;
    add("ds_" + name, atomic<false>, i, 0);
    const size_t type = name.rfind('_');
    if (type != name.npos) {
      // "add_rtn_u32", "pk_add_rtn_f16"
      add("ds_" + name.substr(0, type) + "_rtn" + name.substr(type),
          atomic<true>, i, 1);
    }
  }
  add("ds_read_b64_tr_b16", loadAcross, 0, 1);
  add("ds_bpermute_b32", permuteBackward, 0, 1);
  add("ds_permute_b32", permuteForward, 0, 1);
  add("ds_swizzle_b32", swizzle, 0, 1);
  return rows;
}

} // namespace tz::amd::sim
