//===- Jit.cpp - Runs emitted IR through the device half's loader ---------===//
//
// What   See Jit.h.
// Why    See Jit.h.
//===----------------------------------------------------------------------===//
#include "plugins/cpu/test/Jit.h"

#include "plugins/cpu/device/CpuInfo.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>
#include <stdexcept>

using namespace llvm;

namespace tz::cpu::test {

std::string featuresOf(const std::string &level) {
  std::string features = "+sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16";
  if (level.find("-v2") == std::string::npos) {
    features += ",+avx,+avx2,+bmi,+bmi2,+f16c,+fma,+lzcnt,+movbe";
  }
  if (level.find("-v4") != std::string::npos) {
    features += ",+avx512f,+avx512bw,+avx512cd,+avx512dq,+avx512vl";
  }
  for (const char *extra : {"avx512bf16", "avx512vnni"}) {
    if (level.find(extra) != std::string::npos) {
      features += std::string(",+") + extra;
    }
  }
  for (const char *type : {"bf16", "int8"}) {
    if (level.find(std::string("amx") + type) != std::string::npos) {
      features += std::string(",+amx-tile,+amx-") + type;
    }
  }
  return features;
}

bool hostRuns(const std::string &level) {
  return whyIncompatible(CpuMachine::host(), "x86_64;" + featuresOf(level))
      .empty();
}

Jit::Jit(const std::string &level)
    : isa(Isa::fromFeatures(featuresOf(level))),
      module(std::make_unique<Module>("test", context)), level(level) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
  module->setTargetTriple(Triple("x86_64-unknown-linux-gnu"));
}

void Jit::define(const char *name, ArrayRef<Type *> params,
                 function_ref<void(IRBuilder<> &, Function *)> body) {
  Function *function = Function::Create(
      FunctionType::get(Type::getVoidTy(context), params, false),
      GlobalValue::ExternalLinkage, name, module.get());
  function->addFnAttr("target-cpu", "x86-64");
  function->addFnAttr("target-features", featuresOf(level));
  function->addFnAttr("prefer-vector-width", std::to_string(isa.vectorBits));
  function->addFnAttr("min-legal-vector-width", std::to_string(isa.vectorBits));
  IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
  body(builder, function);
  builder.CreateRetVoid();
}

void Jit::defineMap(
    const char *name, unsigned lanes, ArrayRef<Type *> inputs, Type *output,
    function_ref<Value *(IRBuilder<> &, ArrayRef<Value *>)> body) {
  SmallVector<Type *> params(inputs.size() + 1,
                             PointerType::getUnqual(context));
  params.push_back(Type::getInt64Ty(context));
  define(name, params, [&](IRBuilder<> &b, Function *function) {
    BasicBlock *entry = b.GetInsertBlock();
    BasicBlock *loop = BasicBlock::Create(context, "loop", function);
    BasicBlock *exit = BasicBlock::Create(context, "exit", function);
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    PHINode *i = b.CreatePHI(b.getInt64Ty(), 2);
    auto shaped = [&](Type *element) -> Type * {
      return lanes ? FixedVectorType::get(element, lanes) : element;
    };
    SmallVector<Value *> values;
    for (unsigned k = 0; k < inputs.size(); ++k) {
      Value *address = b.CreateGEP(inputs[k], function->getArg(k), i);
      values.push_back(
          b.CreateAlignedLoad(shaped(inputs[k]), address, Align(1)));
    }
    Value *result = body(b, values);
    b.CreateAlignedStore(
        result,
        b.CreateGEP(output, function->getArg(unsigned(inputs.size())), i),
        Align(1));
    Value *next = b.CreateAdd(i, b.getInt64(lanes ? lanes : 1));
    i->addIncoming(b.getInt64(0), entry);
    i->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(
        b.CreateICmpSLT(next, function->getArg(unsigned(inputs.size()) + 1)),
        loop, exit);
    b.SetInsertPoint(exit);
  });
}

/// VDPBF16PS as shifts and multiply-adds, for hosts that lack it: what is
/// tested then is all but the instruction itself.
static void emulatePairProducts(Module &module) {
  Function *intrinsic = module.getFunction("llvm.x86.avx512bf16.dpbf16ps.512");
  if (!intrinsic) {
    return;
  }
  for (User *user : make_early_inc_range(intrinsic->users())) {
    auto *call = cast<CallInst>(user);
    IRBuilder<> b(call);
    Type *words = FixedVectorType::get(b.getInt32Ty(), 16);
    Type *reals = FixedVectorType::get(b.getFloatTy(), 16);
    Value *sum = call->getArgOperand(0);
    auto part = [&](unsigned operand, bool high) {
      Value *bits = b.CreateBitCast(call->getArgOperand(operand), words);
      bits = high ? b.CreateAnd(bits, ConstantInt::get(words, 0xffff0000u))
                  : b.CreateShl(bits, 16);
      return b.CreateBitCast(bits, reals);
    };
    for (bool high : {true, false}) {
      sum = b.CreateFAdd(b.CreateFMul(part(1, high), part(2, high)), sum);
    }
    call->replaceAllUsesWith(sum);
    call->eraseFromParent();
  }
  intrinsic->eraseFromParent();
}

std::string Jit::emit(bool asText) {
  std::string features = featuresOf(level);
  if (!asText && !hostRuns(level)) {
    emulatePairProducts(*module);
    features = featuresOf("x86-64-v4");
    for (Function &function : *module) {
      if (!function.isDeclaration()) {
        function.addFnAttr("target-features", features);
      }
    }
  }
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(*module, &problems)) {
    throw std::runtime_error("invalid IR: " + problem);
  }
  Triple triple = module->getTargetTriple();
  const Target *target = TargetRegistry::lookupTarget(triple, problem);
  if (!target) {
    throw std::runtime_error(problem);
  }
  TargetOptions options;
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, "x86-64", features, options, Reloc::PIC_, CodeModel::Small,
      CodeGenOptLevel::Default));
  module->setDataLayout(machine->createDataLayout());
  PassBuilder passes(machine.get());
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);
  passes.buildPerModuleDefaultPipeline(OptimizationLevel::O1)
      .run(*module, modules);
  SmallVector<char> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, stream, nullptr,
                                   asText ? CodeGenFileType::AssemblyFile
                                          : CodeGenFileType::ObjectFile)) {
    throw std::runtime_error("no code generation for this target");
  }
  codegen.run(*module);
  return std::string(bytes.begin(), bytes.end());
}

std::string Jit::assembly() { return emit(true); }

void Jit::load() {
  std::string bytes = emit(false);
  std::string error;
  object = ElfObject::load(
      {reinterpret_cast<const std::byte *>(bytes.data()), bytes.size()}, error);
  if (!object) {
    throw std::runtime_error(error);
  }
}

void *Jit::address(const char *name) const {
  const ObjectSymbol *symbol = object ? object->find(name) : nullptr;
  if (!symbol || !symbol->code) {
    throw std::runtime_error(std::string("no function ") + name);
  }
  return const_cast<std::byte *>(symbol->address);
}

} // namespace tz::cpu::test
