//===- ElfFile.cpp - Parses a relocatable object --------------------------===//
//
// What   See ElfFile.h.
// Why    See ElfFile.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/ElfFile.h"

#include <bit>

namespace tz::cpu {

namespace {

constexpr uint64_t MaxSectionAlign = 4096;

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

bool ElfFile::parse() {
  return parseHeader() && parseSections() && parseSymbols();
}

std::optional<std::string_view> ElfFile::string(const Elf64_Shdr &table,
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

bool ElfFile::parseHeader() {
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

bool ElfFile::parseSections() {
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

bool ElfFile::classify(ElfSection &section) {
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
  if (h.sh_addralign > MaxSectionAlign ||
      (h.sh_addralign != 0 && !std::has_single_bit(h.sh_addralign))) {
    return fail("section '" + section.name + "' has a bad alignment");
  }
  if (h.sh_size > MaxLoadedBytes) {
    return fail("section '" + section.name + "' is too large");
  }
  bool writable = h.sh_flags & SHF_WRITE, code = h.sh_flags & SHF_EXECINSTR;
  if (writable && code) {
    return fail("section '" + section.name +
                "' is writable and executable at once");
  }
  section.segment = code       ? ElfSection::Code
                    : writable ? ElfSection::Writable
                               : ElfSection::ReadOnly;
  return true;
}

bool ElfFile::parseSymbols() {
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
    ElfSymbol &symbol = symbols[i];
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

bool ElfFile::resolve(ElfSymbol &symbol) {
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
  const ElfSection &section = sections[entry.st_shndx];
  if (section.allocated() && entry.st_value > section.header.sh_size) {
    return fail("symbol " + quoted + " lies outside its section");
  }
  return true;
}

const ElfSection *ElfFile::findSection(std::string_view name) const {
  for (const ElfSection &section : sections) {
    if (section.name == name) {
      return &section;
    }
  }
  return nullptr;
}

std::span<const std::byte> ElfFile::contents(const ElfSection &section) const {
  const Elf64_Shdr &h = section.header;
  return h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL
             ? std::span<const std::byte>()
             : bytes.subspan(h.sh_offset, h.sh_size);
}

} // namespace tz::cpu
