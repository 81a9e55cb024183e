//===- CpuCodeGen.cpp - From a tile kernel to an object -------------------===//
//
// What   See CpuCodeGen.h.
// Why    A short list of passes: the lowering already chose vectors, unrolling
//        and the place of loop-invariant code; LLVM cleans up and selects
//        instructions. No vectoriser, no unroller, no inliner.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/compiler/CpuCodeGen.h"

#include "plugins/cpu/compiler/CpuCheck.h"
#include "plugins/cpu/compiler/ManyUses.h"
#include "plugins/cpu/compiler/Sink.h"
#include "plugins/cpu/compiler/lower/CpuLowering.h"
#include "plugins/cpu/compiler/lower/CpuUnroll.h"
#include "plugins/cpu/compiler/lower/MergeReductions.h"

#include "terrazzo/lowering/Simplification.h"
#include "terrazzo/plugin/Error.h"
#include "terrazzo/plugin/LLVMOption.h"

#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace llvm;

namespace tz::cpu {

namespace {

std::unique_ptr<TargetMachine> makeMachine(const CpuTarget &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    // Loop strength reduction takes a fifth of the time of code generation and
    // wins nothing measurable: the loops made here already count by what fits
    // the addressing modes.
    plugin::setOption("disable-lsr", "true");
    // Blocks that allocating registers looks at for one value and register
    // before it gives up keeping the value there. Only in a kernel of thousands
    // of blocks are there more; each value that lives through it would cost as
    // many steps again.
    plugin::setOption("grow-region-complexity-budget", "1000");
  });
  Triple triple("x86_64-unknown-linux-gnu");
  std::string problem;
  const llvm::Target *found = TargetRegistry::lookupTarget(triple, problem);
  if (!found) {
    throw plugin::Failure(TZ_E_INTERNAL, problem);
  }
  TargetOptions options;
  return std::unique_ptr<TargetMachine>(found->createTargetMachine(
      triple, "x86-64", target.features, options, Reloc::PIC_, CodeModel::Small,
      CodeGenOptLevel::Default));
}

void setAttributes(Module &module, const CpuTarget &target) {
  const std::string width = std::to_string(target.isa.vectorBits);
  for (Function &function : module) {
    if (function.isDeclaration()) {
      continue;
    }
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("min-legal-vector-width", width);
    function.addFnAttr(Attribute::NoUnwind);
  }
}

/// So many blocks that what lives through all of them decides how long
/// allocating registers takes.
constexpr size_t ManyBlocks = 400;

bool isLong(const Module &module) {
  return any_of(module, [](const Function &function) {
    return function.size() > ManyBlocks;
  });
}

/// Behind the first pass that finds out which conditions are one.
struct CutManyUsesPass : PassInfoMixin<CutManyUsesPass> {
  static PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    return function.size() > ManyBlocks && cutManyUses(function)
               ? PreservedAnalyses::none()
               : PreservedAnalyses::all();
  }
};

void optimize(Module &module, TargetMachine &machine) {
  lowering::runPasses(
      module, machine, [](ModulePassManager &all, PassBuilder &) {
        all.addPass(AlwaysInlinerPass()); // the tests of checked code
        all.addPass(createModuleToFunctionPassAdaptor(lowering::simplification(
            [](lowering::Place, FunctionPassManager &passes) {
              passes.addPass(CutManyUsesPass());
            })));
        all.addPass(GlobalDCEPass());
      });
}

Type *integersFor(Type *bfloats) {
  return bfloats->getWithNewType(Type::getInt16Ty(bfloats->getContext()));
}

/// A phi of bf16 as one of integers.
void carryPhi(PHINode &phi) {
  Type *integer = integersFor(phi.getType());
  auto *carried = PHINode::Create(integer, phi.getNumIncomingValues(), "",
                                  phi.getIterator());
  SmallDenseMap<BasicBlock *, Value *> casts; // two edges carry one value
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    BasicBlock *from = phi.getIncomingBlock(i);
    Value *&cast = casts[from];
    if (!cast) {
      cast = new BitCastInst(phi.getIncomingValue(i), integer, "",
                             from->getTerminator()->getIterator());
    }
    carried->addIncoming(cast, from);
  }
  phi.replaceAllUsesWith(new BitCastInst(
      carried, phi.getType(), "", phi.getParent()->getFirstInsertionPt()));
  phi.eraseFromParent();
}

/// A select of bf16 as one of integers: it may become a branch and a phi.
void carrySelect(SelectInst &select) {
  IRBuilder<> b(&select);
  Type *integer = integersFor(select.getType());
  Value *yes = b.CreateBitCast(select.getTrueValue(), integer);
  Value *no = b.CreateBitCast(select.getFalseValue(), integer);
  select.replaceAllUsesWith(b.CreateBitCast(
      b.CreateSelect(select.getCondition(), yes, no), select.getType()));
  select.eraseFromParent();
}

