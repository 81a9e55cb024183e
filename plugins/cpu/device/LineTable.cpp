//===- LineTable.cpp - Lines of loaded code, from its DWARF ---------------===//
//
// What   The line number program of DWARF 5 (section 6.2 of that standard),
//        with the header forms that compilers use for paths.
// Why    See LineTable.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/device/LineTable.h"

#include "plugins/cpu/device/ElfFile.h"

#include <algorithm>
#include <cstring>

namespace tz::cpu {

namespace {

/// Many entries may name one long string: both are bounded.
constexpr size_t MaxPathBytes = 4096;
constexpr size_t MaxAllPathBytes = size_t{1} << 20;

enum : uint64_t { ContentPath = 1, ContentDirectory = 2 };
enum : uint64_t {
  FormBlock2 = 0x03,
  FormData2 = 0x05,
  FormData4 = 0x06,
  FormData8 = 0x07,
  FormString = 0x08,
  FormBlock = 0x09,
  FormData1 = 0x0b,
  FormStrp = 0x0e,
  FormUdata = 0x0f,
  FormData16 = 0x1e,
  FormLineStrp = 0x1f
};
enum : uint8_t {
  OpExtended = 0,
  OpCopy = 1,
  OpAdvancePc = 2,
  OpAdvanceLine = 3,
  OpSetFile = 4,
  OpSetColumn = 5,
  OpConstAddPc = 8,
  OpFixedAdvancePc = 9,
  OpEndSequence = 1, // extended
  OpSetAddress = 2   // extended
};

/// Reads forward; beyond the end everything is zero and ok() is false.
class Cursor {
public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes(bytes) {}

  bool ok() const { return good; }
  bool atEnd() const { return at == bytes.size(); }
  size_t left() const { return bytes.size() - at; }
  void fail() { good = false; }

  uint64_t fixed(size_t width) {
    uint64_t value = 0;
    if (std::span<const std::byte> part = take(width); part.size() == width) {
      std::memcpy(&value, part.data(), width);
    }
    return value;
  }
  uint8_t byte() { return static_cast<uint8_t>(fixed(1)); }
  std::span<const std::byte> take(uint64_t size) {
    if (!good || size > left()) {
      good = false;
      return {};
    }
    std::span<const std::byte> part = bytes.subspan(at, size);
    at += size;
    return part;
  }
  uint64_t unsignedNumber() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t next = byte();
      value |= uint64_t{next & 0x7fu} << shift;
      if (!(next & 0x80)) {
        return value;
      }
    }
    good = false;
    return 0;
  }
  int64_t signedNumber() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      uint8_t next = byte();
      value |= uint64_t{next & 0x7fu} << shift;
      if (!(next & 0x80)) {
        if ((next & 0x40) && shift + 7 < 64) {
          value |= ~uint64_t{0} << (shift + 7);
        }
        return static_cast<int64_t>(value);
      }
    }
    good = false;
    return 0;
  }
  std::string_view text() {
    const char *start = reinterpret_cast<const char *>(bytes.data()) + at;
    const void *end = good && left() ? std::memchr(start, 0, left()) : nullptr;
    if (!end) {
      good = false;
      return {};
    }
    std::string_view result(
        start, static_cast<size_t>(static_cast<const char *>(end) - start));
    at += result.size() + 1;
    return result;
  }

private:
  std::span<const std::byte> bytes;
  size_t at = 0;
  bool good = true;
};

/// One of the two tables of paths in a header.
struct Path {
  std::string_view name;
  uint64_t folder = 0;
};

class TableReader {
public:
  explicit TableReader(const ElfFile &file)
      : strings(section(file, ".debug_str")),
        lineStrings(section(file, ".debug_line_str")) {}

  static std::span<const std::byte> section(const ElfFile &file,
                                            const char *name) {
    const ElfSection *found = file.findSection(name);
    return found ? file.contents(*found) : std::span<const std::byte>();
  }

  /// One unit's table, from behind its length. False: it is malformed.
  bool read(Cursor unit, LineTable &table);

private:
  struct Format {
    uint64_t content, form;
  };

  std::string_view string(std::span<const std::byte> from, uint64_t offset);
  bool paths(Cursor &header, std::vector<Path> &out);
  bool path(Cursor &header, const std::vector<Format> &formats, Path &out);
  bool run(Cursor program, LineTable &table);
  void extended(Cursor &program, LineTable &table);
  void append(LineTable &table, bool ends);
  void advance(uint64_t operations) {
    row.address += operations * instructionLength;
  }

  const std::span<const std::byte> strings, lineStrings;
  uint8_t instructionLength = 1, lineRange = 1, opcodeBase = 1;
  int8_t lineBase = 0;
  std::vector<uint8_t> operandCounts;
  LineRow row;
  uint64_t firstFile = 0, fileCount = 0; ///< of this unit, in the table
  size_t pathBytes = 0;
};

std::string_view TableReader::string(std::span<const std::byte> from,
                                     uint64_t offset) {
  if (offset >= from.size()) {
    return {};
  }
  from = from.subspan(offset);
  Cursor cursor(from.first(std::min(from.size(), MaxPathBytes)));
  return cursor.text();
}

