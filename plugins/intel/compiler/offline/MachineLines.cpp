//===- MachineLines.cpp - lines of the source in machine code -------------===//
//
// What   See MachineLines.h.
// Why    Addresses of the table are those of the kernel's section, which lies
//        at 0: relocations of a file with one kernel change nothing.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/offline/MachineLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

using namespace llvm;

namespace tz::intel {

using Sections = StringMap<std::unique_ptr<MemoryBuffer>>;

/// Those for debuggers, by their names without the point.
static Sections debugSections(StringRef elf) {
  Sections found;
  auto file = object::ELFFile<object::ELF64LE>::create(elf);
  if (!file) {
    consumeError(file.takeError());
    return found;
  }
  auto sections = file->sections();
  if (!sections) {
    consumeError(sections.takeError());
    return found;
  }
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    auto bytes = file->getSectionContents(section);
    if (name && bytes && name->starts_with(".debug_")) {
      found[name->drop_front()] =
          MemoryBuffer::getMemBufferCopy(toStringRef(*bytes));
    }
    consumeError(name.takeError());
    consumeError(bytes.takeError());
  }
  return found;
}

std::vector<MachineLine> readMachineLines(StringRef elf) {
  std::vector<MachineLine> lines;
  const Sections sections = debugSections(elf);
  constexpr uint8_t addressBytes = 8;
  const std::unique_ptr<DWARFContext> context =
      DWARFContext::create(sections, addressBytes);
  for (const auto &unit : context->compile_units()) {
    const DWARFDebugLine::LineTable *table =
        context->getLineTableForUnit(unit.get());
    if (!table) {
      continue;
    }
    for (const DWARFDebugLine::Row &row : table->Rows) {
      std::string file;
      using Kind = DILineInfoSpecifier::FileLineInfoKind;
      if (row.EndSequence ||
          !table->getFileNameByIndex(row.File, unit->getCompilationDir(),
                                     Kind::AbsoluteFilePath, file)) {
        continue;
      }
      lines.push_back({row.Address.Address, file, row.Line, row.Column});
    }
  }
  return lines;
}

std::string withLines(StringRef text, ArrayRef<MachineLine> lines) {
  constexpr uint64_t wholeBytes = 16, compactedBytes = 8;
  std::map<std::string, unsigned> files;
  std::string head, body;
  for (const MachineLine &one : lines) {
    if (files.try_emplace(one.file, files.size() + 1).second) {
      head +=
          "\t.file " + std::to_string(files.size()) + " \"" + one.file + "\"\n";
    }
  }
  uint64_t offset = 0;
  StringRef rest = text;
  rest.consume_back("\n");
  for (StringRef line : split(rest, '\n')) {
    const StringRef words = line.trim();
    uint64_t label = 0;
    if (words.starts_with("L") && words.ends_with(":")) {
      if (words.drop_front().drop_back().getAsInteger(10, label) ||
          label != offset) {
        return text.str();
      }
    } else if (!words.empty() && !words.starts_with("//")) {
      const MachineLine *here = nullptr;
      while (!lines.empty() && lines.front().offset <= offset) {
        here = &lines.front();
        lines = lines.drop_front();
      }
      if (here) {
        body += "\t.loc " + std::to_string(files.at(here->file)) + " " +
                std::to_string(here->line) + " " +
                std::to_string(here->column) + "\n";
      }
      offset += words.contains("Compacted") ? compactedBytes : wholeBytes;
    }
    body += line.str() + "\n";
  }
  return head + body;
}

} // namespace tz::intel