/// A bf16 that is chosen or goes to another block does so as an integer:
/// instruction selection would carry it as f32 and ask for a function that
/// rounds it back, which the device half does not have (decision R15).
void carryBfloatAsInteger(Module &module) {
  SmallVector<Instruction *> joins, values;
  for (Function &function : module) {
    for (Instruction &one : instructions(function)) {
      if (one.getType()->getScalarType()->isBFloatTy() &&
          isa<PHINode, SelectInst>(one)) {
        joins.push_back(&one);
      }
    }
  }
  for (Instruction *join : joins) {
    if (auto *phi = dyn_cast<PHINode>(join)) {
      carryPhi(*phi);
    } else {
      carrySelect(cast<SelectInst>(*join));
    }
  }
  for (Function &function : module) {
    for (Instruction &one : instructions(function)) {
      if (one.getType()->getScalarType()->isBFloatTy()) {
        values.push_back(&one);
      }
    }
  }
  for (Instruction *value : values) {
    Value *carried = nullptr;
    for (Use &use : make_early_inc_range(value->uses())) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->getParent() == value->getParent()) {
        continue;
      }
      if (!carried) {
        carried = new BitCastInst(value, integersFor(value->getType()), "",
                                  std::next(value->getIterator()));
      }
      use.set(
          new BitCastInst(carried, value->getType(), "", user->getIterator()));
    }
  }
}

/// As addPassesToEmitFile, but constants stay where instruction selection put
/// them: before the loop over programs, each would live through the function.
bool addPassesForLong(legacy::PassManager &passes, TargetMachine &machine,
                      raw_pwrite_stream &stream, CodeGenFileType type) {
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  config->disablePass(&EarlyMachineLICMID);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) {
    return true;
  }
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, type,
                            info->getMMI().getContext())) {
    return true;
  }
  passes.add(createFreeMachineFunctionPass());
  return false;
}

std::string emitFile(Module &module, TargetMachine &machine,
                     CodeGenFileType type) {
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager passes;
  if (isLong(module)
          ? addPassesForLong(passes, machine, stream, type)
          : machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                        /*DisableVerify=*/true)) {
    throw plugin::Failure(TZ_E_INTERNAL, "no code generation for this target");
  }
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

/// An object may ask for three functions and nothing else (decision R15).
void checkSymbols(const std::string &object) {
  auto file =
      object::ObjectFile::createObjectFile(MemoryBufferRef(object, "kernel"));
  if (!file) {
    throw plugin::Failure(TZ_E_INTERNAL, toString(file.takeError()));
  }
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      continue;
    }
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() &&
        *name != "memcpy" && *name != "memmove" && *name != "memset") {
      throw plugin::Failure(TZ_E_INTERNAL,
                            "the kernel needs the function '" + name->str() +
                                "', which nothing here provides");
    }
  }
}

} // namespace

CompiledKernel compileKernel(tile::KernelOp kernel,
                             const CpuTarget &machineKind,
                             const CompileOptions &options) {
  checkKernel(kernel);
  CpuTarget target = machineKind;
  if (options.vectorBits) {
    target.isa = target.isa.narrowedTo(options.vectorBits);
  }
  std::unique_ptr<TargetMachine> machine = makeMachine(target);
  LLVMContext context;
  Module module(kernel.getSymName(), context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  // Each test of a bound would stand there several times.
  if (!options.checked) {
    mergeReductions(kernel);
    unrollLoops(kernel);
  }
  CpuLowering lowering(kernel, target.isa, module, options.debugLevel);
  lowering.largeOutput = options.largeOutput;
  lowering.checked = options.checked;
  lowering.run();
  setAttributes(module, target);
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(module, &problems)) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "invalid code was made for the kernel: " + problem);
  }
  auto stopIfCancelled = [&] {
    if (options.cancelled && options.cancelled()) {
      throw Cancelled();
    }
  };
  stopIfCancelled();
  optimize(module, *machine);
  for (Function &function : module) {
    if (function.size() > ManyBlocks) {
      sinkCheapValues(function, ManyBlocks);
    }
  }
  carryBfloatAsInteger(module);
  stopIfCancelled();
  checkModule(module, target.isa, kernel);

  CompiledKernel result;
  result.argumentOffsets = lowering.argumentOffsets;
  result.argumentBytes = lowering.argumentBytes;
  result.usesLog = lowering.usesLog;
  result.logOffset = lowering.logOffset;
  for (const LogPoint &point : lowering.logPoints) {
    result.logPoints.push_back(point.op);
  }
  result.arenaBytes = lowering.arenaBytes();
  result.waits = lowering.waits();
  if (options.wantLLVM) {
    raw_string_ostream text(result.llvm);
    module.print(text, nullptr);
  }
  if (options.wantAsm) {
    std::unique_ptr<Module> copy = CloneModule(module);
    result.assembly = emitFile(*copy, *machine, CodeGenFileType::AssemblyFile);
  }
  result.object = emitFile(module, *machine, CodeGenFileType::ObjectFile);
  checkSymbols(result.object);
  return result;
}

} // namespace tz::cpu
