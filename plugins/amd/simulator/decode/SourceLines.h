//===- SourceLines.h - source lines of machine code -----------------------===//
//
// What   The place in a source file that an address of a code object is of.
// Why    A finding names the author's line where the code object has lines.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_SOURCELINES_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_SOURCELINES_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tz::amd::sim {

class SourceLines {
public:
  /// The bytes must outlive it. Without DWARF, or with a damaged one, no place
  /// is known.
  explicit SourceLines(std::span<const uint8_t> file);
  ~SourceLines();

  /// "kernel.py:12:5" of an address before loading, the innermost one of
  /// inlined calls; empty: not known.
  std::string at(uint64_t address) const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace tz::amd::sim

#endif
