//===- CodeObject.cpp - what a code object says of its kernels ------------===//
//
// What   See CodeObject.h.
// Why    See CodeObject.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/CodeObject.h"

#include "terrazzo/plugin/LLVMError.h"

#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace llvm;

namespace tz::amd {

/// The bytes of the note NT_AMDGPU_METADATA.
static StringRef metadataOf(const object::ELFFile<object::ELF64LE> &file) {
  const auto sections = plugin::check(file.sections(), TZ_E_INTERNAL);
  for (const auto &section : sections) {
    if (section.sh_type != ELF::SHT_NOTE) {
      continue;
    }
    Error problem = Error::success();
    for (const auto &note : file.notes(section, problem)) {
      if (note.getName() == "AMDGPU" &&
          note.getType() == ELF::NT_AMDGPU_METADATA) {
        consumeError(std::move(problem));
        return note.getDescAsStringRef(section.sh_addralign);
      }
    }
    consumeError(std::move(problem));
  }
  return "";
}

static uint64_t number(msgpack::MapDocNode &map, StringRef name) {
  auto found = map.find(name);
  return found != map.end() && found->second.getKind() == msgpack::Type::UInt
             ? found->second.getUInt()
             : 0;
}

std::map<std::string, KernelFigures> figuresOf(const std::string &codeObject) {
  const auto file = plugin::check(
      object::ELFFile<object::ELF64LE>::create(codeObject), TZ_E_INTERNAL);
  msgpack::Document document;
  if (!document.readFromBlob(metadataOf(file), /*Multi=*/false)) {
    throw plugin::Failure(TZ_E_INTERNAL, "the code object has no metadata");
  }
  std::map<std::string, KernelFigures> figures;
  msgpack::DocNode kernels =
      document.getRoot().getMap(/*Convert=*/true)["amdhsa.kernels"];
  for (msgpack::DocNode &one : kernels.getArray(/*Convert=*/true)) {
    msgpack::MapDocNode &map = one.getMap(/*Convert=*/true);
    auto word = [&](StringRef name) { return uint32_t(number(map, name)); };
    figures[map[".name"].toString()] = {
        .vgprs = word(".vgpr_count"),
        .agprs = word(".agpr_count"),
        .sgprs = word(".sgpr_count"),
        .vgprSpills = word(".vgpr_spill_count"),
        .sgprSpills = word(".sgpr_spill_count"),
        .privateBytes = word(".private_segment_fixed_size"),
        .sharedBytes = number(map, ".group_segment_fixed_size"),
        .argBytes = word(".kernarg_segment_size"),
        .lanes = word(".wavefront_size")};
  }
  return figures;
}

} // namespace tz::amd
