//===- CodeGen.cpp - from a kernel to PTX ---------------------------------===//
//
// What   See CodeGen.h.
// Why    See CodeGen.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/CodeGen.h"

#include "backends/nvidia/compiler/Assembler.h"
#include "backends/nvidia/compiler/Check.h"
#include "backends/nvidia/compiler/LateRewrites.h"
#include "backends/nvidia/compiler/Matrix.h"
#include "backends/nvidia/compiler/PtxHooks.h"
#include "backends/nvidia/compiler/Wgmma.h"

#include "terrazzo/simt/Variants.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <chrono>
#include <deque>
#include <future>
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
    // Strength reduction of loops keeps what it saves in registers: of a thread
    // that has many, but whose number decides how many threads run. Addresses
    // of shared memory have 32 bits: as 64, each is widened and cut again.
    auto &options = cl::getRegisteredOptions();
    for (const char *name : {"disable-lsr", "nvptx-short-ptr"}) {
      if (auto found = options.find(name); found != options.end()) {
        static_cast<cl::opt<bool> *>(found->second)->setValue(true);
      }
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
  passes.addPass(ADCEPass()); // what loops carried for copies alone
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  ModulePassManager all;
  all.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
  for (Function &function : module) {
    shareWideProducts(function);
    keepOrderedCompares(function);
    narrowGuardedShifts(function);
    shareDivisors(function); // a NaN gives a NaN, whatever its scale
  }
}

/// Words of 32 bits that a thread has of a tile of floats; else 0.
int64_t wordsOf(mlir::Type type) {
  mlir::Type element = tile::elementType(type);
  if (!simt::hasLayout(type) || !isa<mlir::FloatType>(element)) {
    return 0;
  }
  const int64_t count = simt::layoutOf(type).size(simt::Axis::Register);
  return int64_t(divideCeil(uint64_t(count) * tile::storageBytes(element), 4));
}

/// Words that a thread holds in a loop: of the tiles that it carries, of those
/// made before that it reads, and of the widest one that it loads.
int64_t wordsIn(mlir::LoopLikeOpInterface loop) {
  int64_t words = 0;
  for (mlir::Value carried : loop.getRegionIterArgs()) {
    words += wordsOf(carried.getType());
  }
  llvm::SetVector<mlir::Value> outer;
  mlir::getUsedValuesDefinedAbove(loop->getRegions(), outer);
  for (mlir::Value value : outer) {
    if (!value.getDefiningOp<tile::SplatOp>() &&
        !mlir::matchPattern(value, mlir::m_Constant())) {
      words += wordsOf(value.getType());
    }
  }
  int64_t loaded = 0;
  loop->walk([&](mlir::Operation *op) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      loaded = std::max(loaded, wordsOf(op->getResult(0).getType()));
    }
  });
  return words + loaded;
}

/// Words that a thread must hold at once: of the widest tile, ...
int64_t widestTile(tile::KernelOp kernel) {
  int64_t words = 0;
  kernel.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      words = std::max(words, wordsOf(type));
    }
  });
  return words;
}

/// ... and in a loop.
int64_t widestLoop(tile::KernelOp kernel) {
  int64_t words = 0;
  kernel.walk([&](mlir::LoopLikeOpInterface loop) {
    words = std::max(words, wordsIn(loop));
  });
  return words;
}

