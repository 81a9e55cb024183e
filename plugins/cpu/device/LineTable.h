//===- LineTable.h - Lines of loaded code, from its DWARF -----------------===//
//
// What   Reads the line tables (.debug_line, DWARF version 5) of an object's
//        debug image: which address belongs to which file and line.
// Why    perf wants lines beside the code (jitdump). DWARF is in the object for
//        gdb anyway: a section of our own would be a second format to write,
//        version and check, and its reader would need the same bounds.
//
// The bytes may come from a broken or hostile artifact: no byte outside a
// section is read, work is bounded by the section's size, and a table that
// is malformed or of another version gives no rows.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_CPU_DEVICE_LINETABLE_H
#define TERRAZZO_PLUGINS_CPU_DEVICE_LINETABLE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tz::cpu {

/// Code from `address` to the next row's belongs to `line`; 0 is no line.
struct LineRow {
  uint64_t address = 0;
  uint32_t line = 0, column = 0;
  uint32_t file = 0; ///< index in LineTable::files
  bool endsSequence = false;
};

struct LineTable {
  std::vector<std::string> files; ///< with their folders
  std::vector<LineRow> rows;      ///< sequence by sequence, as they stand
};

/// `image`: ElfObject::debugImage(). Empty if there are no usable tables.
LineTable readLineTable(std::span<const std::byte> image);

} // namespace tz::cpu

#endif
