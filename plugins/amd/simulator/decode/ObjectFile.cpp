//===- ObjectFile.cpp - ELF, descriptors and metadata ---------------------===//
//
// What   See ObjectFile.h.
// Why    Every offset of the file is checked: it may be of anybody.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/ObjectFile.h"

#include "plugins/amd/simulator/decode/Text.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/BinaryFormat/MsgPackReader.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <cstring>

namespace tz::amd::sim {

namespace {

using llvm::object::ELF64LE;
using llvm::object::ELF64LEFile;
using llvm::object::ELF64LEObjectFile;
namespace msgpack = llvm::msgpack;

[[noreturn]] void damaged(const std::string &why) {
  throw plugin::Failure(TZ_E_DATA_LOSS, "the code object is damaged: " + why);
}

template <typename T>
T taken(llvm::Expected<T> value) {
  if (!value) {
    damaged(llvm::toString(value.takeError()));
  }
  return std::move(*value);
}

void readSegments(const ELF64LEFile &elf, CodeObject &out) {
  for (const auto &header : taken(elf.program_headers())) {
    if (header.p_type != llvm::ELF::PT_LOAD) {
      continue;
    }
    if (header.p_offset > out.file.size() ||
        header.p_filesz > out.file.size() - header.p_offset ||
        header.p_filesz > header.p_memsz || header.p_memsz > (1u << 30)) {
      damaged("a segment lies outside of the file");
    }
    Segment segment;
    segment.address = header.p_vaddr;
    segment.bytes = header.p_memsz;
    segment.content = {out.file.data() + header.p_offset,
                       size_t(header.p_filesz)};
    segment.isCode = (header.p_flags & llvm::ELF::PF_X) != 0;
    out.segments.push_back(segment);
  }
}

/// The `bytes` at an address of the image, or an error.
std::span<const uint8_t> imageAt(const CodeObject &object, uint64_t address,
                                 uint64_t bytes, const char *what) {
  for (const Segment &segment : object.segments) {
    if (address >= segment.address &&
        address - segment.address <= segment.content.size() &&
        bytes <= segment.content.size() - (address - segment.address)) {
      return segment.content.subspan(address - segment.address, bytes);
    }
  }
  damaged(text("{} lies outside of the segments", what));
}

void readDescriptor(std::span<const uint8_t> bytes, uint64_t address,
                    KernelCode &out) {
  llvm::amdhsa::kernel_descriptor_t descriptor;
  static_assert(sizeof(descriptor) == 64);
  std::memcpy(&descriptor, bytes.data(), sizeof(descriptor));
  out.entry = address + uint64_t(descriptor.kernel_code_entry_byte_offset);
  out.sharedBytes = descriptor.group_segment_fixed_size;
  out.privateBytes = descriptor.private_segment_fixed_size;
  out.argumentBytes = descriptor.kernarg_size;
  out.resource[0] = descriptor.compute_pgm_rsrc1;
  out.resource[1] = descriptor.compute_pgm_rsrc2;
  out.resource[2] = descriptor.compute_pgm_rsrc3;
  out.properties = descriptor.kernel_code_properties;
  out.preload = descriptor.kernarg_preload;
  out.lanes = out.properties &
                      llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32
                  ? 32
                  : 64;
}

void readSymbols(const ELF64LEFile &elf, CodeObject &out) {
  for (const auto &section : taken(elf.sections())) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM) {
      continue;
    }
    const llvm::StringRef names =
        taken(elf.getStringTableForSymtab(section, taken(elf.sections())));
    for (const auto &symbol : taken(elf.symbols(&section))) {
      const llvm::StringRef name = taken(symbol.getName(names));
      if (name.empty() || symbol.st_shndx == llvm::ELF::SHN_UNDEF) {
        continue;
      }
      if (name.ends_with(".kd")) {
        KernelCode kernel;
        kernel.name = name.drop_back(3).str();
        readDescriptor(imageAt(out, symbol.st_value, 64, "a kernel descriptor"),
                       symbol.st_value, kernel);
        out.kernels.emplace(kernel.name, std::move(kernel));
      } else if (symbol.getType() == llvm::ELF::STT_OBJECT) {
        out.globals[name.str()] = {symbol.st_value, symbol.st_size};
      }
    }
  }
}

void readRelocations(const ELF64LEFile &elf, CodeObject &out) {
  for (const auto &section : taken(elf.sections())) {
    if (section.sh_type != llvm::ELF::SHT_RELA ||
        !(section.sh_flags & llvm::ELF::SHF_ALLOC)) {
      continue;
    }
    for (const auto &rela : taken(elf.relas(section))) {
      if (rela.getType(false) != llvm::ELF::R_AMDGPU_RELATIVE64) {
        throw plugin::Failure(
            TZ_E_UNSUPPORTED_OP,
            text("the code object has a relocation of type {}, which "
                 "the simulator does not know; link it without "
                 "undefined symbols",
                 rela.getType(false)));
      }
      out.relocations.push_back({rela.r_offset, uint64_t(rela.r_addend)});
    }
  }
}

//===--- Metadata ---------------------------------------------------------===//

