//===- LocationCodec.cpp - debug locations as bytes -----------------------===//
//
// What   The locations section: file names, a table of locations of which each
//        refers to earlier ones, and one index for each op.
// Why    Apart from the code, so that the code's hash does not change when a
//        line is inserted above the kernel (R10).
//===----------------------------------------------------------------------===//
#include "core/wire/Codec.h"

using namespace llvm;
using namespace mlir;

namespace tz::wire {

// Both namespaces have them.
using mlir::Attribute, mlir::FunctionType, mlir::IntegerType, mlir::Type;
using mlir::Operation, mlir::Region, mlir::Value, mlir::DenseMap;

uint64_t LocationWriter::string(StringRef text) {
  auto [it, isNew] = stringIndex.try_emplace(text, strings.size());
  if (isNew) {
    strings.push_back(text.str());
  }
  return it->second;
}

uint64_t LocationWriter::index(LocationAttr location) {
  if (auto it = known.find(location); it != known.end()) {
    return it->second;
  }
  ByteWriter out;
  auto tag = [&](LocTag which) { out.fixed<uint8_t>(uint8_t(which)); };
  if (auto range = dyn_cast<FileLineColRange>(location)) {
    bool isPoint = range.getStartLine() == range.getEndLine() &&
                   range.getStartColumn() == range.getEndColumn();
    tag(isPoint ? LocTag::Line : LocTag::Range);
    out.number(string(range.getFilename()));
    out.signedNumber(int64_t(range.getStartLine()) - baseLine);
    out.number(range.getStartColumn());
    if (!isPoint) {
      out.number(range.getEndLine() - range.getStartLine());
      out.number(range.getEndColumn());
    }
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    uint64_t callee = index(call.getCallee());
    uint64_t caller = index(call.getCaller());
    tag(LocTag::Call);
    out.number(callee);
    out.number(caller);
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    uint64_t child = index(name.getChildLoc());
    tag(LocTag::Name);
    out.number(string(name.getName()));
    out.number(child);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<uint64_t> parts;
    for (Location part : fused.getLocations()) {
      parts.push_back(index(part));
    }
    tag(LocTag::Fused);
    out.number(parts.size());
    for (uint64_t part : parts) {
      out.number(part);
    }
  } else {
    tag(LocTag::Unknown);
  }
  bytes += out.bytes;
  uint64_t result = known.size();
  known[location] = result;
  return result;
}

std::string LocationWriter::section() const {
  ByteWriter out;
  out.number(uint64_t(baseLine));
  out.number(strings.size());
  for (const std::string &text : strings) {
    out.string(text);
  }
  out.number(known.size());
  out.bytes += bytes;
  out.number(perOp.size());
  for (uint64_t index : perOp) {
    out.number(index);
  }
  return std::move(out.bytes);
}

/// A line or column that a location can hold; 0 and a failure otherwise.
static unsigned position(int64_t value, ByteReader &reader) {
  if (value < 0 || value > INT32_MAX) {
    reader.fail("a line or column is out of range");
    return 0;
  }
  return unsigned(value);
}

static LocationAttr readLocation(MLIRContext &context, int64_t baseLine,
                                 ArrayRef<StringAttr> strings,
                                 ArrayRef<LocationAttr> earlier,
                                 ByteReader &reader) {
  auto name = [&] {
    uint64_t index = reader.index(strings.size(), "file or name");
    return reader.ok() ? strings[index] : StringAttr::get(&context);
  };
  auto location = [&]() -> Location {
    uint64_t index = reader.index(earlier.size(), "location");
    return reader.ok() ? Location(earlier[index]) : UnknownLoc::get(&context);
  };
  auto tag = LocTag(reader.fixed<uint8_t>());
  switch (tag) {
  case LocTag::Unknown:
    return UnknownLoc::get(&context);
  case LocTag::Line:
  case LocTag::Range: {
    StringAttr file = name();
    int64_t relative = reader.signedNumber();
    if (relative > INT32_MAX || relative < INT32_MIN) {
      reader.fail("a line or column is out of range");
      relative = 0;
    }
    unsigned line = position(baseLine + relative, reader);
    unsigned column = position(int64_t(reader.number()), reader);
    if (tag == LocTag::Line) {
      return FileLineColLoc::get(file, line, column);
    }
    uint64_t lines = reader.number();
    unsigned endLine = position(
        lines > INT32_MAX ? -1 : int64_t(line) + int64_t(lines), reader);
    unsigned endColumn = position(int64_t(reader.number()), reader);
    // A range within one line is another attribute than the same in long form.
    return endLine == line
               ? FileLineColRange::get(file, line, column, endColumn)
               : FileLineColRange::get(file, line, column, endLine, endColumn);
  }
  case LocTag::Call: {
    Location callee = location();
    Location caller = location();
    return CallSiteLoc::get(callee, caller);
  }
  case LocTag::Name: {
    StringAttr what = name();
    if (what.getValue().empty()) {
      reader.fail("a location's name is empty");
      return UnknownLoc::get(&context);
    }
    return NameLoc::get(what, location());
  }
  case LocTag::Fused: {
    SmallVector<Location> parts;
    uint64_t count = reader.count();
    for (uint64_t i = 0; i < count && reader.ok(); ++i) {
      parts.push_back(location());
    }
    return FusedLoc::get(&context, parts);
  }
  }
  reader.fail("location tag " + Twine(unsigned(tag)) + " is unknown");
  return UnknownLoc::get(&context);
}

std::vector<Location> readLocations(MLIRContext &context, ByteReader &reader) {
  int64_t baseLine = int64_t(reader.number());
  position(baseLine, reader);
  std::vector<StringAttr> strings;
  for (uint64_t n = reader.count(), i = 0; i < n && reader.ok(); ++i) {
    strings.push_back(StringAttr::get(&context, reader.string()));
  }
  std::vector<LocationAttr> table;
  for (uint64_t n = reader.count(), i = 0; i < n && reader.ok(); ++i) {
    table.push_back(readLocation(context, baseLine, strings, table, reader));
  }
  std::vector<Location> perOp;
  for (uint64_t n = reader.count(), i = 0; i < n && reader.ok(); ++i) {
    uint64_t index = reader.index(table.size(), "location");
    if (reader.ok()) {
      perOp.push_back(table[index]);
    }
  }
  return perOp;
}

} // namespace tz::wire
