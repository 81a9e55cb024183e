//===- EmitAmdgcn.cpp - from LLVM IR to AMDGCN ----------------------------===//
//
// What   See Amdgcn.h.
// Why    LLVM's default pipeline vectorizes and unrolls what layouts have
//        decided.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/llvm/Amdgcn.h"
#include "plugins/amd/compiler/llvm/SinkPredicates.h"

#include "terrazzo/lowering/Simplification.h"
#include "terrazzo/plugin/Error.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/ADCE.h"

#include <mutex>

extern "C" void LLVMInitializeAMDGPUTargetInfo();
extern "C" void LLVMInitializeAMDGPUTarget();
extern "C" void LLVMInitializeAMDGPUTargetMC();
extern "C" void LLVMInitializeAMDGPUAsmPrinter();

using namespace llvm;

namespace tz::amd {

/// Without products of bytes that are summed by one instruction: LLVM 22 takes
/// the operands of whatever is added to a product for products, too.
static std::string features(const Machine &machine) {
  return std::string(machine.lanes == 32 ? "+wavefrontsize32," : "") +
         "-dot7-insts";
}

std::unique_ptr<TargetMachine> makeTargetMachine(const Machine &machine) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
  });
  Triple triple("amdgcn-amd-amdhsa");
  std::string problem;
  const Target *found = TargetRegistry::lookupTarget(triple, problem);
  if (!found) {
    throw plugin::Failure(TZ_E_INTERNAL, problem);
  }
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, machine.cpu, features(machine), TargetOptions(), Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Default));
}

void makeEntry(Function &function, const EntryFacts &facts) {
  LLVMContext &context = function.getContext();
  function.setCallingConv(CallingConv::AMDGPU_KERNEL);
  function.setVisibility(GlobalValue::ProtectedVisibility);
  function.setLinkage(GlobalValue::ExternalLinkage);
  function.addFnAttr(Attribute::NoUnwind);
  const std::string threads = std::to_string(facts.threads);
  function.addFnAttr("amdgpu-flat-work-group-size", threads + "," + threads);
  function.addFnAttr("uniform-work-group-size", "true");
  // Minima and maxima of what was loaded need no step that quiets NaNs.
  function.addFnAttr("amdgpu-ieee", "false");
  if (facts.wavesPerSimd) {
    function.addFnAttr("amdgpu-waves-per-eu",
                       std::to_string(facts.wavesPerSimd));
  }
  auto number = [&](unsigned value) {
    return ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(context), value));
  };
  function.setMetadata(
      "reqd_work_group_size",
      MDNode::get(context, {number(facts.threads), number(1), number(1)}));
}

void giveSharedMemory(GlobalVariable *shared, uint64_t bytes,
                      uint64_t alignment) {
  if (bytes == 0) {
    shared->replaceAllUsesWith(PoisonValue::get(shared->getType()));
    shared->eraseFromParent();
    return;
  }
  Type *type = ArrayType::get(Type::getInt8Ty(shared->getContext()), bytes);
  auto *sized = new GlobalVariable(
      *shared->getParent(), type, false, GlobalValue::InternalLinkage,
      PoisonValue::get(type), "", nullptr, GlobalValue::NotThreadLocal,
      shared->getAddressSpace());
  sized->takeName(shared);
  sized->setAlignment(Align(std::max<uint64_t>(alignment, 16)));
  shared->replaceAllUsesWith(sized);
  shared->eraseFromParent();
}

/// What loops carried for copies only goes.
static void addOwnPasses(lowering::Place place, FunctionPassManager &passes) {
  if (place == lowering::Place::BeforeLastCombine) {
    passes.addPass(ADCEPass());
  }
}

void optimize(Module &module, TargetMachine &machine) {
  lowering::runPasses(
      module, machine, [](ModulePassManager &all, PassBuilder &builder) {
        all.addPass(createModuleToFunctionPassAdaptor(
            lowering::simplification(addOwnPasses)));
        // The target's own: which hidden arguments a kernel reads. The driver
        // fills in no others.
        builder.invokeOptimizerLastEPCallbacks(all, OptimizationLevel::O2,
                                               ThinOrFullLTOPhase::None);
        all.addPass(createModuleToFunctionPassAdaptor(SinkPredicates()));
      });
}

namespace {

/// Keeps the first error: without a handler, LLVM would end the process.
class FirstError final : public DiagnosticHandler {
public:
  explicit FirstError(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error && text.empty()) {
      raw_string_ostream stream(text);
      DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true;
  }

private:
  std::string &text;
};

} // namespace

std::string emit(Module &module, TargetMachine &machine, CodeGenFileType type) {
  std::string problem;
  module.getContext().setDiagnosticHandler(
      std::make_unique<FirstError>(problem));
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                  /*DisableVerify=*/true)) {
    throw plugin::Failure(TZ_E_INTERNAL, "no code generation for this target");
  }
  passes.run(module);
  module.getContext().setDiagnosticHandler(nullptr);
  if (!problem.empty()) {
    throw plugin::Failure(TZ_E_UNSUPPORTED_OP,
                          "LLVM's code generator refuses the kernel: " +
                              problem);
  }
  return std::string(bytes.begin(), bytes.end());
}

} // namespace tz::amd
