//===- ObjectFile.h - a code object and its kernels -----------------------===//
//
// What   Reads an ELF file of the HSA ABI: segments, kernel descriptors and the
//        metadata note. Nothing is relocated yet.
// Why    A launch needs what only descriptor and metadata tell: the registers
//        that are filled before the first instruction, and the arguments.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_OBJECTFILE_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_DECODE_OBJECTFILE_H

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tz::amd::sim {

/// An argument of the metadata: "by_value", "global_buffer", "hidden_..."
struct KernelArgument {
  uint32_t offset = 0, bytes = 0;
  std::string kind;
};

/// The 64 bytes of <name>.kd, and what the metadata adds.
struct KernelCode {
  std::string name;
  uint64_t entry = 0;        ///< address before loading
  uint32_t sharedBytes = 0;  ///< static LDS
  uint32_t privateBytes = 0; ///< scratch of a lane
  uint32_t argumentBytes = 0;
  uint32_t resource[3] = {}; ///< COMPUTE_PGM_RSRC1 to 3
  uint16_t properties = 0;   ///< KERNEL_CODE_PROPERTIES
  uint16_t preload = 0;      ///< length (7 bits) and offset of preloaded dwords
  unsigned lanes = 64;
  uint32_t vectorRegisters = 0; ///< of a lane, accumulation registers included
  uint32_t maxGroup = 1024;     ///< work-items of a work-group
  std::vector<KernelArgument> arguments;
};

struct Segment {
  uint64_t address = 0, bytes = 0;
  std::span<const uint8_t> content; ///< the rest is 0
  bool isCode = false;
};

struct Relocation {
  uint64_t address = 0, value = 0; ///< value: an address before loading
};

struct CodeObject {
  std::vector<uint8_t> file; ///< its bytes, which Segment::content points into
  std::string processor;     ///< "gfx942"
  std::vector<Segment> segments;
  std::vector<Relocation> relocations;
  std::map<std::string, KernelCode> kernels;
  /// Other symbols: address and size.
  std::map<std::string, std::pair<uint64_t, uint64_t>> globals;
};

/// Throws plugin::Failure for what is no code object, or damaged. The bytes are
/// copied.
CodeObject readCodeObject(std::span<const uint8_t> file);

/// Bytes of the ELF file that begins at `data`, whose end the caller does not
/// know: HIP's entry points take no size.
uint64_t codeObjectBytes(const void *data);

} // namespace tz::amd::sim

#endif
