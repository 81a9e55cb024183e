//===- ElfObject.cpp - Loads a relocatable object into memory -------------===//
//
// What   The loader declared in ElfObject.h: parse, place, copy, relocate,
//        protect. Each step is a member function that fails with one line.
// Why    Kept apart from modules and kernels so that it can be tested with any
//        object a C compiler makes, and with broken ones.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ElfObject.h"

#include <bit>
#include <cstring>
#include <elf.h>
#include <limits>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>

namespace tz::cpu {

namespace {

constexpr uint64_t kMaxLoadedBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxSectionAlign = 4096;
/// jmp *slot(%rip), padded to eight bytes.
constexpr uint64_t kStubBytes = 8;

struct External {
  std::string_view name;
  const void *address;
};

/// The whole world of a kernel. Loads through volatile pointers are not needed:
/// the addresses are those of the C library that this plugin is linked with.
std::span<const External> externals() {
  static const External table[] = {
      {"memcpy", reinterpret_cast<const void *>(&std::memcpy)},
      {"memmove", reinterpret_cast<const void *>(&std::memmove)},
      {"memset", reinterpret_cast<const void *>(&std::memset)},
  };
  return table;
}

uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) & ~(align - 1);
}

std::string machineName(unsigned machine) {
  switch (machine) {
  case EM_AARCH64:
    return "aarch64";
  case EM_386:
    return "i386";
  case EM_RISCV:
    return "riscv";
  default:
    return "machine " + std::to_string(machine);
  }
}

} // namespace

class ObjectLoader {
public:
  explicit ObjectLoader(std::span<const std::byte> bytes) : bytes(bytes) {}

  std::unique_ptr<ElfObject> run(std::string &error) {
    std::unique_ptr<ElfObject> object(new ElfObject());
    if (parseHeader() && parseSections() && parseSymbols() &&
        checkRelocations() && place() && map(*object) && relocate() &&
        protect() && publish(*object)) {
      return object;
    }
    error = std::move(message);
    return nullptr;
  }

private:
  enum Segment : unsigned { Code, ReadOnly, Writable, NumSegments, None };

  struct Section {
    Elf64_Shdr header;
    std::string name;
    Segment segment = None;
    uint64_t offset = 0; ///< from the start of the mapping, once placed
    bool allocated() const { return segment != None; }
  };

  struct Symbol {
    Elf64_Sym entry;
    std::string_view name;
    const void *external = nullptr; ///< of an undefined symbol
    int64_t stub = -1;              ///< number of its jump
    int64_t gotSlot = -1;
  };

  bool fail(std::string text) {
    message = std::move(text);
    return false;
  }

  /// Copies a T from `offset`: the bytes need not be aligned.
  template <typename T>
  bool read(uint64_t offset, T &out) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) {
      return false;
    }
    std::memcpy(&out, bytes.data() + offset, sizeof(T));
    return true;
  }

  bool inFile(const Elf64_Shdr &section) const {
    return section.sh_offset <= bytes.size() &&
           section.sh_size <= bytes.size() - section.sh_offset;
  }

  /// The string at `index` of a string table section, if it ends inside it.
  std::optional<std::string_view> string(const Elf64_Shdr &table,
                                         uint64_t index) const {
    if (!inFile(table) || index >= table.sh_size) {
      return std::nullopt;
    }
    const char *start =
        reinterpret_cast<const char *>(bytes.data()) + table.sh_offset + index;
    const void *end = std::memchr(start, 0, table.sh_size - index);
    if (!end) {
      return std::nullopt;
    }
    return std::string_view(
        start, static_cast<size_t>(static_cast<const char *>(end) - start));
  }

  bool parseHeader();
  bool parseSections();
  bool classify(Section &section);
  bool parseSymbols();
  bool resolve(Symbol &symbol);
  bool checkRelocations();
  bool place();
  bool map(ElfObject &object);
  bool relocate();
  bool relocateSection(const Section &relocations);
  bool apply(const Section &target, const Elf64_Rela &rela);
  bool protect();
  bool publish(ElfObject &object);

  uint64_t addressOf(uint64_t offset) const {
    return reinterpret_cast<uint64_t>(base) + offset;
  }
  uint64_t stubAt(const Symbol &symbol) const {
    return stubOffset + static_cast<uint64_t>(symbol.stub) * kStubBytes;
  }
  bool symbolAddress(const Symbol &symbol, uint64_t &out) const;
  bool store(uint64_t place, int64_t value, unsigned width, bool isSigned,
             const Symbol &symbol);

  std::span<const std::byte> bytes;
  std::string message;
  Elf64_Ehdr header{};
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  size_t symbolTable = 0; ///< section index, 0 = none
  uint64_t numGotSlots = 0, numStubs = 0;
  uint64_t gotOffset = 0, stubOffset = 0;
  uint64_t segmentStart[NumSegments + 1] = {};
  std::byte *base = nullptr;
};

