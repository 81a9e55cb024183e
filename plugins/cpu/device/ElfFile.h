//===- ElfFile.h - A relocatable object, parsed and checked ---------------===//
//
// What   Header, sections and symbols of an x86-64 ELF relocatable object.
// Why    The loader places and relocates what was read here, and the reader of
//        line tables looks into the same sections; every offset is checked
//        against the bytes once.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_ELFFILE_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_ELFFILE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tz::cpu {

constexpr uint64_t MaxLoadedBytes = uint64_t{1} << 30;

struct ElfSection {
  /// Which protection its pages have; None is not in memory at all.
  enum Segment : unsigned { Code, ReadOnly, Writable, NumSegments, None };

  Elf64_Shdr header;
  std::string name;
  Segment segment = None;
  uint64_t offset = 0; ///< from the start of the mapping, once placed
  bool allocated() const { return segment != None; }
};

struct ElfSymbol {
  Elf64_Sym entry;
  std::string_view name;
  const void *external = nullptr; ///< of an undefined symbol
  int64_t stub = -1;              ///< number of its jump
  int64_t gotSlot = -1;
};

class ElfFile {
public:
  /// The bytes must stay alive.
  explicit ElfFile(std::span<const std::byte> bytes) : bytes(bytes) {}
  /// False sets `message`.
  bool parse();

  /// Null if there is none of that name; the first if there are several.
  const ElfSection *findSection(std::string_view name) const;
  std::span<const std::byte> contents(const ElfSection &section) const;

  /// Copies a T from `offset`: the bytes need not be aligned.
  template <typename T>
  bool read(uint64_t offset, T &out) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) {
      return false;
    }
    std::memcpy(&out, bytes.data() + offset, sizeof(T));
    return true;
  }

  const std::span<const std::byte> bytes;
  std::string message;
  Elf64_Ehdr header{};
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
  size_t symbolTable = 0; ///< section index, 0 = none

protected:
  bool fail(std::string text) {
    message = std::move(text);
    return false;
  }

private:
  bool inFile(const Elf64_Shdr &section) const {
    return section.sh_offset <= bytes.size() &&
           section.sh_size <= bytes.size() - section.sh_offset;
  }
  /// The string at `index` of a string table section, if it ends inside it.
  std::optional<std::string_view> string(const Elf64_Shdr &table,
                                         uint64_t index) const;
  bool parseHeader();
  bool parseSections();
  bool classify(ElfSection &section);
  bool parseSymbols();
  bool resolve(ElfSymbol &symbol);
};

} // namespace tz::cpu

#endif
