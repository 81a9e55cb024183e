//===- SpirvModule.cpp - what a driver does not say of a SPIR-V module ----===//
//
// What   One pass over the instructions, each within the bounds of the file.
// Why    See SpirvModule.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/device/SpirvModule.h"

#include "plugins/intel/Notes.h"

#include <terrazzo/plugin/Error.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <span>

namespace tz::intel {

using plugin::Failure;

namespace {

// Numbers of the SPIR-V specification, section 3.
enum Opcode : uint32_t {
  OpExtension = 10,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypePointer = 32,
  OpTypeFunction = 33,
  OpFunction = 54,
  OpModuleProcessed = 330,
};
constexpr uint32_t Magic = 0x07230203, ModelKernel = 6, HeaderWords = 5;
constexpr uint32_t ModeLocalSize = 17, ModeSubgroupSize = 35;
enum StorageClass : uint32_t {
  UniformConstant = 0,
  Workgroup = 4,
  CrossWorkgroup = 5,
  Function = 7,
};

[[noreturn]] void damaged(const std::string &why) {
  throw Failure(TZ_E_DATA_LOSS, "the artifact's SPIR-V is damaged: " + why);
}

struct Type {
  uint32_t bytes = 0;               ///< of a number, or of a vector of them
  std::optional<uint32_t> storage;  ///< of a pointer
  std::vector<uint32_t> parameters; ///< of a function
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : words(bytes.size() / 4) {
    if (bytes.size() % 4 || words.size() < HeaderWords) {
      damaged("it has " + std::to_string(bytes.size()) + " bytes");
    }
    std::memcpy(words.data(), bytes.data(), bytes.size());
    if (words[0] != Magic) {
      damaged("it does not begin with the magic number of SPIR-V");
    }
  }

  SpirvModule read() {
    module.major = words[1] >> 16 & 0xff;
    module.minor = words[1] >> 8 & 0xff;
    for (size_t at = HeaderWords; at < words.size();) {
      const uint32_t count = words[at] >> 16;
      if (count == 0 || count > words.size() - at) {
        damaged("the instruction at word " + std::to_string(at) +
                " does not end in the file");
      }
      visit(Opcode(words[at] & 0xffff),
            std::span(words).subspan(at + 1, count - 1));
      at += count;
    }
    for (const auto &[id, name] : entries) {
      addKernel(id, name);
    }
    return std::move(module);
  }

private:
  using Operands = std::span<const uint32_t>;

  static void require(Operands operands, size_t count, const char *what) {
    if (operands.size() < count) {
      damaged(std::string(what) + " has too few operands");
    }
  }
  /// The text that begins with the first word, and ends with a zero.
  static std::string text(Operands from) {
    const auto *begin = reinterpret_cast<const char *>(from.data());
    const size_t size = strnlen(begin, from.size_bytes());
    if (size == from.size_bytes()) {
      damaged("a name has no end");
    }
    return {begin, size};
  }

  void visit(Opcode op, Operands operands);
  void addKernel(uint32_t function, const std::string &name);
  KernelParameter layOut(const std::string &kernel, size_t number,
                         uint32_t type) const;

