//===- AmdgcnCodeGen.cpp - from a kernel to a code object -----------------===//
//
// What   See AmdgcnCodeGen.h.
// Why    See AmdgcnCodeGen.h.
//===----------------------------------------------------------------------===//
#include "plugins/amd/compiler/AmdgcnCodeGen.h"

#include "plugins/amd/compiler/AmdTarget.h"
#include "plugins/amd/compiler/hooks/AmdgcnHooks.h"
#include "plugins/amd/compiler/llvm/Amdgcn.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tz::amd {

static void lowerVariant(simt::Variant &variant, const Machine &machine,
                         const CodeGenOptions &options, Module &module,
                         Compiled &result) {
  AmdgcnHooks hooks(machine);
  variant.lowered =
      simt::lower(variant.kernel, hooks, module, {options.debugLevel});
  if (&variant == &result.variants.front() && hooks.branches()) {
    result.branches = hooks.branches();
    result.firstBranch = hooks.firstBranch()->getLoc();
  }
  simt::Lowered &lowered = variant.lowered;
  if (lowered.sharedBytes > machine.sharedBytes) {
    throw simt::TooLarge(
        variant.kernel.getLoc(),
        "the kernel needs " + std::to_string(lowered.sharedBytes) +
            " bytes of LDS, a workgroup of " + machine.cpu.str() + " has " +
            std::to_string(machine.sharedBytes) + "; use smaller tiles");
  }
  giveSharedMemory(hooks.sharedVariable(), lowered.sharedBytes,
                   lowered.sharedAlignment);
  lowered.sharedBytes = 0; // nothing is left for the launch to give
  makeEntry(*lowered.function, {lowered.threads, options.wavesPerSimd});
  lowered.function = nullptr;
}

static void check(const Module &module) {
  std::string problem;
  raw_string_ostream problems(problem);
  if (verifyModule(module, &problems)) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "invalid code was made for the kernel: " + problem);
  }
}

Compiled compileKernel(tile::KernelOp kernel, const Machine &machine,
                       const CodeGenOptions &options) {
  Compiled result;
  const AmdTarget plain(machine);
  result.variants =
      simt::makeVariants(kernel, nullptr, plain, simt::FrameLimits());
  for (simt::Variant &variant : result.variants) {
    result.layouts += simt::textOf(variant.kernel, options.debugLevel);
  }
  LLVMContext context;
  Module module(kernel.getSymName(), context);
  std::unique_ptr<TargetMachine> generator = makeTargetMachine(machine);
  module.setTargetTriple(generator->getTargetTriple());
  module.setDataLayout(generator->createDataLayout());
  module.addModuleFlag(Module::Error, "amdhsa_code_object_version",
                       options.codeObjectVersion * 100);
  for (simt::Variant &variant : result.variants) {
    lowerVariant(variant, machine, options, module, result);
  }
  check(module);
  optimize(module, *generator);
  raw_string_ostream(result.llvm) << module;
  if (std::string left = problemOf(module); !left.empty()) {
    throw simt::Unsupported(kernel.getLoc(),
                            machine.target.str() + " cannot compile " + left);
  }
  if (options.keepsText) { // the code generator changes what it reads
    result.text = emit(*CloneModule(module), *makeTargetMachine(machine),
                       CodeGenFileType::AssemblyFile);
  }
  result.codeObject =
      linkCodeObject(emit(module, *generator, CodeGenFileType::ObjectFile));
  result.figures = figuresOf(result.codeObject);
  result.loops = hotLoopsOf(result.codeObject, machine);
  return result;
}

} // namespace tz::amd
