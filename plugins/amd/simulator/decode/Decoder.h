//===- Decoder.h - bytes to instructions ----------------------------------===//
//
// What   Decodes machine code of one processor with LLVM's disassembler.
// Why    The executor sees no type of LLVM's.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_DECODER_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_DECODER_H

#include "plugins/amd/simulator/decode/Instruction.h"

#include <span>

namespace tz::amd::sim {

class Decoder {
public:
  /// processor: "gfx942". lanes: 32 or 64. Throws plugin::Failure for a
  /// processor that LLVM does not know.
  Decoder(const std::string &processor, unsigned lanes);
  ~Decoder();

  /// The instruction at `address`, whose bytes come first in `code`. Throws
  /// plugin::Failure for bytes that are no instruction of the processor.
  std::unique_ptr<Instruction> decode(uint64_t address,
                                      std::span<const uint8_t> code);

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
};

} // namespace tz::amd::sim

#endif
