//===- EmitSpirv.cpp - from LLVM IR to SPIR-V -----------------------------===//
//
// What   See Spirv.h.
// Why    LLVM's default pipeline vectorizes and unrolls what layouts have
//        decided, and makes numbers of widths that SPIR-V lacks.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/spirv/Spirv.h"
#include "plugins/intel/compiler/spirv/SpirvLines.h"

#include "terrazzo/lowering/Simplification.h"
#include "terrazzo/plugin/Error.h"
#include "terrazzo/plugin/LLVMOption.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

#include <map>
#include <mutex>

extern "C" void LLVMInitializeSPIRVTargetInfo();
extern "C" void LLVMInitializeSPIRVTarget();
extern "C" void LLVMInitializeSPIRVTargetMC();
extern "C" void LLVMInitializeSPIRVAsmPrinter();

using namespace llvm;

namespace tz::intel {

/// What modules may use, one by one: with "all" the code generator writes
/// execution modes that neither validators nor drivers know.
static constexpr StringRef Extensions = "+SPV_KHR_no_integer_wrap_decoration";

std::unique_ptr<TargetMachine> makeTargetMachine() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
    plugin::setOption("spirv-ext", Extensions);
  });
  Triple triple("spirv64v1.3-unknown-unknown");
  std::string problem;
  const Target *found = TargetRegistry::lookupTarget(triple, problem);
  if (!found) {
    throw plugin::Failure(TZ_E_INTERNAL, problem);
  }
  return std::unique_ptr<TargetMachine>(
      found->createTargetMachine(triple, "", "", TargetOptions(), std::nullopt,
                                 std::nullopt, CodeGenOptLevel::Default));
}

static FunctionPassManager cleanUp() {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(ADCEPass());
  return passes;
}

/// What loops carried for copies only goes.
static void addOwnPasses(lowering::Place place, FunctionPassManager &passes) {
  if (place == lowering::Place::BeforeLastCombine) {
    passes.addPass(ADCEPass());
  }
}

void optimize(Module &module, TargetMachine &machine) {
  lowering::runPasses(module, machine, lowering::simplification(addOwnPasses));
  for (Function &function : module) {
    if (!function.isDeclaration()) {
      joinSums(function);
    }
  }
  lowering::runPasses(module, machine, cleanUp());
  for (Function &function : module) {
    if (!function.isDeclaration()) {
      computeLate(function);
    }
  }
}

namespace {

/// Behind the passes on IR that the code generator runs by itself: loop
/// strength reduction, for one, writes `x & 3` as two bits that are extended.
class LastIrPass final : public ModulePass {
public:
  static char ID;
  LastIrPass(const Machine &machine, SpirvLines &lines, std::string &problem)
      : ModulePass(ID), machine(machine), lines(lines), problem(problem) {}

  bool runOnModule(Module &module) override {
    expandConstantAddresses(module);
    expandCarries(module);
    widenIntegers(module);
    splatConditions(module);
    problem = problemOf(module, machine);
    if (problem.empty()) {
      lines.mark(module);
      return true;
    }
    for (Function &function : module) {
      if (function.isDeclaration()) {
        continue;
      }
      // The rest of the code generator then sees nothing that ends it.
      const GlobalValue::LinkageTypes linkage = function.getLinkage();
      function.deleteBody();
      function.setLinkage(linkage);
      new UnreachableInst(
          module.getContext(),
          BasicBlock::Create(module.getContext(), "", &function));
    }
    return true;
  }

private:
  const Machine &machine;
  SpirvLines &lines;
  std::string &problem;
};

/// The code generator keeps the SPIR-V ids of blocks in a table of the process
/// that is never cleared, by the address of the machine function and the number
/// of the block. Where memory of an earlier function is used again, blocks
/// would take over its ids. So at one address no number is given twice.
class UniqueBlocks final : public MachineFunctionPass {
public:
  static char ID;
  UniqueBlocks() : MachineFunctionPass(ID) {}

  bool runOnMachineFunction(MachineFunction &function) override {
    static std::map<const MachineFunction *, unsigned> used;
    unsigned &first = used[&function];
    SmallVector<MachineBasicBlock *> blocks;
    for (MachineBasicBlock &block : function) {
      blocks.push_back(&block);
      function.removeFromMBBNumbering(unsigned(block.getNumber()));
    }
    while (function.getNumBlockIDs() < first) {
      (void)function.addToMBBNumbering(nullptr);
    }
    for (MachineBasicBlock *block : blocks) {
      block->setNumber(int(function.addToMBBNumbering(block)));
    }
    first = function.getNumBlockIDs();
    return true;
  }
};

char LastIrPass::ID = 0, UniqueBlocks::ID = 0;

/// The code generator's passes with these two among them.
class CodeGenPasses final : public legacy::PassManager {
public:
  CodeGenPasses(const Machine &machine, SpirvLines &lines, std::string &problem)
      : machine(machine), lines(lines), problem(problem) {}

  void add(Pass *pass) override {
    if (pass->getPassName() == "SPIRV emit intrinsics") {
      legacy::PassManager::add(new LastIrPass(machine, lines, problem));
      ++inserted;
    } else if (pass->getPassName() == "SPIRV Assembly Printer") {
      legacy::PassManager::add(new UniqueBlocks);
      ++inserted;
    }
    legacy::PassManager::add(pass);
  }
  bool isComplete() const { return inserted == 2; }

private:
  const Machine &machine;
  SpirvLines &lines;
  std::string &problem;
  unsigned inserted = 0;
};

} // namespace

std::string emitSpirv(Module &module, TargetMachine &generator,
                      const Machine &machine, std::string &problem) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  SpirvLines lines;
  CodeGenPasses passes(machine, lines, problem);
  if (generator.addPassesToEmitFile(passes, stream, nullptr,
                                    CodeGenFileType::ObjectFile,
                                    /*DisableVerify=*/true) ||
      !passes.isComplete()) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "this LLVM's code generator for SPIR-V has other "
                          "passes than the one that the compiler is made for");
  }
  passes.run(module);
  return problem.empty() ? lines.write(std::string(bytes.begin(), bytes.end()))
                         : "";
}

} // namespace tz::intel