bool TableReader::path(Cursor &header, const std::vector<Format> &formats,
                       Path &out) {
  for (const Format &format : formats) {
    std::string_view text;
    uint64_t number = 0;
    switch (format.form) {
    case FormString:
      text = header.text();
      break;
    case FormStrp:
      text = string(strings, header.fixed(4));
      break;
    case FormLineStrp:
      text = string(lineStrings, header.fixed(4));
      break;
    case FormData1:
      number = header.fixed(1);
      break;
    case FormData2:
      number = header.fixed(2);
      break;
    case FormData4:
      number = header.fixed(4);
      break;
    case FormData8:
      number = header.fixed(8);
      break;
    case FormUdata:
      number = header.unsignedNumber();
      break;
    case FormData16:
      header.take(16);
      break;
    case FormBlock:
      header.take(header.unsignedNumber());
      break;
    case FormBlock2:
      header.take(header.fixed(2));
      break;
    default:
      return false;
    }
    if (format.content == ContentPath) {
      out.name = text;
    } else if (format.content == ContentDirectory) {
      out.folder = number;
    }
  }
  return header.ok();
}

bool TableReader::paths(Cursor &header, std::vector<Path> &out) {
  std::vector<Format> formats(header.byte());
  for (Format &format : formats) {
    format = {header.unsignedNumber(), header.unsignedNumber()};
  }
  const uint64_t count = header.unsignedNumber();
  // An entry without bytes could be repeated without end.
  if (!header.ok() || count > header.left()) {
    return false;
  }
  for (uint64_t i = 0; i < count; ++i) {
    if (!path(header, formats, out.emplace_back())) {
      return false;
    }
  }
  return true;
}

bool TableReader::read(Cursor unit, LineTable &table) {
  const uint64_t version = unit.fixed(2), addressSize = unit.fixed(1),
                 segmentSize = unit.fixed(1);
  Cursor header(unit.take(unit.fixed(4)));
  if (!unit.ok() || version != 5 || addressSize != 8 || segmentSize != 0) {
    return false;
  }
  instructionLength = header.byte();
  header.byte(); // operations of a very long instruction
  header.byte(); // whether rows begin as statements
  lineBase = static_cast<int8_t>(header.byte());
  lineRange = header.byte();
  opcodeBase = header.byte();
  if (!header.ok() || lineRange == 0 || opcodeBase == 0) {
    return false;
  }
  operandCounts.clear();
  for (unsigned opcode = 1; opcode < opcodeBase; ++opcode) {
    operandCounts.push_back(header.byte());
  }
  std::vector<Path> folders, names;
  if (!paths(header, folders) || !paths(header, names) || names.empty()) {
    return false;
  }
  firstFile = table.files.size();
  fileCount = names.size();
  for (const Path &name : names) {
    std::string full(name.name);
    // Folder 0 is the compilation's; the others are relative to it.
    for (uint64_t folder : {name.folder, uint64_t{0}}) {
      if (!full.starts_with('/') && folder < folders.size() &&
          !folders[folder].name.empty()) {
        full.insert(0, "/").insert(0, folders[folder].name);
      }
    }
    pathBytes += full.size();
    if (pathBytes > MaxAllPathBytes) {
      return false;
    }
    table.files.push_back(std::move(full));
  }
  return run(unit, table);
}

void TableReader::append(LineTable &table, bool ends) {
  LineRow made = row;
  made.endsSequence = ends;
  if (made.file >= fileCount) {
    made.file = 0;
    made.line = 0;
  }
  made.file += static_cast<uint32_t>(firstFile);
  table.rows.push_back(made);
}

void TableReader::extended(Cursor &program, LineTable &table) {
  Cursor operation(program.take(program.unsignedNumber()));
  switch (operation.byte()) {
  case OpEndSequence:
    append(table, true);
    row = {};
    row.line = 1;
    row.file = 1;
    break;
  case OpSetAddress:
    row.address = operation.fixed(8);
    break;
  default: // discriminators and what producers add
    return;
  }
  if (!operation.ok()) {
    program.fail();
  }
}

bool TableReader::run(Cursor program, LineTable &table) {
  row = {};
  row.line = 1;
  row.file = 1;
  while (program.ok() && !program.atEnd()) {
    const uint8_t opcode = program.byte();
    if (opcode >= opcodeBase) {
      const unsigned adjusted = opcode - opcodeBase;
      advance(adjusted / lineRange);
      row.line += static_cast<uint32_t>(lineBase + int(adjusted % lineRange));
      append(table, false);
      continue;
    }
    switch (opcode) {
    case OpExtended:
      extended(program, table);
      break;
    case OpCopy:
      append(table, false);
      break;
    case OpAdvancePc:
      advance(program.unsignedNumber());
      break;
    case OpAdvanceLine:
      row.line += static_cast<uint32_t>(program.signedNumber());
      break;
    case OpSetFile:
      row.file = static_cast<uint32_t>(program.unsignedNumber());
      break;
    case OpSetColumn:
      row.column = static_cast<uint32_t>(program.unsignedNumber());
      break;
    case OpConstAddPc:
      advance((255u - opcodeBase) / lineRange);
      break;
    case OpFixedAdvancePc:
      row.address += program.fixed(2);
      break;
    default: // flags of rows, and opcodes that this reader does not know
      for (uint8_t i = 0; i < operandCounts[opcode - 1u]; ++i) {
        program.unsignedNumber();
      }
    }
  }
  return program.ok();
}

} // namespace

LineTable readLineTable(std::span<const std::byte> image) {
  LineTable table;
  ElfFile file(image);
  if (!file.parse()) {
    return table;
  }
  TableReader reader(file);
  Cursor units(TableReader::section(file, ".debug_line"));
  while (!units.atEnd()) {
    // The 64-bit format begins with a length that is out of range here.
    Cursor unit(units.take(units.fixed(4)));
    if (!units.ok() || !reader.read(unit, table)) {
      return {};
    }
  }
  return table;
}

} // namespace tz::cpu
