//===- ElfObject.cpp - Loads a relocatable object into memory -------------===//
//
// What   The loader declared in ElfObject.h: place, copy, relocate, protect
//        what ElfFile.h parsed. Each step is a member function that fails with
//        one line.
// Why    Kept apart from modules and kernels so that it can be tested with any
//        object a C compiler makes, and with broken ones.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ElfObject.h"

#include "plugins/cpu/device/ElfFile.h"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace tz::cpu {

namespace {

/// jmp *slot(%rip), padded to eight bytes.
constexpr uint64_t StubBytes = 8;

uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

} // namespace

class ObjectLoader : private ElfFile {
public:
  using ElfFile::ElfFile;

  std::unique_ptr<ElfObject> run(std::string &error) {
    std::unique_ptr<ElfObject> object(new ElfObject());
    if (parse() && checkRelocations() && place() && map(*object) &&
        relocate() && protect() && publish(*object)) {
      return object;
    }
    error = std::move(message);
    return nullptr;
  }

private:
  using Section = ElfSection;
  using Symbol = ElfSymbol;
  using enum ElfSection::Segment;

  bool checkRelocations();
  bool place();
  bool map(ElfObject &object);
  bool relocate();
  bool relocateSection(const Section &relocations);
  bool apply(const Section &target, const Elf64_Rela &rela);
  bool protect();
  bool publish(ElfObject &object);
  void makeDebugImage(std::vector<std::byte> &image) const;
  void relocateDebug(const Section &relocations, const Section &target,
                     std::vector<std::byte> &image) const;

  uint64_t addressOf(uint64_t offset) const {
    return reinterpret_cast<uint64_t>(base) + offset;
  }
  uint64_t stubAt(const Symbol &symbol) const {
    return stubOffset + static_cast<uint64_t>(symbol.stub) * StubBytes;
  }
  bool symbolAddress(const Symbol &symbol, uint64_t &out) const;
  bool store(uint64_t place, int64_t value, unsigned width, bool isSigned,
             const Symbol &symbol);

  uint64_t numGotSlots = 0, numStubs = 0;
  uint64_t gotOffset = 0, stubOffset = 0;
  uint64_t segmentStart[NumSegments + 1] = {};
  std::byte *base = nullptr;
};

/// Checks what can be checked before memory is mapped, and counts the slots
/// and stubs that are needed.
bool ObjectLoader::checkRelocations() {
  for (const Section &section : sections) {
    if (section.header.sh_type != SHT_RELA ||
        section.header.sh_info >= sections.size() ||
        !sections[section.header.sh_info].allocated()) {
      continue;
    }
    const Section &target = sections[section.header.sh_info];
    if (section.header.sh_entsize != sizeof(Elf64_Rela) ||
        section.header.sh_link != symbolTable ||
        target.header.sh_type == SHT_NOBITS) {
      return fail("relocation section '" + section.name + "' is malformed");
    }
    uint64_t count = section.header.sh_size / sizeof(Elf64_Rela);
    for (uint64_t i = 0; i < count; ++i) {
      Elf64_Rela rela;
      if (!read(section.header.sh_offset + i * sizeof rela, rela)) {
        return fail("object is truncated in '" + section.name + "'");
      }
      if (ELF64_R_SYM(rela.r_info) >= symbols.size()) {
        return fail("a relocation in '" + section.name +
                    "' names no symbol of the table");
      }
      Symbol &symbol = symbols[ELF64_R_SYM(rela.r_info)];
      switch (ELF64_R_TYPE(rela.r_info)) {
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        if (symbol.gotSlot < 0) {
          symbol.gotSlot = static_cast<int64_t>(numGotSlots++);
        }
        break;
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
        // The C library may be out of reach of 32 bits: jump through a slot.
        if (symbol.external && symbol.stub < 0) {
          symbol.stub = static_cast<int64_t>(numStubs++);
          if (symbol.gotSlot < 0) {
            symbol.gotSlot = static_cast<int64_t>(numGotSlots++);
          }
        }
        break;
      default:
        break;
      }
    }
  }
  return true;
}

bool ObjectLoader::place() {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t at = 0;
  for (unsigned segment = 0; segment < NumSegments; ++segment) {
    at = alignTo(at, page);
    segmentStart[segment] = at;
    if (segment == Code) {
      stubOffset = at;
      at += numStubs * StubBytes;
    } else if (segment == ReadOnly) {
      gotOffset = at;
      at += numGotSlots * 8;
    }
    for (Section &section : sections) {
      if (section.segment != segment) {
        continue;
      }
      at = alignTo(at, std::max<uint64_t>(section.header.sh_addralign, 1));
      section.offset = at;
      at += section.header.sh_size;
      if (at > MaxLoadedBytes) {
        return fail("object needs more than 1 GiB of memory");
      }
    }
  }
  segmentStart[NumSegments] = alignTo(std::max<uint64_t>(at, 1), page);
  return true;
}