bool ObjectLoader::parseHeader() {
  if (!read(0, header)) {
    return fail("object is truncated: " + std::to_string(bytes.size()) +
                " bytes are less than an ELF header");
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return fail("not an ELF object: wrong magic number");
  }
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return fail("not a 64-bit little-endian ELF object");
  }
  if (header.e_type != ET_REL) {
    return fail("not a relocatable ELF object (type " +
                std::to_string(header.e_type) + ")");
  }
  if (header.e_machine != EM_X86_64) {
    return fail("object is for " + machineName(header.e_machine) +
                "; this loader links x86_64 only");
  }
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) {
    return fail("ELF object has no usable section table");
  }
  if (header.e_shoff > bytes.size() ||
      uint64_t{header.e_shnum} * sizeof(Elf64_Shdr) >
          bytes.size() - header.e_shoff) {
    return fail("object is truncated: its section table ends outside");
  }
  if (header.e_shstrndx >= header.e_shnum) {
    return fail("ELF object names no section string table");
  }
  return true;
}

bool ObjectLoader::parseSections() {
  sections.resize(header.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i) {
    if (!read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i].header)) {
      return fail("object is truncated in its section table");
    }
  }
  const Elf64_Shdr names = sections[header.e_shstrndx].header;
  for (size_t i = 1; i < sections.size(); ++i) {
    auto name = string(names, sections[i].header.sh_name);
    if (!name) {
      return fail("section " + std::to_string(i) + " has no valid name");
    }
    sections[i].name = *name;
    if (!classify(sections[i])) {
      return false;
    }
    if (sections[i].header.sh_type == SHT_SYMTAB) {
      if (symbolTable != 0) {
        return fail("ELF object has two symbol tables");
      }
      symbolTable = i;
    }
  }
  return true;
}

bool ObjectLoader::classify(Section &section) {
  const Elf64_Shdr &h = section.header;
  if (h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL && !inFile(h)) {
    return fail("object is truncated: section '" + section.name +
                "' ends outside");
  }
  if (h.sh_type == SHT_INIT_ARRAY || h.sh_type == SHT_FINI_ARRAY ||
      h.sh_type == SHT_PREINIT_ARRAY) {
    return fail("section '" + section.name +
                "' holds constructors, which a kernel may not have");
  }
  if (h.sh_type == SHT_REL) {
    return fail("section '" + section.name +
                "' has relocations without addends");
  }
  if (!(h.sh_flags & SHF_ALLOC)) {
    return true;
  }
  if (h.sh_flags & SHF_TLS) {
    return fail("section '" + section.name +
                "' is thread-local, which a kernel may not have");
  }
  if (h.sh_type != SHT_PROGBITS && h.sh_type != SHT_NOBITS &&
      h.sh_type != SHT_X86_64_UNWIND && h.sh_type != SHT_NOTE) {
    return fail("section '" + section.name + "' is of unknown type " +
                std::to_string(h.sh_type));
  }
  if (h.sh_addralign > kMaxSectionAlign ||
      (h.sh_addralign != 0 && !std::has_single_bit(h.sh_addralign))) {
    return fail("section '" + section.name + "' has a bad alignment");
  }
  if (h.sh_size > kMaxLoadedBytes) {
    return fail("section '" + section.name + "' is too large");
  }
  bool writable = h.sh_flags & SHF_WRITE, code = h.sh_flags & SHF_EXECINSTR;
  if (writable && code) {
    return fail("section '" + section.name +
                "' is writable and executable at once");
  }
  section.segment = code ? Code : writable ? Writable : ReadOnly;
  return true;
}