  std::vector<uint32_t> words;
  SpirvModule module;
  std::map<uint32_t, Type> types;
  std::map<uint32_t, uint32_t> functions; // id to its type
  std::vector<std::pair<uint32_t, std::string>> entries;
  std::map<uint32_t, SpirvKernel> modes; // by entry: what it requires
};

void Reader::visit(Opcode op, Operands operands) {
  switch (op) {
  case OpCapability:
    require(operands, 1, "OpCapability");
    module.capabilities.push_back(operands[0]);
    break;
  case OpExtension:
    module.extensions.push_back(text(operands));
    break;
  case OpModuleProcessed:
    module.wantsLargeFile |= text(operands) == LargeFileNote;
    break;
  case OpEntryPoint:
    require(operands, 3, "OpEntryPoint");
    if (operands[0] == ModelKernel) {
      entries.emplace_back(operands[1], text(operands.subspan(2)));
    }
    break;
  case OpExecutionMode:
    require(operands, 2, "OpExecutionMode");
    if (operands[1] == ModeSubgroupSize) {
      require(operands, 3, "OpExecutionMode SubgroupSize");
      modes[operands[0]].subgroupSize = operands[2];
    } else if (operands[1] == ModeLocalSize) {
      require(operands, 5, "OpExecutionMode LocalSize");
      std::copy_n(operands.begin() + 2, 3, modes[operands[0]].workgroup);
    }
    break;
  case OpTypeInt:
  case OpTypeFloat:
    require(operands, 2, "the type of a number");
    types[operands[0]].bytes = operands[1] / 8;
    break;
  case OpTypeVector: {
    require(operands, 3, "OpTypeVector");
    const auto component = types.find(operands[1]);
    const uint32_t count = operands[2];
    if (component != types.end() && !component->second.storage &&
        (count == 2 || count == 4 || count == 8 || count == 16)) {
      types[operands[0]].bytes = component->second.bytes * count;
    }
    break;
  }
  case OpTypePointer:
    require(operands, 3, "OpTypePointer");
    types[operands[0]] = {8, operands[1], {}}; // addressing model Physical64
    break;
  case OpTypeFunction:
    require(operands, 2, "OpTypeFunction");
    types[operands[0]].parameters.assign(operands.begin() + 2, operands.end());
    break;
  case OpFunction:
    require(operands, 4, "OpFunction");
    functions[operands[1]] = operands[3];
    break;
  default:
    break;
  }
}

/// One slot of the packed arguments, without its offset.
KernelParameter Reader::layOut(const std::string &kernel, size_t number,
                               uint32_t type) const {
  const auto known = types.find(type);
  const std::string what =
      "parameter " + std::to_string(number) + " of kernel '" + kernel + "'";
  if (known == types.end() || known->second.bytes == 0) {
    throw Failure(TZ_E_UNSUPPORTED_OP,
                  what + " is neither a number nor a pointer; a launch passes "
                         "nothing else");
  }
  const Type &found = known->second;
  if (found.storage && *found.storage != CrossWorkgroup &&
      *found.storage != UniformConstant) {
    throw Failure(TZ_E_UNSUPPORTED_OP,
                  what + " points into storage class " +
                      std::to_string(*found.storage) +
                      (*found.storage == Function    ? " (Function)"
                       : *found.storage == Workgroup ? " (Workgroup)"
                                                     : "") +
                      "; what a launch passes lies in CrossWorkgroup or "
                      "UniformConstant");
  }
  return {0, found.bytes, found.storage.has_value()};
}

void Reader::addKernel(uint32_t function, const std::string &name) {
  const auto body = functions.find(function);
  const auto type =
      body == functions.end() ? types.end() : types.find(body->second);
  if (type == types.end()) {
    damaged("kernel '" + name + "' has no function");
  }
  SpirvKernel kernel = modes[function];
  kernel.name = name;
  for (uint32_t parameter : type->second.parameters) {
    KernelParameter slot = layOut(name, kernel.parameters.size(), parameter);
    slot.offset = (kernel.argBytes + slot.bytes - 1) / slot.bytes * slot.bytes;
    kernel.argBytes = slot.offset + slot.bytes;
    kernel.parameters.push_back(slot);
  }
  module.kernels.push_back(std::move(kernel));
}

} // namespace

const SpirvKernel *SpirvModule::find(std::string_view kernel) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(),
                   [&](const SpirvKernel &one) { return one.name == kernel; });
  return found == kernels.end() ? nullptr : &*found;
}

bool SpirvModule::needs(uint32_t capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) !=
         capabilities.end();
}

SpirvModule readSpirv(std::string_view bytes) { return Reader(bytes).read(); }

} // namespace tz::intel
