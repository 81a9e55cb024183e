//===- Module.h - a loaded code object ------------------------------------===//
//
// What   A code object in memory, relocated, with its instructions decoded as
//        they are reached.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_MODULE_H
#define TERRAZZO_PLUGINS_AMD_SIMULATOR_EXECUTE_MODULE_H

#include "plugins/amd/simulator/decode/Decoder.h"
#include "plugins/amd/simulator/decode/ObjectFile.h"
#include "plugins/amd/simulator/decode/SourceLines.h"
#include "plugins/amd/simulator/execute/DeviceRegions.h"
#include "plugins/amd/simulator/execute/Processor.h"

namespace tz::amd::sim {

class Module {
public:
  /// Copies the bytes. Throws plugin::Failure for a code object that is damaged
  /// or of a processor that is not executed. The memory must outlive it.
  Module(Memory &memory, std::span<const uint8_t> file);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// Null: there is none of this name.
  const KernelCode *kernel(const std::string &name) const;
  /// Address and bytes of a global variable; 0: none of this name.
  std::pair<uint64_t, uint64_t> global(const std::string &name) const;
  const Machine &machine() const { return *about; }

  /// The loaded address of one in the file.
  uint64_t loaded(uint64_t address) const { return base + address - first; }

  /// The instruction at a loaded address. Throws plugin::Failure where there is
  /// no code, no instruction, or one whose name is not known.
  const Instruction &at(uint64_t address);
  /// Another instruction for a loaded address, from its text. Throws
  /// plugin::Failure as at() does.
  std::unique_ptr<Instruction> instead(uint64_t address,
                                       const std::string &text);
  /// The source line of a loaded address: "kernel.py:12:5"; empty: not known.
  std::string place(uint64_t address) const {
    return lines->at(address - base + first);
  }
  /// All kernels by name.
  const std::map<std::string, KernelCode> &kernels() const {
    return object.kernels;
  }

private:
  void findRows(Instruction &in) const;

  Memory &memory;
  CodeObject object;
  const Machine *about = nullptr;
  uint64_t base = 0, first = 0, bytes = 0;
  std::vector<std::unique_ptr<Instruction>> decoded; ///< a slot for each dword
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<SourceLines> lines;
};

} // namespace tz::amd::sim

#endif
