//===- HotLoop.cpp - what stands in a kernel's busiest loop ---------------===//
//
// What   See HotLoop.h. A loop is what a branch backwards spans.
// Why    See HotLoop.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/HotLoop.h"

#include "plugins/amd/compiler/llvm/Amdgcn.h"

#include "terrazzo/plugin/LLVMError.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"

extern "C" void LLVMInitializeAMDGPUDisassembler();

using namespace llvm;

namespace tz::amd {

namespace {

struct Decoded {
  uint64_t address;
  std::string name;
  uint64_t target = 0; ///< of a branch; 0: it is none
};

/// The instructions of one function, as the disassembler knows them.
class Decoder {
public:
  explicit Decoder(const Machine &machine)
      : generator(makeTargetMachine(machine)),
        context(generator->getTargetTriple(), generator->getMCAsmInfo(),
                generator->getMCRegisterInfo(), subtarget()),
        info(generator->getMCInstrInfo()) {
    LLVMInitializeAMDGPUDisassembler();
    const Target &target = generator->getTarget();
    disassembler.reset(target.createMCDisassembler(*subtarget(), context));
    analysis.reset(target.createMCInstrAnalysis(info));
    printer.reset(target.createMCInstPrinter(generator->getTargetTriple(), 0,
                                             *generator->getMCAsmInfo(), *info,
                                             *generator->getMCRegisterInfo()));
    if (!disassembler || !analysis || !printer) {
      throw plugin::Failure(TZ_E_INTERNAL, "there is no disassembler");
    }
  }

  std::vector<Decoded> decode(ArrayRef<uint8_t> code, uint64_t address) {
    std::vector<Decoded> all;
    for (uint64_t at = 0; at < code.size();) {
      MCInst inst;
      uint64_t size = 0;
      if (disassembler->getInstruction(inst, size, code.drop_front(at),
                                       address + at,
                                       nulls()) != MCDisassembler::Success) {
        break; // padding behind the end
      }
      Decoded one{address + at, nameOf(inst)};
      uint64_t target = 0;
      if (analysis->isBranch(inst) &&
          analysis->evaluateBranch(inst, address + at, size, target)) {
        one.target = target;
      }
      all.push_back(std::move(one));
      at += size;
    }
    return all;
  }

private:
  const MCSubtargetInfo *subtarget() const {
    return generator->getMCSubtargetInfo();
  }
  std::string nameOf(const MCInst &inst) {
    std::string text;
    raw_string_ostream stream(text);
    printer->printInst(&inst, 0, "", *subtarget(), stream);
    return StringRef(text).ltrim().split(' ').first.split('\t').first.str();
  }

  std::unique_ptr<TargetMachine> generator;
  MCContext context;
  const MCInstrInfo *info;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstrAnalysis> analysis;
  std::unique_ptr<MCInstPrinter> printer;
};

void count(StringRef name, LoopFigures &figures) {
  ++figures.instructions;
  figures.matrix += name.starts_with("v_mfma") || name.starts_with("v_wmma") ||
                    name.starts_with("v_smfmac");
  figures.waits += name.starts_with("s_wait") &&
                   !name.starts_with("s_wait_alu") &&
                   !name.starts_with("s_wait_idle");
  // Of two halves of a barrier one is counted.
  figures.barriers += name == "s_barrier" || name == "s_barrier_wait";
  figures.shared += name.starts_with("ds_");
  figures.memory += name.starts_with("global_") || name.starts_with("flat_") ||
                    name.starts_with("buffer_load") ||
                    name.starts_with("buffer_store") ||
                    name.starts_with("scratch_");
}

LoopFigures hotLoopOf(ArrayRef<Decoded> code) {
  LoopFigures best;
  for (const Decoded &branch : code) {
    if (branch.target == 0 || branch.target > branch.address) {
      continue;
    }
    LoopFigures one;
    bool isInnermost = true;
    for (const Decoded &inst : code) {
      if (inst.address < branch.target || inst.address > branch.address) {
        continue;
      }
      count(inst.name, one);
      isInnermost &=
          &inst == &branch || inst.target == 0 || inst.target > inst.address;
    }
    if (isInnermost &&
        std::tie(one.matrix, one.memory, one.instructions) >
            std::tie(best.matrix, best.memory, best.instructions)) {
      best = one;
    }
  }
  return best;
}

} // namespace

std::map<std::string, LoopFigures> hotLoopsOf(const std::string &codeObject,
                                              const Machine &machine) {
  const auto file =
      plugin::check(object::ELFObjectFile<object::ELF64LE>::create(
                        MemoryBufferRef(codeObject, "kernel")),
                    TZ_E_INTERNAL);
  Decoder decoder(machine);
  std::map<std::string, LoopFigures> figures;
  for (const object::ELFSymbolRef &symbol : file.getDynamicSymbolIterators()) {
    if (symbol.getELFType() != ELF::STT_FUNC) {
      continue;
    }
    const StringRef name = plugin::check(symbol.getName(), TZ_E_INTERNAL);
    const uint64_t address = plugin::check(symbol.getAddress(), TZ_E_INTERNAL);
    const auto section = plugin::check(symbol.getSection(), TZ_E_INTERNAL);
    const StringRef bytes =
        plugin::check(section->getContents(), TZ_E_INTERNAL);
    const auto code = arrayRefFromStringRef(
        bytes.substr(address - section->getAddress(), symbol.getSize()));
    figures[name.str()] = hotLoopOf(decoder.decode(code, address));
  }
  return figures;
}

} // namespace tz::amd
