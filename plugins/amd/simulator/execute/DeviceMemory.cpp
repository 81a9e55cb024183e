//===- DeviceMemory.cpp - global, flat, scratch and buffer accesses -------===//
//
// What   Vector memory: an address for each lane, by four ways of addressing,
//        and loads, stores and atomics that are the same for all of them.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/MemoryForms.h"
#include "plugins/amd/simulator/execute/Operands.h"
#include "plugins/amd/simulator/execute/Rows.h"

#include <cstring>

namespace tz::amd::sim {

namespace {

enum class Space : uint8_t { Global, Flat, Scratch, Buffer };

/// Where a lane's access goes.
struct Target {
  uint8_t *bytes = nullptr; ///< null: told, or out of a buffer's range
  uint64_t address = 0;     ///< of device memory; 0: LDS or scratch
  unsigned usable = 0;      ///< bytes that lie in the buffer's range
  bool isWritten = true;
};

/// The operands without those of data: a lane's address, then what is added.
struct Addressing {
  Space space;
  const Operand *vector;  ///< or the word "off"
  const Operand *scalar;  ///< global, scratch: base or "off"; buffer: resource
  const Operand *further; ///< buffer: the scalar offset
};

Target outside(Wave &wave, unsigned lane, uint64_t address, unsigned bytes,
               const std::string &where) {
  wave.found(Found::OutOfBounds, text("lane {} reaches {} bytes at 0x{:x}; {}",
                                      lane, bytes, address, where));
  return {};
}

Target deviceTarget(Wave &wave, unsigned lane, uint64_t address,
                    unsigned bytes) {
  Memory &memory = wave.environment.memory;
  const std::string &name = wave.current->name;
  const bool isLoad = name.find("load") != std::string::npos;
  const bool isAtomic = name.find("atomic") != std::string::npos;
  if (!memory.find(address, bytes) &&
      !(isLoad && memory.areWords(address, bytes)) &&
      !(isAtomic && memory.isLastWord(address, bytes))) {
    return outside(wave, lane, address, bytes, memory.nearest(address));
  }
  return {reinterpret_cast<uint8_t *>(address), address, bytes,
          memory.isWritten(address, bytes)};
}

Target scratchTarget(Wave &wave, unsigned lane, uint64_t offset,
                     unsigned bytes) {
  if (offset > wave.scratchBytes || bytes > wave.scratchBytes - offset) {
    return outside(
        wave, lane, offset, bytes,
        text("the scratch of a lane has {} bytes", wave.scratchBytes));
  }
  return {wave.scratch.data() + size_t{lane} * wave.scratchBytes + offset, 0,
          bytes};
}

Target sharedTarget(Wave &wave, unsigned lane, uint64_t offset,
                    unsigned bytes) {
  std::vector<uint8_t> &shared = wave.group.shared;
  if (offset > shared.size() || bytes > shared.size() - offset) {
    return outside(
        wave, lane, offset, bytes,
        text("the LDS of the work-group has {} bytes", shared.size()));
  }
  return {shared.data() + offset, 0, bytes};
}

uint64_t wideValue(Wave &wave, const Operand &operand, unsigned lane) {
  return wave.dword(operand, 0, lane) | uint64_t{wave.dword(operand, 1, lane)}
                                            << 32;
}
uint32_t valueOr0(Wave &wave, const Operand &operand, unsigned lane) {
  return operand.file == File::Word ? 0 : wave.dword(operand, 0, lane);
}

/// The hardware checks each dword, so a wide access may be partly in range.
Target bufferTarget(Wave &wave, const Instruction &in, const Addressing &by,
                    unsigned lane, unsigned bytes) {
  const Operand &resource = *by.scalar;
  const uint64_t base = wave.dword(resource, 0, 0) |
                        uint64_t{wave.dword(resource, 1, 0) & 0xFFFF} << 32;
  const uint32_t second = wave.dword(resource, 1, 0);
  const uint32_t stride = second >> 16 & 0x3FFF;
  const uint32_t records = wave.dword(resource, 2, 0);
  if (second >> 31 || wave.dword(resource, 3, 0) >> 23 & 1) {
    unsupportedForm(in, "a swizzled buffer");
  }
  const bool hasIndex = in.has("idxen"), hasOffset = in.has("offen");
  const uint32_t index = hasIndex ? wave.dword(*by.vector, 0, lane) : 0;
  uint64_t offset = uint64_t(in.modifier("offset"));
  if (hasOffset) {
    offset += wave.dword(*by.vector, hasIndex ? 1 : 0, lane);
  }
  const uint32_t further = wave.dword(*by.further, 0, lane);
  unsigned usable = bytes;
  if (stride != 0) {
    usable = index < records ? bytes : 0;
  } else {
    const uint64_t first = offset + further;
    const uint64_t left = first < records ? records - first : 0;
    usable = left >= bytes ? bytes
             : bytes < 4   ? 0
                           : unsigned(left & ~uint64_t{3});
  }
  if (usable == 0) {
    return {};
  }
  return deviceTarget(
      wave, lane, base + further + offset + uint64_t{index} * stride, usable);
}

Target target(Wave &wave, const Instruction &in, const Addressing &by,
              unsigned lane, unsigned bytes) {
  wave.tainted = false;
  Target out;
  const uint64_t offset = uint64_t(in.modifier("offset"));
  if (by.space == Space::Buffer) {
    out = bufferTarget(wave, in, by, lane, bytes);
  } else if (by.space == Space::Scratch) {
    out = scratchTarget(wave, lane,
                        uint32_t(valueOr0(wave, *by.vector, lane) +
                                 valueOr0(wave, *by.scalar, lane) + offset),
                        bytes);
  } else if (by.space == Space::Global && by.scalar->file == File::Scalar) {
    out = deviceTarget(wave, lane,
                       wideValue(wave, *by.scalar, lane) +
                           wave.dword(*by.vector, 0, lane) + offset,
                       bytes);
  } else {
    const uint64_t address = wideValue(wave, *by.vector, lane) + offset;
    const uint64_t aperture = address & 0xFFFFFFFF00000000u;
    const uint64_t inside = address & 0xFFFFFFFFu;
    if (by.space == Space::Flat && aperture == SharedAperture) {
      out = sharedTarget(wave, lane, inside, bytes);
    } else if (by.space == Space::Flat && aperture == PrivateAperture) {
      out = scratchTarget(wave, lane, inside, bytes);
    } else {
      out = deviceTarget(wave, lane, address, bytes);
    }
  }
  if (wave.tainted) {
    wave.found(
        Found::Uninitialised,
        text("lane {} uses a value that nobody wrote as an address", lane));
  }
  return out;
}

/// The operands behind `first`, where addresses begin. `data`: whether an
/// operand of data stands between the lane's address and the scalar one.
template <Space In>
Addressing addressing(const Instruction &in, unsigned first, bool hasData) {
  static const Operand off{File::Word};
  Addressing out{In, &off, &off, &off};
  if (In == Space::Buffer) {
    // Without offen and idxen the text has "off".
    out.vector = &in.operands.at(first);
    out.scalar = &in.operands.at(first + 1);
    out.further = &in.operands.at(first + 2);
    return out;
  }
  out.vector = &in.operands.at(first);
  const size_t scalar = first + (hasData ? 2u : 1u);
  if (In != Space::Flat) {
    out.scalar = &in.operands.at(scalar);
  }
  return out;
}

/// Accesses past the caches are how waves of different groups talk.
bool isPastCaches(const Instruction &in) {
  return in.has("sc1") || in.has("glc") || in.has("dlc");
}

void noteAccess(Wave &wave, const Instruction &in, unsigned lane,
                const Target &at, unsigned bytes, AccessKind kind,
                uint64_t which = AllBytes) {
  Races *races = wave.environment.races;
  if (!races || !at.bytes || !at.address || which == 0) {
    return;
  }
  // An atomic that returns its old value is counted as a load.
  const bool isStore = wave.environment.machine.hasStoreCounter &&
                       (kind == AccessKind::Write ||
                        (kind == AccessKind::Atomic && !in.has("glc")));
  races->device(wave, lane, at.address, bytes,
                isPastCaches(in) ? AccessKind::Atomic : kind,
                isStore ? Counter::VectorStore : Counter::Memory, which);
}

template <Space In>
void issueLoad(Wave &wave, const Operand &to, bool writesShared = false) {
  wave.counters.issue(Counter::Memory, {to, false, writesShared});
  if (In == Space::Flat) {
    wave.counters.issue(Counter::Shared, {});
  }
}
template <Space In>
void issueStore(Wave &wave) {
  wave.counters.issue(wave.environment.machine.hasStoreCounter
                          ? Counter::VectorStore
                          : Counter::Memory,
                      {});
  if (In == Space::Flat) {
    wave.counters.issue(Counter::Shared, {});
  }
}

/// Straight to LDS: M0 has the base, each lane its dword behind it.
template <Space In>
void loadToShared(Wave &wave, const Instruction &in) {
  const AccessForm &form = loadForms()[in.row->detail];
  const Addressing by = addressing<In>(in, 0, false);
  const uint32_t base = wave.scalars[scalar::M0];
  const uint32_t offset = uint32_t(in.modifier("offset"));
  const unsigned step = std::max<unsigned>(form.bytes, 4);
  eachLane(wave, [&](unsigned lane) {
    const Target from = target(wave, in, by, lane, form.bytes);
    const uint64_t at = uint64_t{base} + offset + uint64_t{lane} * step;
    const Target to = sharedTarget(wave, lane, at, form.bytes);
    if (!to.bytes) {
      return;
    }
    std::memset(to.bytes, 0, form.bytes);
    if (from.bytes) {
      std::memcpy(to.bytes, from.bytes, from.usable);
    }
    for (unsigned i = 0; i < form.bytes; ++i) {
      wave.group.sharedWritten[at + i] = from.isWritten;
    }
    if (Races *races = wave.environment.races) {
      races->shared(wave, lane, at, form.bytes, AccessKind::Write,
                    Counter::Memory);
    }
  });
  issueLoad<In>(wave, {}, true);
}

template <Space In>
void load(Wave &wave, const Instruction &in) {
  if (in.has("lds")) {
    return loadToShared<In>(wave, in);
  }
  if (in.has("tfe")) {
    unsupportedForm(in, "tfe");
  }
  const AccessForm &form = loadForms()[in.row->detail];
  const Addressing by = addressing<In>(in, 1, false);
  eachLane(wave, [&](unsigned lane) {
    uint8_t bytes[16] = {};
    const Target from = target(wave, in, by, lane, form.bytes);
    if (from.bytes) {
      std::memcpy(bytes, from.bytes, from.usable);
      noteAccess(wave, in, lane, from, from.usable, AccessKind::Read);
    }
    wave.tainted = !from.isWritten || wave.isPlanted(lane);
    writeLoaded(wave, in.operands[0], lane, form, bytes);
  });
  issueLoad<In>(wave, in.operands.at(0));
}

template <Space In>
void store(Wave &wave, const Instruction &in) {
  const AccessForm &form = storeForms()[in.row->detail];
  const bool isBuffer = In == Space::Buffer;
  const Addressing by = addressing<In>(in, isBuffer ? 1 : 0, !isBuffer);
  const Operand &data = in.operands.at(isBuffer ? 0 : 1);
  eachLane(wave, [&](unsigned lane) {
    const Target to = target(wave, in, by, lane, form.bytes);
    if (!to.bytes) {
      return;
    }
    uint8_t bytes[16];
    wave.tainted = false;
    readStored(wave, data, lane, form, bytes);
    const uint64_t changed =
        to.isWritten ? changedBytes(to.bytes, bytes, to.usable) : AllBytes;
    wave.environment.report.plantedStores +=
        wave.isPlanted(lane) && changed != 0;
    noteAccess(wave, in, lane, to, to.usable, AccessKind::Write, changed);
    std::memcpy(to.bytes, bytes, to.usable);
    if (to.address && wave.tainted) {
      wave.found(Found::Uninitialised,
                 text("lane {} stores a value that nobody wrote", lane));
    }
    if (to.address && !wave.tainted) {
      wave.environment.memory.markWritten(to.address, to.usable);
    }
  });
  issueStore<In>(wave);
}

template <Space In>
void atomic(Wave &wave, const Instruction &in) {
  const AtomicForm &form = atomicForms()[in.row->detail];
  const bool isBuffer = In == Space::Buffer;
  const bool returns = returnsOld(in);
  // Buffers return into their operand of data; the others have another one.
  const unsigned first = !isBuffer && returns ? 1 : 0;
  const Addressing by = addressing<In>(in, isBuffer ? 1 : first, !isBuffer);
  const Operand data = in.operands.at(isBuffer ? 0 : first + 1);
  eachLane(wave, [&](unsigned lane) {
    const Target to = target(wave, in, by, lane, form.bytes);
    if (to.bytes && to.address % form.bytes != 0) {
      wave.found(Found::Misaligned,
                 text("lane {}: an atomic of {} bytes at 0x{:x}", lane,
                      form.bytes, to.address));
      return;
    }
    uint64_t old = 0;
    if (to.bytes) {
      noteAccess(wave, in, lane, to, form.bytes, AccessKind::Atomic);
      wave.environment.report.plantedStores += wave.isPlanted(lane);
      const unsigned dwords = form.bytes / 4u;
      uint64_t value[2] = {};
      wave.tainted = !to.isWritten;
      for (unsigned i = 0; i < dwords * (form.comparesFirst ? 2 : 1); ++i) {
        value[i / dwords] |= uint64_t{wave.dword(data, i, lane)}
                             << (32 * (i % dwords));
      }
      // A comparison's data are the new value, then the expected one.
      old = runAtomic(form, to.bytes, value[0], value[1]);
      if (to.address && !wave.tainted) {
        wave.environment.memory.markWritten(to.address, form.bytes);
      }
    }
    for (unsigned i = 0; returns && i < form.bytes / 4u; ++i) {
      wave.setVector(in.operands[0].index + i, lane, uint32_t(old >> (32 * i)));
    }
  });
  if (returns) {
    Operand to = in.operands.at(0);
    to.dwords = uint8_t(form.bytes / 4);
    issueLoad<In>(wave, to);
  } else {
    issueStore<In>(wave);
  }
}

template <Space In>
void addSpace(std::vector<Row> &rows, const std::string &prefix) {
  auto add = [&](const std::string &name, auto run, unsigned detail,
                 uint8_t destinations) {
    rows.push_back(
        {prefix + name, run, Class::Memory, destinations, uint16_t(detail)});
  };
  for (unsigned i = 0; i < loadForms().size(); ++i) {
    const AccessForm &form = loadForms()[i];
    for (const char *name : {form.name, form.newer}) {
      add(std::string("load_") + name, load<In>, i, 1);
      if (In == Space::Global || In == Space::Scratch) {
        add(std::string("load_lds_") + name, loadToShared<In>, i, 0);
      }
    }
  }
  for (unsigned i = 0; i < storeForms().size(); ++i) {
    const AccessForm &form = storeForms()[i];
    for (const char *name : {form.name, form.newer}) {
      add(std::string("store_") + name, store<In>, i, 0);
    }
  }
  for (unsigned i = 0; i < atomicForms().size(); ++i) {
    add(std::string("atomic_") + atomicForms()[i].name, atomic<In>, i, 0);
    rows.back().mayReturn = In != Space::Buffer; // which reads it, too
  }
}

} // namespace

std::vector<Row> memoryRows() {
  std::vector<Row> rows;
  addSpace<Space::Global>(rows, "global_");
  addSpace<Space::Flat>(rows, "flat_");
  addSpace<Space::Scratch>(rows, "scratch_");
  addSpace<Space::Buffer>(rows, "buffer_");
  return rows;
}

} // namespace tz::amd::sim
