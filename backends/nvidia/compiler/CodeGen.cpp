//===- CodeGen.cpp - from a kernel to PTX ---------------------------------===//
//
// What   See CodeGen.h.
// Why    See CodeGen.h.
//===----------------------------------------------------------------------===//
#include "backends/nvidia/compiler/CodeGen.h"

#include "backends/nvidia/compiler/Occupancy.h"
#include "backends/nvidia/compiler/assemble/Assembler.h"
#include "backends/nvidia/compiler/hooks/PtxHooks.h"
#include "backends/nvidia/compiler/hooks/PtxMatrix.h"
#include "backends/nvidia/compiler/llvm/LLVMPipeline.h"
#include "backends/nvidia/compiler/llvm/LateRewrites.h"
#include "backends/nvidia/compiler/llvm/SelectionCheck.h"

#include "terrazzo/plugin/Error.h"
#include "terrazzo/simt/Variants.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

#include <chrono>
#include <deque>
#include <future>
#include <mutex>

using namespace llvm;

namespace tz::nvidia {

namespace {

/// The text of a kernel of which so many blocks shall fit; `ptx` says 1. LLVM
/// could say it too, but its code does not depend on it, and each number would
/// cost another run of the code generator.
std::string withBlocks(StringRef ptx, unsigned blocks) {
  const StringRef one = ".minnctapersm 1\n";
  if (ptx.count(one) != 1) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "the code generator did not say how many blocks "
                          "shall fit (.minnctapersm)");
  }
  auto [before, after] = ptx.split(one);
  return (before + ".minnctapersm " + Twine(blocks) + "\n" + after).str();
}

/// The same kernel, in which loads may come late, for fewer registers.
std::string withoutHolding(StringRef ptx) {
  std::string text = ptx.str();
  for (size_t at = 0; (at = text.find(HoldingLoads, at)) != text.npos;) {
    text.replace(at, HoldingLoads.size(), HoldingNone.str());
  }
  return text;
}

/// What to assemble, the best first. Loads that are held together are worth
/// some of many blocks, and none of a few, which hide each other's work.
SmallVector<AssemblerChoice, 4>
choicesOf(StringRef ptx, const WantedBlocks &blocks, unsigned threads) {
  constexpr unsigned many = 8;
  const bool holds = ptx.contains(HoldingLoads);
  const std::string plain = holds ? withoutHolding(ptx) : ptx.str();
  SmallVector<AssemblerChoice, 4> choices;
  auto add = [&](StringRef text, unsigned one, bool holding) {
    choices.push_back({withBlocks(text, one),
                       std::min(RegistersOfAll / (one * threads), 255u),
                       holding, one, threads, blocks.cheapSpills,
                       blocks.slightSpills, blocks.cramped});
  };
  for (unsigned one : blocks.numbers) {
    if (holds && one >= many) {
      add(ptx, one, true);
    }
  }
  for (unsigned one : blocks.numbers) {
    if (holds && one < many) {
      add(ptx, one, true);
    }
    add(plain, one, false);
  }
  return choices;
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
      : architecture(architecture),
        module(tile::KernelOp(variant.kernel).getSymName(), context) {
    made.variant = std::move(variant);
    std::unique_ptr<TargetMachine> machine =
        makeMachine(architecture, architecture.ptx);
    module.setTargetTriple(machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());
  }

  void lower(const CodeGenOptions &options);
  void finish(const CodeGenOptions &options, Assembler &assembler);
  /// It stays PTX.
  bool isLeft(const CodeGenOptions &options) const {
    return made.variant.isRare && options.leavesRare;
  }

  const ArchitectureFacts &architecture;
  LLVMContext context;
  Module module;
  StringRef ptxFeature; // the version of PTX, as LLVM's feature
  WantedBlocks blocks;
  CompiledVariant made;
};

void Generation::lower(const CodeGenOptions &options) {
  const unsigned mostRegisters = options.mostRegisters;
  simt::Variant &variant = made.variant;
  PtxHooks hooks(architecture, /*mayExchange=*/mostRegisters == 0);
  variant.lowered =
      simt::lower(variant.kernel, hooks, module,
                  {options.debugLevel, lowering::DebugInfo::Form::Directives});
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
  // The lowest version that has what the code uses (R16).
  const bool needsMore =
      hooks.hasVectorAtomics() && architecture.ptx == "+ptx80";
  ptxFeature = needsMore ? "+ptx81" : architecture.ptx;
  // A number of registers that was asked for says how many blocks fit. Warp
  // groups that exchange registers count on those of a single block.
  blocks = mostRegisters || hooks.exchangesRegisters()
               ? WantedBlocks{{1}}
               : blocksWanted(variant, architecture);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(module, &problems)) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "invalid code was made for the kernel: " + problem);
  }
}

void Generation::finish(const CodeGenOptions &options, Assembler &assembler) {
  Stages stages(options);
  const std::string of = " of " + module.getName().str();
  std::unique_ptr<TargetMachine> machine =
      makeMachine(architecture, ptxFeature);
  optimize(module, *machine);
  if (std::string left = problemOf(module); !left.empty()) {
    throw simt::Unsupported(made.variant.kernel.getLoc(),
                            architecture.cpu.str() + " cannot compile " + left);
  }
  if (options.keepsLLVM) {
    raw_string_ostream(made.llvm) << module;
  }
  stages.mark("optimize" + of);
  made.ptx = emitPtx(module, *machine);
  stages.mark("emit" + of);
  if (isLeft(options)) {
    return;
  }
  SmallVector<AssemblerChoice, 4> choices =
      choicesOf(made.ptx, blocks, made.variant.lowered.threads);
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
      inBulk(architecture, /*inBulk=*/true, options.persists,
             options.splitBlocks);
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
    one.lower(options);
    texts += one.isLeft(options) ? 0 : one.blocks.numbers.size();
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
