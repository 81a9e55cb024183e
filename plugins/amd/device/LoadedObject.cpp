//===- LoadedObject.cpp - what a code object says of itself ---------------===//
//
// What   See LoadedObject.h. The note is MessagePack.
// Why    Every offset is checked: the bytes may come from a damaged cache.
//===----------------------------------------------------------------------===//
#include "plugins/amd/device/LoadedObject.h"

#include <terrazzo/plugin/Error.h>

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace tz::amd {

namespace {

constexpr uint16_t MachineAmdgpu = 224;
constexpr uint8_t OsAbiHsa = 64;
constexpr uint32_t NoteMetadata = 32, ProcessorMask = 0xff;
constexpr unsigned DeepestNesting = 16;

constexpr struct {
  uint32_t number;
  std::string_view name;
} Processors[] = {
    {0x3f, "gfx90a"},  {0x4c, "gfx942"},  {0x4f, "gfx950"},
    {0x41, "gfx1100"}, {0x4e, "gfx1201"},
};

[[noreturn]] void damaged(const std::string &why) {
  throw plugin::Failure(TZ_E_DATA_LOSS, "the code object is damaged: " + why);
}

std::string_view slice(std::string_view bytes, uint64_t offset, uint64_t size,
                       const char *what) {
  if (offset > bytes.size() || size > bytes.size() - offset) {
    damaged(std::string(what) + " lies behind its end");
  }
  return bytes.substr(offset, size);
}

template <typename T>
T read(std::string_view bytes, uint64_t offset, const char *what) {
  T value;
  std::memcpy(&value, slice(bytes, offset, sizeof(T), what).data(), sizeof(T));
  return value;
}

/// One value after the other of a MessagePack text.
class Values {
public:
  explicit Values(std::string_view bytes) : left(bytes) {}

  /// The number of pairs, and of elements.
  uint64_t map() { return count(0x80, 0xde); }
  uint64_t list() { return count(0x90, 0xdc); }
  std::string_view word() {
    const uint8_t kind = byte();
    const uint64_t size = kind >> 5 == 5 ? kind & 0x1f
                          : kind == 0xd9 ? number(1)
                          : kind == 0xda ? number(2)
                          : kind == 0xdb ? number(4)
                                         : wrong();
    return take(size);
  }
  uint64_t unsignedNumber() {
    const uint8_t kind = byte();
    if (kind < 0x80) {
      return kind;
    }
    return kind >= 0xcc && kind <= 0xcf ? number(1u << (kind - 0xcc)) : wrong();
  }
  void skip(unsigned depth = 0);

private:
  [[noreturn]] static uint64_t wrong() {
    damaged("its metadata is not what such files have");
  }
  std::string_view take(uint64_t size) {
    if (size > left.size()) {
      damaged("its metadata ends too early");
    }
    const std::string_view taken = left.substr(0, size);
    left.remove_prefix(size);
    return taken;
  }
  uint8_t byte() { return uint8_t(take(1)[0]); }
  uint64_t number(unsigned bytes) {
    uint64_t value = 0;
    for (char digit : take(bytes)) {
      value = value << 8 | uint8_t(digit);
    }
    return value;
  }
  /// `shorter`: the byte with 4 bits of count; `longer` the one before 2 bytes.
  uint64_t count(uint8_t shorter, uint8_t longer) {
    const uint8_t kind = byte();
    return (kind & 0xf0) == shorter ? kind & 0xf
           : kind == longer         ? number(2)
           : kind == longer + 1     ? number(4)
                                    : wrong();
  }

  std::string_view left;
};

void Values::skip(unsigned depth) {
  const uint8_t kind = left.empty() ? uint8_t(wrong()) : uint8_t(left[0]);
  const bool isMap = (kind & 0xf0) == 0x80 || kind == 0xde || kind == 0xdf;
  const bool isList = (kind & 0xf0) == 0x90 || kind == 0xdc || kind == 0xdd;
  if (isMap || isList) {
    if (depth == DeepestNesting) {
      damaged("its metadata is nested too deeply");
    }
    for (uint64_t n = isMap ? map() * 2 : list(); n > 0; --n) {
      skip(depth + 1);
    }
  } else if (kind >> 5 == 5 || (kind >= 0xd9 && kind <= 0xdb)) {
    (void)word();
  } else if (kind == 0xc0 || kind == 0xc2 || kind == 0xc3 || kind >= 0xe0) {
    (void)byte(); // nothing, false, true, a small negative number
  } else if (kind >= 0xd0 && kind <= 0xd3) {
    (void)byte();
    (void)number(1u << (kind - 0xd0));
  } else {
    (void)unsignedNumber();
  }
}

void readArgument(Values &values, KernelFacts &kernel) {
  uint64_t offset = 0, bytes = 0;
  bool isHidden = false;
  for (uint64_t pairs = values.map(); pairs > 0; --pairs) {
    const std::string_view key = values.word();
    if (key == ".offset") {
      offset = values.unsignedNumber();
    } else if (key == ".size") {
      bytes = values.unsignedNumber();
    } else if (key == ".value_kind") {
      isHidden = values.word().starts_with("hidden_");
    } else {
      values.skip();
    }
  }
  // The segment of a kernel is far below this.
  if (offset > 1u << 20 || bytes > 1u << 20) {
    damaged("an argument of a kernel lies at byte " + std::to_string(offset));
  }
  if (!isHidden) {
    kernel.offsets.push_back(uint32_t(offset));
    kernel.argBytes = std::max(kernel.argBytes, offset + bytes);
  }
}

void readKernel(Values &values, CodeObject &out) {
  std::string name;
  KernelFacts kernel;
  for (uint64_t pairs = values.map(); pairs > 0; --pairs) {
    const std::string_view key = values.word();
    if (key == ".name") {
      name = values.word();
    } else if (key == ".group_segment_fixed_size") {
      kernel.sharedBytes = values.unsignedNumber();
    } else if (key == ".max_flat_workgroup_size") {
      kernel.maxThreads = uint32_t(values.unsignedNumber());
    } else if (key == ".reqd_workgroup_size") {
      for (uint64_t n = values.list(), i = 0; i < n; ++i) {
        const auto extent = uint32_t(values.unsignedNumber());
        if (i < 3) {
          kernel.requiredBlock[i] = extent;
        }
      }
    } else if (key == ".args") {
      for (uint64_t n = values.list(); n > 0; --n) {
        readArgument(values, kernel);
      }
    } else {
      values.skip();
    }
  }
  out.kernels[name] = std::move(kernel);
}

void readMetadata(std::string_view note, CodeObject &out) {
  Values values(note);
  for (uint64_t pairs = values.map(); pairs > 0; --pairs) {
    if (values.word() != "amdhsa.kernels") {
      values.skip();
      continue;
    }
    for (uint64_t n = values.list(); n > 0; --n) {
      readKernel(values, out);
    }
  }
}

/// Notes stand one behind the other, names and texts padded to four bytes.
void readNotes(std::string_view notes, CodeObject &out) {
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    const auto header = read<Elf64_Nhdr>(notes, 0, "a note");
    const uint64_t nameAt = sizeof(header);
    const uint64_t textAt = nameAt + ((uint64_t{header.n_namesz} + 3) & ~3ull);
    const std::string_view text =
        slice(notes, textAt, header.n_descsz, "a note");
    if (header.n_type == NoteMetadata &&
        notes.substr(nameAt).starts_with("AMDGPU")) {
      readMetadata(text, out);
    }
    const uint64_t end = textAt + ((uint64_t{header.n_descsz} + 3) & ~3ull);
    notes.remove_prefix(std::min<uint64_t>(end, notes.size()));
  }
}

std::string processorOf(uint32_t flags) {
  for (const auto &one : Processors) {
    if (one.number == (flags & ProcessorMask)) {
      return std::string(one.name);
    }
  }
  return "processor " + std::to_string(flags & ProcessorMask);
}

} // namespace

bool isKnownProcessor(std::string_view processor) {
  return std::any_of(std::begin(Processors), std::end(Processors),
                     [&](const auto &one) { return one.name == processor; });
}

CodeObject readCodeObject(std::string_view file) {
  if (!file.starts_with(ELFMAG)) {
    damaged("it does not begin as an ELF file");
  }
  const auto header = read<Elf64_Ehdr>(file, 0, "its header");
  if (header.e_machine != MachineAmdgpu ||
      header.e_ident[EI_OSABI] != OsAbiHsa || header.e_type != ET_DYN) {
    damaged("it is no linked code object of the HSA ABI");
  }
  CodeObject out;
  out.processor = processorOf(header.e_flags);
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(
        file, header.e_phoff + i * sizeof(Elf64_Phdr), "a program header");
    if (segment.p_type == PT_NOTE) {
      readNotes(slice(file, segment.p_offset, segment.p_filesz, "its notes"),
                out);
    } else {
      (void)slice(file, segment.p_offset, segment.p_filesz, "a segment");
    }
  }
  return out;
}

} // namespace tz::amd