bool anyDot(tile::KernelOp kernel, function_ref<bool(simt::DotOp)> is) {
  return kernel
      .walk([&](simt::DotOp dot) {
        return is(dot) ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Elementwise operations on each byte that a thread loads or stores.
int64_t workPerByte(tile::KernelOp kernel) {
  int64_t work = 0, bytes = 1;
  auto count = [](mlir::Type type) {
    return simt::hasLayout(type)
               ? int64_t(simt::layoutOf(type).size(simt::Axis::Register))
               : 0;
  };
  auto move = [&](mlir::Type type) {
    bytes += count(type) * tile::storageBytes(tile::elementType(type));
  };
  kernel.walk([&](mlir::Operation *op) {
    if (isa<tile::LoadOp, tile::LoadViewOp>(op)) {
      move(op->getResult(0).getType());
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      move(store.getValue().getType());
    } else if (auto store = dyn_cast<tile::StoreViewOp>(op)) {
      move(store.getValue().getType());
    } else if (op->hasTrait<mlir::OpTrait::Elementwise>()) {
      work += count(op->getResult(0).getType());
    }
  });
  return work / bytes;
}

bool hasRecurrence(tile::KernelOp kernel) {
  return kernel
      .walk([](mlir::LoopLikeOpInterface loop) {
        return simt::isRecurrence(loop) ? mlir::WalkResult::interrupt()
                                        : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Threads of a multiprocessor, each of which holds so many words at once.
SmallVector<unsigned, 4> threadsWithoutDots(tile::KernelOp kernel,
                                            int64_t words) {
  if (words > 96) {
    return {};
  }
  if (words > 48 || hasRecurrence(kernel)) {
    return {512}; // 128 registers each
  }
  if (words > 16) {
    return {1024};
  }
  // What computes much waits for its own results; with few registers it would
  // compute some of them again.
  if (workPerByte(kernel) > 4) {
    return {1280};
  }
  return {2048, 1536, 1280};
}

/// How many blocks should fit into a multiprocessor; the first number that
/// needs no spills is taken, the last one anyway. What hides the latency of
/// memory: loads that are under way in loops with dots, and other blocks; else
/// many threads, if each holds little.
SmallVector<unsigned, 4> blocksWanted(const simt::Variant &variant,
                                      const ArchitectureFacts &architecture) {
  auto kernel = cast<tile::KernelOp>(variant.kernel);
  const unsigned threads = variant.lowered.threads;
  const bool hasDot = anyDot(kernel, [](simt::DotOp) { return true; });
  const bool hasRing =
      kernel.walk([](simt::RingOp) { return mlir::WalkResult::interrupt(); })
          .wasInterrupted();
  const int64_t words = widestTile(kernel);
  SmallVector<unsigned, 4> wanted;
  // wgmma that needs more registers than it gets is refused.
  if (hasRing && !anyDot(kernel, [](simt::DotOp dot) {
        return dot.getInstruction() == wgmmaName;
      })) {
    // As many as the rings leave shared memory for.
    constexpr unsigned addresses = 32;
    wanted = {threads * architecture.blocksBeside(threads,
                                                  unsigned(words) + addresses,
                                                  variant.lowered.sharedBytes)};
  } else if (hasDot && !hasRing && words <= 64) {
    wanted = {512, 384};
  } else if (!hasDot) {
    wanted = threadsWithoutDots(kernel, std::max(words, widestLoop(kernel)));
  }
  for (unsigned &one : wanted) {
    one = std::clamp(std::min(one, architecture.threads) / threads, 1u,
                     architecture.blocks);
  }
  wanted.push_back(1);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

/// The text of a kernel of which so many blocks shall fit; `ptx` says 1.
std::string withBlocks(StringRef ptx, unsigned blocks) {
  const StringRef one = ".minnctapersm 1\n";
  auto [before, after] = ptx.split(one);
  return (before + ".minnctapersm " + Twine(blocks) + "\n" + after).str();
}

/// Tells the host how long each stage took.
class Stages {
public:
  explicit Stages(const CodeGenOptions &options)
      : options(options), begun(now()) {}

  /// What was done since the last call.
  void mark(const Twine &stage) {
    const uint64_t ended = now();
    if (options.host && TZ_HAS_FN(options.host, tz_host, span)) {
      const std::string name = stage.str();
      options.host->span(options.host->ctx, options.request,
                         {name.data(), name.size()}, begun, ended);
    }
    begun = ended;
    if (options.isCancelled && options.isCancelled()) {
      throw Cancelled();
    }
  }

private:
  static uint64_t now() {
    return uint64_t(std::chrono::nanoseconds(
                        std::chrono::steady_clock::now().time_since_epoch())
                        .count());
  }

  const CodeGenOptions &options;
  uint64_t begun;
};

/// The code of one variant on its way.
struct Generation {
  Generation(simt::Variant &&variant, const ArchitectureFacts &architecture)
      : architecture(architecture), machine(makeMachine(architecture)),
        module(tile::KernelOp(variant.kernel).getSymName(), context) {
    made.variant = std::move(variant);
    module.setTargetTriple(machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());
  }

  void lower(unsigned mostRegisters);
  void finish(const CodeGenOptions &options, Assembler &assembler);
  /// It stays PTX.
  bool isLeft(const CodeGenOptions &options) const {
    return made.variant.isRare && options.leavesRare;
  }

  const ArchitectureFacts &architecture;
  std::unique_ptr<TargetMachine> machine;
  LLVMContext context;
  Module module;
  bool hasVectorAtomics = false;
  SmallVector<unsigned, 4> blocks; // that may fit, in the order of trial
  CompiledVariant made;

private:
  void emit();
};

void Generation::lower(unsigned mostRegisters) {
  PtxHooks hooks(architecture);
  simt::Variant &variant = made.variant;
  variant.lowered = simt::lower(variant.kernel, hooks, module);
  Function *function = variant.lowered.function;
  variant.lowered.function = nullptr;
  function->setCallingConv(CallingConv::PTX_Kernel);
  function->addFnAttr("nvvm.reqntid", std::to_string(variant.lowered.threads));
  // Without it ptxas keeps big kernels at 64 registers a thread and spills.
  function->addFnAttr("nvvm.minctasm", "1");
  if (mostRegisters) {
    function->addFnAttr("nvvm.maxnreg", std::to_string(mostRegisters));
  }
  for (Argument &argument : function->args()) {
    if (argument.hasByValAttr()) { // read where it is, not copied
      argument.addAttr(
          Attribute::get(function->getContext(), "nvvm.grid_constant"));
    }
  }
  if (variant.lowered.sharedBytes > architecture.sharedBytes) {
    throw simt::TooLarge(
        variant.kernel.getLoc(),
        "the kernel needs " + std::to_string(variant.lowered.sharedBytes) +
            " bytes of shared memory, a block of " + architecture.cpu.str() +
            " has " + std::to_string(architecture.sharedBytes) +
            "; use smaller tiles");
  }
  hasVectorAtomics = hooks.hasVectorAtomics();
  // A number of registers that was asked for says how many blocks fit.
  blocks = mostRegisters ? SmallVector<unsigned, 4>{1}
                         : blocksWanted(variant, architecture);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(module, &problems)) {
    throw std::runtime_error("invalid code was made for the kernel: " +
                             problem);
  }
}

void Generation::emit() {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true)) {
    throw std::runtime_error("no code generation for this target");
  }
  passes.run(module);
  made.ptx.assign(bytes.begin(), bytes.end());
  if (hasVectorAtomics) {
    const std::string lowest = ".version 8.0\n";
    if (size_t at = made.ptx.find(lowest); at != std::string::npos) {
      made.ptx.replace(at, lowest.size(), ".version 8.1\n");
    }
  }
}

void Generation::finish(const CodeGenOptions &options, Assembler &assembler) {
  Stages stages(options);
  const std::string of = " of " + module.getName().str();
  optimize(module, *machine);
  if (std::string left = problemOf(module); !left.empty()) {
    throw simt::Unsupported(made.variant.kernel.getLoc(),
                            architecture.cpu.str() + " cannot compile " + left);
  }
  if (options.keepsLLVM) {
    raw_string_ostream(made.llvm) << module;
  }
  stages.mark("optimize" + of);
  emit();
  stages.mark("emit" + of);
  if (isLeft(options)) {
    return;
  }
  SmallVector<AssemblerChoice, 4> choices;
  for (unsigned one : blocks) {
    const unsigned each = registersOfAll / (one * made.variant.lowered.threads);
    choices.push_back({withBlocks(made.ptx, one), std::min(each, 255u)});
  }
  size_t taken = choices.size() - 1;
  made.assembled = assembler.best(choices, taken);
  made.ptx = std::move(choices[taken].text);
  stages.mark("assemble" + of);
}

} // namespace

std::vector<CompiledVariant>
compileKernel(tile::KernelOp kernel, const ArchitectureFacts &architecture,
              const CodeGenOptions &options) {
  Stages stages(options);
  Assembler assembler(architecture.cpu, options.host);
  assembler.expect(1);
  const PtxTarget plain(architecture, /*inBulk=*/false, /*persists=*/false),
      inBulk(architecture, /*inBulk=*/true, options.persists);
  std::deque<Generation> all;
  for (simt::Variant &variant :
       simt::makeVariants(kernel, architecture.number >= 90 ? &inBulk : nullptr,
                          plain, simt::FrameLimits())) {
    all.emplace_back(std::move(variant), architecture);
  }
  assembler.expect(size_t(llvm::count_if(
      all, [&](Generation &one) { return !one.isLeft(options); })));
  stages.mark("layouts");
  size_t texts = 0;
  for (Generation &one : all) {
    one.lower(options.mostRegisters);
    texts += one.isLeft(options) ? 0 : one.blocks.size();
  }
  assembler.expect(texts);
  stages.mark("lower");
  // The variants share nothing any more. Where there are no more threads, they
  // come one after the other.
  std::vector<std::future<void>> others;
  for (Generation &one : llvm::drop_begin(all)) {
    others.push_back(std::async(std::launch::async | std::launch::deferred,
                                [&] { one.finish(options, assembler); }));
  }
  all.front().finish(options, assembler);
  for (std::future<void> &other : others) {
    other.get();
  }
  std::vector<CompiledVariant> result;
  for (Generation &one : all) {
    result.push_back(std::move(one.made));
  }
  return result;
}

} // namespace tz::nvidia