bool ObjectLoader::parseSymbols() {
  if (symbolTable == 0) {
    return fail("ELF object has no symbol table");
  }
  const Elf64_Shdr &h = sections[symbolTable].header;
  if (h.sh_entsize != sizeof(Elf64_Sym) || h.sh_link >= sections.size()) {
    return fail("ELF object has a malformed symbol table");
  }
  const Elf64_Shdr &names = sections[h.sh_link].header;
  symbols.resize(h.sh_size / sizeof(Elf64_Sym));
  for (size_t i = 1; i < symbols.size(); ++i) {
    Symbol &symbol = symbols[i];
    if (!read(h.sh_offset + i * sizeof(Elf64_Sym), symbol.entry)) {
      return fail("object is truncated in its symbol table");
    }
    auto name = string(names, symbol.entry.st_name);
    if (!name) {
      return fail("symbol " + std::to_string(i) + " has no valid name");
    }
    symbol.name = *name;
    if (!resolve(symbol)) {
      return false;
    }
  }
  return true;
}

bool ObjectLoader::resolve(Symbol &symbol) {
  const Elf64_Sym &entry = symbol.entry;
  std::string quoted = "'" + std::string(symbol.name) + "'";
  switch (ELF64_ST_TYPE(entry.st_info)) {
  case STT_TLS:
  case STT_GNU_IFUNC:
    return fail("symbol " + quoted + " is of a kind a kernel may not have");
  default:
    break;
  }
  if (entry.st_shndx == SHN_ABS) {
    return true;
  }
  if (entry.st_shndx == SHN_UNDEF) {
    for (const External &external : externals()) {
      if (external.name == symbol.name) {
        symbol.external = external.address;
        return true;
      }
    }
    return fail("undefined symbol " + quoted +
                ": a kernel may call memcpy, memmove and memset only");
  }
  if (entry.st_shndx >= SHN_LORESERVE || entry.st_shndx >= sections.size()) {
    return fail("symbol " + quoted + " lies in no section");
  }
  const Section &section = sections[entry.st_shndx];
  if (section.allocated() && entry.st_value > section.header.sh_size) {
    return fail("symbol " + quoted + " lies outside its section");
  }
  return true;
}

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
      at += numStubs * kStubBytes;
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
      if (at > kMaxLoadedBytes) {
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
  for (const Symbol &symbol : symbols) {
    const Elf64_Sym &entry = symbol.entry;
    if (ELF64_ST_BIND(entry.st_info) == STB_LOCAL ||
        entry.st_shndx == SHN_UNDEF || entry.st_shndx >= sections.size() ||
        !sections[entry.st_shndx].allocated()) {
      continue;
    }
    const Section &section = sections[entry.st_shndx];
    ObjectSymbol result;
    result.address = base + section.offset + entry.st_value;
    result.available = section.header.sh_size - entry.st_value;
    result.size = std::min<uint64_t>(entry.st_size, result.available);
    result.code = section.segment == Code;
    if (!object.globals.emplace(std::string(symbol.name), result).second) {
      return fail("symbol '" + std::string(symbol.name) + "' is defined twice");
    }
  }
  object.image.assign(bytes.begin(), bytes.end());
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].allocated()) {
      uint64_t address = addressOf(sections[i].offset);
      std::memcpy(object.image.data() + header.e_shoff +
                      i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr),
                  &address, sizeof address);
    }
  }
  return true;
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
