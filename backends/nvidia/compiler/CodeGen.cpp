//===- CodeGen.cpp - from a kernel to PTX ---------------------------------===//
//
// What   See CodeGen.h.
// Why    See CodeGen.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/CodeGen.h"

#include "backends/nvidia/compiler/Check.h"
#include "backends/nvidia/compiler/Matrix.h"
#include "backends/nvidia/compiler/PtxHooks.h"

#include "terrazzo/simt/Variants.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

using namespace llvm;

namespace tz::nvidia {

namespace {

std::unique_ptr<TargetMachine>
makeMachine(const ArchitectureFacts &architecture) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // It keeps what it saves in a loop in registers: of a thread that has many,
    // but whose number decides how many threads run.
    auto &options = cl::getRegisteredOptions();
    if (auto found = options.find("disable-lsr"); found != options.end()) {
      static_cast<cl::opt<bool> *>(found->second)->setValue(true);
    }
  });
  Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const Target *found = TargetRegistry::lookupTarget(triple, problem);
  if (!found) {
    throw std::runtime_error(problem);
  }
  TargetOptions options;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, architecture.cpu, architecture.ptx, options, std::nullopt,
      std::nullopt, CodeGenOptLevel::Default));
}

/// The lowering chose vectors and unrolling; LLVM cleans up.
void optimize(Module &module, TargetMachine &machine) {
  PassBuilder builder(&machine);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  LoopPassManager invariants;
  invariants.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  invariants.addPass(LICMPass(LICMOptions()));
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(invariants),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  ModulePassManager all;
  all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

/// Words of 32 bits that a thread holds of the widest tile of floats.
int64_t widestTile(tile::KernelOp kernel) {
  int64_t words = 0;
  kernel.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      mlir::Type element = tile::elementType(type);
      if (simt::hasLayout(type) && isa<mlir::FloatType>(element)) {
        const int64_t count = simt::layoutOf(type).size(simt::Axis::Register);
        words = std::max(
            words, int64_t(divideCeil(
                       uint64_t(count) * tile::storageBytes(element), 4)));
      }
    }
  });
  return words;
}

/// What hides the latency of memory: with dots the loads that are under way,
/// else many threads, if each holds little.
SmallVector<unsigned, 4> blocksWanted(tile::KernelOp kernel, unsigned threads,
                                      const ArchitectureFacts &architecture) {
  const bool hasDot =
      kernel.walk([](simt::DotOp) { return mlir::WalkResult::interrupt(); })
          .wasInterrupted();
  const int64_t words = widestTile(kernel);
  SmallVector<unsigned, 4> wanted;
  if (!hasDot && words <= 16) {
    wanted = {2048, 1536, 1280};
  } else if (!hasDot && words <= 32) {
    wanted = {1024};
  }
  for (unsigned &one : wanted) {
    one = std::clamp(std::min(one, architecture.threads) / threads, 1u,
                     architecture.blocks);
  }
  wanted.push_back(1);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

} // namespace

std::string withBlocks(StringRef ptx, unsigned blocks) {
  const StringRef one = ".minnctapersm 1\n";
  auto [before, after] = ptx.split(one);
  return (before + ".minnctapersm " + Twine(blocks) + "\n" + after).str();
}

/// Emits one variant into the module; whether it has atomics on vectors.
static bool lowerVariant(simt::Variant &variant,
                         const ArchitectureFacts &architecture,
                         Module &module) {
  PtxHooks hooks(architecture);
  variant.lowered = simt::lower(variant.kernel, hooks, module);
  Function *function = variant.lowered.function;
  variant.lowered.function = nullptr;
  function->setCallingConv(CallingConv::PTX_Kernel);
  function->addFnAttr("nvvm.reqntid", std::to_string(variant.lowered.threads));
  // Without it ptxas keeps big kernels at 64 registers a thread and spills.
  function->addFnAttr("nvvm.minctasm", "1");
  for (Argument &argument : function->args()) {
    if (argument.hasByValAttr()) { // read where it is, not copied
      argument.addAttr(
          Attribute::get(function->getContext(), "nvvm.grid_constant"));
    }
  }
  if (variant.lowered.sharedBytes > architecture.sharedBytes) {
    throw simt::Unsupported(
        variant.kernel.getLoc(),
        "the kernel needs " + std::to_string(variant.lowered.sharedBytes) +
            " bytes of shared memory, a block of " + architecture.cpu.str() +
            " has " + std::to_string(architecture.sharedBytes) +
            "; use smaller tiles");
  }
  return hooks.hasVectorAtomics();
}

CompiledKernel compileToPtx(tile::KernelOp kernel,
                            const ArchitectureFacts &architecture,
                            const std::function<bool()> &isCancelled) {
  auto stopIfCancelled = [&] {
    if (isCancelled && isCancelled()) {
      throw Cancelled();
    }
  };
  CompiledKernel result;
  const PtxTarget plain(architecture, /*inBulk=*/false),
      inBulk(architecture, /*inBulk=*/true);
  result.variants =
      simt::makeVariants(kernel, architecture.number >= 90 ? &inBulk : nullptr,
                         plain, simt::FrameLimits());
  for (simt::Variant &variant : result.variants) {
    raw_string_ostream(result.layouts) << *variant.kernel << "\n";
  }
  stopIfCancelled();

  std::unique_ptr<TargetMachine> machine = makeMachine(architecture);
  LLVMContext context;
  Module module(kernel.getSymName(), context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  bool hasVectorAtomics = false;
  for (simt::Variant &variant : result.variants) {
    hasVectorAtomics |= lowerVariant(variant, architecture, module);
  }
  result.blocksWanted = blocksWanted(
      kernel, result.variants.back().lowered.threads, architecture);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(module, &problems)) {
    throw std::runtime_error("invalid code was made for the kernel: " +
                             problem);
  }
  stopIfCancelled();
  optimize(module, *machine);
  if (std::string left = problemOf(module); !left.empty()) {
    throw simt::Unsupported(kernel.getLoc(),
                            architecture.cpu.str() + " cannot compile " + left);
  }
  stopIfCancelled();
  raw_string_ostream(result.llvm) << module;
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager emit;
  if (machine->addPassesToEmitFile(emit, stream, nullptr,
                                   CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true)) {
    throw std::runtime_error("no code generation for this target");
  }
  emit.run(module);
  result.ptx.assign(bytes.begin(), bytes.end());
  if (hasVectorAtomics) {
    const std::string lowest = ".version 8.0\n";
    if (size_t at = result.ptx.find(lowest); at != std::string::npos) {
      result.ptx.replace(at, lowest.size(), ".version 8.1\n");
    }
  }
  return result;
}

} // namespace tz::nvidia
