//===- Module.cpp - a loaded code object ----------------------------------===//
//
// What   See Module.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/execute/Module.h"

#include "plugins/amd/simulator/decode/Text.h"
#include "plugins/amd/simulator/execute/Wave.h"

#include "terrazzo/plugin/Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tz::amd::sim {

static constexpr uint64_t PageBytes = 4096;

Module::Module(Memory &memory, std::span<const uint8_t> file)
    : memory(memory), object(readCodeObject(file)) {
  about = findMachine(object.processor);
  if (!about) {
    throw plugin::Failure(
        TZ_E_FAILED_PRECONDITION,
        text("the code object is of {}, which the simulator does not "
             "execute; it executes {}",
             object.processor, machineNames()));
  }
  uint64_t last = 0;
  first = ~uint64_t{0};
  for (const Segment &segment : object.segments) {
    first = std::min(first, segment.address / PageBytes * PageBytes);
    last = std::max(last, segment.address + segment.bytes);
  }
  if (last <= first || last - first > (uint64_t{1} << 31)) {
    throw plugin::Failure(TZ_E_DATA_LOSS,
                          "the code object is damaged: it has no segments, or "
                          "they lie too far apart");
  }
  bytes = (last - first + PageBytes - 1) / PageBytes * PageBytes;
  for (const Relocation &relocation : object.relocations) {
    if (relocation.address < first || relocation.address + 8 > last) {
      throw plugin::Failure(TZ_E_DATA_LOSS,
                            "the code object is damaged: a relocation lies "
                            "outside of the segments");
    }
  }
  void *image = std::aligned_alloc(PageBytes, bytes);
  if (!image) {
    throw std::bad_alloc();
  }
  std::memset(image, 0, bytes);
  base = reinterpret_cast<uint64_t>(image);
  for (const Segment &segment : object.segments) {
    std::memcpy(static_cast<char *>(image) + (segment.address - first),
                segment.content.data(), segment.content.size());
  }
  for (const Relocation &relocation : object.relocations) {
    const uint64_t value = loaded(relocation.value);
    std::memcpy(static_cast<char *>(image) + (relocation.address - first),
                &value, sizeof(value));
  }
  memory.add(base, bytes, "the code object", true);
  decoded.resize(bytes / 4);
  decoder = std::make_unique<Decoder>(object.processor, about->lanes);
  lines = std::make_unique<SourceLines>(object.file);
}

Module::~Module() {
  memory.remove(base);
  std::free(reinterpret_cast<void *>(base));
}

const KernelCode *Module::kernel(const std::string &name) const {
  auto found = object.kernels.find(name);
  return found == object.kernels.end() ? nullptr : &found->second;
}

std::pair<uint64_t, uint64_t> Module::global(const std::string &name) const {
  auto found = object.globals.find(name);
  return found == object.globals.end()
             ? std::pair<uint64_t, uint64_t>()
             : std::pair(loaded(found->second.first), found->second.second);
}

void Module::findRows(Instruction &in) const {
  for (Instruction *part = &in; part; part = part->second.get()) {
    part->row = findRow(part->name);
    if (!part->row) {
      throw plugin::Failure(
          TZ_E_UNSUPPORTED_OP,
          text("the simulator does not know the instruction '{}' "
               "(encoding {:08x} {:08x})",
               part->name, in.encoding[0], in.bytes > 4 ? in.encoding[1] : 0));
    }
    if (part->name.starts_with("v_cmpx_") && part->operands.size() == 2) {
      // Since gfx10 the text does not name the one destination.
      Operand exec;
      exec.file = File::Scalar;
      exec.index = scalar::Exec;
      exec.dwords = uint8_t(about->lanes / 32);
      part->operands.insert(part->operands.begin(), exec);
    }
    if (part->row->destinations > part->operands.size()) {
      unsupportedForm(*part, "the number of operands");
    }
  }
}

std::unique_ptr<Instruction> Module::instead(uint64_t address,
                                             const std::string &text) {
  const Instruction &own = at(address);
  std::unique_ptr<Instruction> made = readInstruction(text);
  made->address = own.address;
  made->bytes = own.bytes;
  std::copy(std::begin(own.encoding), std::end(own.encoding), made->encoding);
  findRows(*made);
  return made;
}

const Instruction &Module::at(uint64_t address) {
  if (address < base || address - base >= bytes || address % 4 != 0) {
    throw plugin::Failure(
        TZ_E_FAULT,
        text("the program counter 0x{:x} is outside of the code object",
             address));
  }
  std::unique_ptr<Instruction> &slot = decoded[(address - base) / 4];
  if (slot) {
    return *slot;
  }
  const uint64_t left = bytes - (address - base);
  std::unique_ptr<Instruction> made =
      decoder->decode(address, {reinterpret_cast<const uint8_t *>(address),
                                size_t(std::min<uint64_t>(left, 20))});
  findRows(*made);
  slot = std::move(made);
  return *slot;
}

} // namespace tz::amd::sim