bool ObjectLoader::map(ElfObject &object) {
  size_t size = segmentStart[NumSegments];
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail("no memory for an object of " + std::to_string(size) +
                " bytes");
  }
  object.mapping = memory;
  object.mappingSize = size;
  base = static_cast<std::byte *>(memory);
  for (const Section &section : sections) {
    if (section.allocated() && section.header.sh_type != SHT_NOBITS) {
      std::memcpy(base + section.offset,
                  bytes.data() + section.header.sh_offset,
                  section.header.sh_size);
    }
  }
  return true;
}

/// False if the symbol is not in memory at all (it lies in a debug section).
bool ObjectLoader::symbolAddress(const Symbol &symbol, uint64_t &out) const {
  if (symbol.external) {
    out = reinterpret_cast<uint64_t>(symbol.external);
    return true;
  }
  if (symbol.entry.st_shndx == SHN_ABS) {
    out = symbol.entry.st_value;
    return true;
  }
  if (symbol.entry.st_shndx == SHN_UNDEF) {
    return false; // symbol 0, which relocations of "no symbol" name
  }
  const Section &section = sections[symbol.entry.st_shndx];
  if (!section.allocated()) {
    return false;
  }
  out = addressOf(section.offset + symbol.entry.st_value);
  return true;
}

bool ObjectLoader::relocate() {
  for (Symbol &symbol : symbols) {
    uint64_t address = 0;
    if (symbol.gotSlot >= 0) {
      if (!symbolAddress(symbol, address)) {
        return fail("symbol '" + std::string(symbol.name) +
                    "' has no address at run time");
      }
      uint64_t slot = gotOffset + static_cast<uint64_t>(symbol.gotSlot) * 8;
      std::memcpy(base + slot, &address, 8);
    }
    if (symbol.stub >= 0) {
      uint64_t stub = stubAt(symbol);
      uint64_t slot = gotOffset + static_cast<uint64_t>(symbol.gotSlot) * 8;
      auto distance = static_cast<int32_t>(slot - (stub + 6));
      const unsigned char jump[2] = {0xff, 0x25};
      std::memcpy(base + stub, jump, 2);
      std::memcpy(base + stub + 2, &distance, 4);
      std::memset(base + stub + 6, 0xcc, 2);
    }
  }
  for (const Section &section : sections) {
    if (section.header.sh_type == SHT_RELA &&
        section.header.sh_info < sections.size() &&
        sections[section.header.sh_info].allocated() &&
        !relocateSection(section)) {
      return false;
    }
  }
  return true;
}

bool ObjectLoader::relocateSection(const Section &relocations) {
  const Section &target = sections[relocations.header.sh_info];
  uint64_t count = relocations.header.sh_size / sizeof(Elf64_Rela);
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Rela rela;
    if (!read(relocations.header.sh_offset + i * sizeof rela, rela)) {
      return fail("object is truncated in '" + relocations.name + "'");
    }
    if (!apply(target, rela)) {
      return false;
    }
  }
  return true;
}

bool ObjectLoader::store(uint64_t place, int64_t value, unsigned width,
                         bool isSigned, const Symbol &symbol) {
  if (width == 4) {
    bool fits =
        isSigned ? value == static_cast<int32_t>(value)
                 : value == static_cast<int64_t>(static_cast<uint32_t>(value));
    if (!fits) {
      return fail("relocation to '" + std::string(symbol.name) +
                  "' does not reach: compile as position independent code");
    }
  }
  std::memcpy(base + place, &value, width);
  return true;
}

bool ObjectLoader::apply(const Section &target, const Elf64_Rela &rela) {
  auto type = static_cast<uint32_t>(ELF64_R_TYPE(rela.r_info));
  if (type == R_X86_64_NONE) {
    return true;
  }
  const unsigned width = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
  if (rela.r_offset > target.header.sh_size ||
      width > target.header.sh_size - rela.r_offset) {
    return fail("a relocation lies outside section '" + target.name + "'");
  }
  const Symbol &symbol = symbols[ELF64_R_SYM(rela.r_info)];
  uint64_t place = target.offset + rela.r_offset;
  uint64_t at = addressOf(place);
  uint64_t value = 0;
  if (!symbolAddress(symbol, value)) {
    return fail("symbol '" + std::string(symbol.name) +
                "' has no address at run time");
  }
  auto addend = static_cast<uint64_t>(rela.r_addend);
  auto stored = [&](uint64_t bits, bool isSigned) {
    return store(place, static_cast<int64_t>(bits), width, isSigned, symbol);
  };
  switch (type) {
  case R_X86_64_64:
    return stored(value + addend, true);
  case R_X86_64_PC64:
    return stored(value + addend - at, true);
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    if (symbol.stub >= 0) {
      value = addressOf(stubAt(symbol));
    }
    return stored(value + addend - at, true);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    value = addressOf(gotOffset + static_cast<uint64_t>(symbol.gotSlot) * 8);
    return stored(value + addend - at, true);
  case R_X86_64_32:
    return stored(value + addend, false);
  case R_X86_64_32S:
    return stored(value + addend, true);
  default:
    return fail("relocation type " + std::to_string(type) + " in section '" +
                target.name + "' is not supported");
  }
}