/// Whether a blob is one whole object whose keys are strings. LLVM's document
/// ends the process for keys that cannot be ordered.
bool isPlain(llvm::StringRef blob) {
  struct Level {
    uint64_t left;
    bool isMap;
  };
  std::vector<Level> levels;
  msgpack::Reader reader(blob);
  msgpack::Object object;
  while (true) {
    auto isThere = reader.read(object);
    if (!isThere) {
      llvm::consumeError(isThere.takeError());
      return false;
    }
    using Type = msgpack::Type;
    const bool isMap = object.Kind == Type::Map;
    const bool isList = object.Kind == Type::Array;
    const bool isValue =
        object.Kind == Type::Int || object.Kind == Type::UInt ||
        object.Kind == Type::Boolean || object.Kind == Type::String;
    if (!*isThere || !(isMap || isList || isValue)) {
      return false;
    }
    if (!levels.empty()) {
      Level &level = levels.back();
      if (level.isMap && level.left % 2 == 0 && object.Kind != Type::String) {
        return false;
      }
      --level.left;
    }
    if (isMap || isList) {
      levels.push_back({uint64_t{object.Length} * (isMap ? 2 : 1), isMap});
    }
    while (!levels.empty() && levels.back().left == 0) {
      levels.pop_back();
    }
    if (levels.empty()) {
      return true;
    }
  }
}

uint32_t number(msgpack::MapDocNode &map, const char *key, uint32_t absent) {
  auto found = map.find(key);
  if (found == map.end()) {
    return absent;
  }
  const msgpack::DocNode &node = found->second;
  if (node.getKind() == msgpack::Type::UInt) {
    return uint32_t(node.getUInt());
  }
  return node.getKind() == msgpack::Type::Int ? uint32_t(node.getInt())
                                              : absent;
}

std::string word(msgpack::MapDocNode &map, const char *key) {
  auto found = map.find(key);
  return found != map.end() && found->second.isString()
             ? found->second.getString().str()
             : std::string();
}

void readKernelMetadata(msgpack::MapDocNode &map, CodeObject &out) {
  auto kernel = out.kernels.find(word(map, ".name"));
  if (kernel == out.kernels.end()) {
    damaged(text("kernel '{}' of the metadata has no descriptor",
                 word(map, ".name")));
  }
  KernelCode &code = kernel->second;
  code.maxGroup = number(map, ".max_flat_workgroup_size", 1024);
  code.vectorRegisters = number(map, ".vgpr_count", 256);
  auto arguments = map.find(".args");
  if (arguments == map.end() || !arguments->second.isArray()) {
    return;
  }
  for (msgpack::DocNode &node : arguments->second.getArray()) {
    if (!node.isMap()) {
      damaged("an argument of the metadata is no map");
    }
    msgpack::MapDocNode &argument = node.getMap();
    code.arguments.push_back({number(argument, ".offset", 0),
                              number(argument, ".size", 0),
                              word(argument, ".value_kind")});
  }
}

void readMetadata(const ELF64LEFile &elf, CodeObject &out) {
  for (const auto &header : taken(elf.program_headers())) {
    if (header.p_type != llvm::ELF::PT_NOTE) {
      continue;
    }
    llvm::Error error = llvm::Error::success();
    for (const auto &note : elf.notes(header, error)) {
      if (note.getType() != llvm::ELF::NT_AMDGPU_METADATA ||
          note.getName() != "AMDGPU") {
        continue;
      }
      msgpack::Document document;
      const llvm::StringRef blob = note.getDescAsStringRef(header.p_align);
      if (!isPlain(blob) || !document.readFromBlob(blob, false) ||
          !document.getRoot().isMap()) {
        damaged("its metadata cannot be read");
      }
      auto &root = document.getRoot().getMap();
      auto kernels = root.find("amdhsa.kernels");
      if (kernels == root.end() || !kernels->second.isArray()) {
        damaged("its metadata has no kernels");
      }
      for (msgpack::DocNode &kernel : kernels->second.getArray()) {
        if (!kernel.isMap()) {
          damaged("a kernel of the metadata is no map");
        }
        readKernelMetadata(kernel.getMap(), out);
      }
    }
    if (error) {
      damaged(llvm::toString(std::move(error)));
    }
  }
}

} // namespace

CodeObject readCodeObject(std::span<const uint8_t> file) {
  CodeObject out;
  out.file.assign(file.begin(), file.end());
  const llvm::StringRef bytes(reinterpret_cast<const char *>(out.file.data()),
                              out.file.size());
  auto object =
      ELF64LEObjectFile::create(llvm::MemoryBufferRef(bytes, "code object"));
  if (!object) {
    throw plugin::Failure(TZ_E_DATA_LOSS,
                          "this is no code object: " +
                              llvm::toString(object.takeError()));
  }
  const ELF64LEFile &elf = object->getELFFile();
  if (elf.getHeader().e_machine != llvm::ELF::EM_AMDGPU ||
      elf.getHeader().e_type != llvm::ELF::ET_DYN) {
    throw plugin::Failure(TZ_E_INVALID_ARGUMENT,
                          "this ELF file is no linked code object of AMDGPU");
  }
  auto processor = object->tryGetCPUName();
  if (!processor) {
    damaged("it does not name its processor");
  }
  out.processor = processor->str();
  readSegments(elf, out);
  readSymbols(elf, out);
  readRelocations(elf, out);
  readMetadata(elf, out);
  return out;
}

uint64_t codeObjectBytes(const void *data) {
  llvm::ELF::Elf64_Ehdr header;
  std::memcpy(&header, data, sizeof(header));
  if (!header.checkMagic() || header.e_shentsize != 64) {
    throw plugin::Failure(TZ_E_DATA_LOSS, "this is no code object");
  }
  uint64_t end = header.e_shoff + uint64_t(header.e_shnum) * 64;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    llvm::ELF::Elf64_Shdr section;
    std::memcpy(&section,
                static_cast<const char *>(data) + header.e_shoff + i * 64,
                sizeof(section));
    if (section.sh_type != llvm::ELF::SHT_NOBITS) {
      end = std::max(end, section.sh_offset + section.sh_size);
    }
  }
  return end;
}

} // namespace tz::amd::sim
