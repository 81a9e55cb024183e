//===- ElfObject.h - Loads a relocatable object into memory ---------------===//
//
// What   Checks an x86-64 ELF relocatable object, places its sections, applies
//        its relocations and makes the code executable.
// Why    An artifact is plain bytes that may come from a cache or a bundle on
//        disk: a linker of our own can bound every offset, needs no LLVM and no
//        temporary file, and refuses what a kernel has no business to contain.
//
// Invariants
//   1. No byte outside the given span is read, whatever the bytes are.
//   2. No page is ever writable and executable at the same time.
//   3. Undefined symbols resolve to memcpy, memmove and memset and nothing
//      else.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_ELFOBJECT_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_ELFOBJECT_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tz::cpu {

/// A defined symbol of a loaded object.
struct ObjectSymbol {
  const std::byte *address = nullptr;
  uint64_t size = 0;      ///< as the symbol table says, cut to `available`
  uint64_t available = 0; ///< bytes from the address to the section's end
  bool code = false;
};

class ElfObject {
public:
  /// Returns null and sets `error` to one line if the object is refused.
  static std::unique_ptr<ElfObject> load(std::span<const std::byte> bytes,
                                         std::string &error);
  ~ElfObject();
  ElfObject(const ElfObject &) = delete;
  ElfObject &operator=(const ElfObject &) = delete;

  /// A global symbol, or null.
  const ObjectSymbol *find(std::string_view name) const;
  /// All functions, those that are private to the object too.
  const std::vector<std::pair<std::string, ObjectSymbol>> &functions() const {
    return code;
  }
  /// Where the instructions of all its functions lie.
  std::span<const std::byte> codeBytes() const { return instructions; }
  /// A copy of the input whose section headers and debug sections hold the load
  /// addresses: what debuggers want to see.
  const std::vector<std::byte> &debugImage() const { return image; }

private:
  friend class ObjectLoader;
  ElfObject() = default;

  void *mapping = nullptr;
  size_t mappingSize = 0;
  std::unordered_map<std::string, ObjectSymbol> globals;
  std::vector<std::pair<std::string, ObjectSymbol>> code;
  std::vector<std::byte> image;
  std::span<const std::byte> instructions;
};

} // namespace tz::cpu

#endif