bool ObjectLoader::protect() {
  const int protections[NumSegments] = {PROT_READ | PROT_EXEC, PROT_READ,
                                        PROT_READ | PROT_WRITE};
  for (unsigned segment = 0; segment < NumSegments; ++segment) {
    uint64_t start = segmentStart[segment], end = segmentStart[segment + 1];
    if (start != end &&
        mprotect(base + start, end - start, protections[segment]) != 0) {
      return fail("the system refuses to make loaded code executable");
    }
  }
  return true;
}

bool ObjectLoader::publish(ElfObject &object) {
  object.instructions = {base + segmentStart[Code],
                         segmentStart[Code + 1] - segmentStart[Code]};
  for (const Symbol &symbol : symbols) {
    const Elf64_Sym &entry = symbol.entry;
    if (entry.st_shndx == SHN_UNDEF || entry.st_shndx >= sections.size() ||
        !sections[entry.st_shndx].allocated()) {
      continue;
    }
    const Section &section = sections[entry.st_shndx];
    ObjectSymbol result;
    result.address = base + section.offset + entry.st_value;
    result.available = section.header.sh_size - entry.st_value;
    result.size = std::min<uint64_t>(entry.st_size, result.available);
    result.code = section.segment == Code;
    if (result.size != 0 && ELF64_ST_TYPE(entry.st_info) == STT_FUNC) {
      object.code.push_back({std::string(symbol.name), result});
    }
    if (ELF64_ST_BIND(entry.st_info) != STB_LOCAL &&
        !object.globals.emplace(std::string(symbol.name), result).second) {
      return fail("symbol '" + std::string(symbol.name) + "' is defined twice");
    }
  }
  makeDebugImage(object.image);
  return true;
}

void ObjectLoader::makeDebugImage(std::vector<std::byte> &image) const {
  image.assign(bytes.begin(), bytes.end());
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].allocated()) {
      uint64_t address = addressOf(sections[i].offset);
      std::memcpy(image.data() + header.e_shoff + i * sizeof(Elf64_Shdr) +
                      offsetof(Elf64_Shdr, sh_addr),
                  &address, sizeof address);
    }
  }
  for (const Section &section : sections) {
    if (section.header.sh_type == SHT_RELA &&
        section.header.sh_entsize == sizeof(Elf64_Rela) &&
        section.header.sh_link == symbolTable &&
        section.header.sh_info < sections.size()) {
      const Section &target = sections[section.header.sh_info];
      if (!target.allocated() && target.name.starts_with(".debug_")) {
        relocateDebug(section, target, image);
      }
    }
  }
}

/// Debug information that is broken does not keep a kernel from running: what
/// does not fit is left as it is, and readers check what they read.
void ObjectLoader::relocateDebug(const Section &relocations,
                                 const Section &target,
                                 std::vector<std::byte> &image) const {
  const std::span<const std::byte> old = contents(target);
  uint64_t count = relocations.header.sh_size / sizeof(Elf64_Rela);
  for (uint64_t i = 0; i < count; ++i) {
    Elf64_Rela rela;
    if (!read(relocations.header.sh_offset + i * sizeof rela, rela) ||
        ELF64_R_SYM(rela.r_info) >= symbols.size()) {
      return;
    }
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(rela.r_info));
    const size_t width = type == R_X86_64_64 ? 8 : 4;
    if ((type != R_X86_64_64 && type != R_X86_64_32) ||
        rela.r_offset > old.size() || width > old.size() - rela.r_offset) {
      continue;
    }
    const Symbol &symbol = symbols[ELF64_R_SYM(rela.r_info)];
    uint64_t value = symbol.entry.st_value; // within another debug section
    symbolAddress(symbol, value);
    value += static_cast<uint64_t>(rela.r_addend);
    std::memcpy(image.data() + target.header.sh_offset + rela.r_offset, &value,
                width);
  }
}

std::unique_ptr<ElfObject> ElfObject::load(std::span<const std::byte> bytes,
                                           std::string &error) {
  return ObjectLoader(bytes).run(error);
}

ElfObject::~ElfObject() {
  if (mapping) {
    munmap(mapping, mappingSize);
  }
}

const ObjectSymbol *ElfObject::find(std::string_view name) const {
  auto it = globals.find(std::string(name));
  return it == globals.end() ? nullptr : &it->second;
}

} // namespace tz::cpu
