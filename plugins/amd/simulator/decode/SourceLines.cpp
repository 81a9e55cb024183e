//===- SourceLines.cpp - source lines of machine code ---------------------===//
//
// What   See SourceLines.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/SourceLines.h"

#include "plugins/amd/simulator/decode/Text.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"

namespace tz::amd::sim {

struct SourceLines::Parts {
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> dwarf;
};

SourceLines::SourceLines(std::span<const uint8_t> file) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(file.data()),
                              file.size());
  auto object = llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(bytes, "code object"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return;
  }
  parts = std::make_unique<Parts>();
  parts->object = std::move(*object);
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  parts->dwarf = llvm::DWARFContext::create(
      *parts->object, llvm::DWARFContext::ProcessDebugRelocations::Ignore,
      nullptr, "", ignore, ignore);
}

SourceLines::~SourceLines() = default;

std::string SourceLines::at(uint64_t address) const {
  if (!parts || !parts->dwarf) {
    return "";
  }
  llvm::DILineInfoSpecifier wanted(
      llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue,
      llvm::DILineInfoSpecifier::FunctionNameKind::None);
  const auto line = parts->dwarf->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection}, wanted);
  if (!line || line->Line == 0) {
    return "";
  }
  return text("{}:{}:{}", line->FileName, line->Line, line->Column);
}

} // namespace tz::amd::sim
