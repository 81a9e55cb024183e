//===- Decoder.cpp - LLVM's disassembler ----------------------------------===//
//
// What   See Decoder.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/simulator/decode/Decoder.h"

#include "plugins/amd/simulator/decode/Text.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Triple.h"

#include <cstring>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace tz::amd::sim {

struct Decoder::Parts {
  std::string processor;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

static const llvm::Target &target(const llvm::Triple &triple) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found) {
    throw plugin::Failure(TZ_E_INTERNAL, error);
  }
  return *found;
}

Decoder::Decoder(const std::string &processor, unsigned lanes)
    : parts(std::make_unique<Parts>()) {
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  const llvm::Target &machine = target(triple);
  parts->processor = processor;
  parts->registers.reset(machine.createMCRegInfo(triple));
  parts->assembly.reset(
      machine.createMCAsmInfo(*parts->registers, triple, parts->options));
  parts->instructions.reset(machine.createMCInstrInfo());
  const char *waves = lanes == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
  parts->subtarget.reset(
      machine.createMCSubtargetInfo(triple, processor, waves));
  if (!parts->subtarget || !parts->subtarget->isCPUStringValid(processor)) {
    throw plugin::Failure(TZ_E_NOT_FOUND, text("LLVM has no processor "
                                               "'{}'",
                                               processor));
  }
  parts->context = std::make_unique<llvm::MCContext>(
      triple, parts->assembly.get(), parts->registers.get(),
      parts->subtarget.get());
  parts->disassembler.reset(
      machine.createMCDisassembler(*parts->subtarget, *parts->context));
  parts->printer.reset(machine.createMCInstPrinter(
      triple, 0, *parts->assembly, *parts->instructions, *parts->registers));
}

Decoder::~Decoder() = default;

std::unique_ptr<Instruction> Decoder::decode(uint64_t address,
                                             std::span<const uint8_t> code) {
  llvm::MCInst inst;
  uint64_t bytes = 0;
  const auto status = parts->disassembler->getInstruction(
      inst, bytes, llvm::ArrayRef<uint8_t>(code.data(), code.size()), address,
      llvm::nulls());
  if (status != llvm::MCDisassembler::Success || bytes == 0) {
    uint32_t words[2] = {};
    std::memcpy(words, code.data(), std::min<size_t>(code.size(), 8));
    throw plugin::Failure(
        TZ_E_DATA_LOSS, text("the bytes {:08x} {:08x} are no instruction of {}",
                             words[0], words[1], parts->processor));
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  parts->printer->printInst(&inst, address, "", *parts->subtarget, stream);
  std::unique_ptr<Instruction> out = readInstruction(text);
  out->address = address;
  out->bytes = uint32_t(bytes);
  std::memcpy(out->encoding, code.data(), std::min<size_t>(bytes, 16));
  if (out->second) {
    out->second->address = address;
  }
  return out;
}

} // namespace tz::amd::sim
