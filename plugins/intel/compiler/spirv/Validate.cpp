//===- Validate.cpp - a module under SPIRV-Tools --------------------------===//
//
// What   See Spirv.h.
// Why    Drivers and CPU runtimes take modules that break rules.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/plugin/Error.h"

#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <vector>

namespace tz::intel {

static std::vector<uint32_t> wordsOf(const std::string &binary) {
  std::vector<uint32_t> words(binary.size() / 4);
  std::memcpy(words.data(), binary.data(), words.size() * 4);
  return words;
}

std::string validate(const std::string &binary) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  std::string said;
  tools.SetMessageConsumer([&](spv_message_level_t level, const char *,
                               const spv_position_t &, const char *message) {
    if (level <= SPV_MSG_ERROR && said.empty()) {
      said = message;
    }
  });
  spvtools::ValidatorOptions options;
  const std::vector<uint32_t> words = wordsOf(binary);
  if (tools.Validate(words.data(), words.size(), options)) {
    return "";
  }
  return said.empty() ? "the module is not valid" : said;
}

std::string disassemble(const std::string &binary) {
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_3);
  std::string text;
  if (!tools.Disassemble(wordsOf(binary), &text,
                         SPV_BINARY_TO_TEXT_OPTION_INDENT |
                             SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES)) {
    throw plugin::Failure(TZ_E_INTERNAL, "the module has no text");
  }
  return text;
}

} // namespace tz::intel
