//===- SpirvCodeGen.cpp - from a kernel to a SPIR-V module ----------------===//
//
// What   See SpirvCodeGen.h.
// Why    See SpirvCodeGen.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/SpirvCodeGen.h"

#include "plugins/intel/compiler/IntelTarget.h"
#include "plugins/intel/compiler/hooks/SpirvHooks.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/Verifier.h"

#include <mutex>

using namespace llvm;

namespace tz::intel {

simt::FrameLimits frameLimits() { return {}; }

static void lowerVariant(simt::Variant &variant, const Machine &machine,
                         Module &module) {
  SpirvHooks hooks(machine);
  variant.lowered = simt::lower(variant.kernel, hooks, module);
  simt::Lowered &lowered = variant.lowered;
  if (lowered.sharedBytes > machine.sharedBytes) {
    throw simt::TooLarge(
        variant.kernel.getLoc(),
        "the kernel needs " + std::to_string(lowered.sharedBytes) +
            " bytes of local memory, a work-group of " + machine.target.str() +
            " has " + std::to_string(machine.sharedBytes) +
            "; use smaller tiles");
  }
  giveSharedMemory(hooks.sharedVariable(), lowered.sharedBytes);
  lowered.sharedBytes = 0; // nothing is left for the launch to give
  makeEntry(lowered.function, {machine.lanes, lowered.threads});
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

Compiled compileKernel(tile::KernelOp kernel, const Machine &machine) {
  Compiled result;
  const IntelTarget plain(machine);
  result.variants = simt::makeVariants(kernel, nullptr, plain, frameLimits());
  for (simt::Variant &variant : result.variants) {
    raw_string_ostream(result.layouts) << *variant.kernel << "\n";
  }
  // The code generator keeps what it knows of a module in static variables.
  static std::mutex one;
  std::lock_guard guard(one);
  LLVMContext context;
  Module module(kernel.getSymName(), context);
  std::unique_ptr<TargetMachine> generator = makeTargetMachine();
  module.setTargetTriple(generator->getTargetTriple());
  module.setDataLayout(generator->createDataLayout());
  for (simt::Variant &variant : result.variants) {
    lowerVariant(variant, machine, module);
  }
  check(module);
  widenAtomics(module);
  narrowWideProducts(module);
  optimize(module, *generator);
  widenIntegers(module);
  expandBitReversals(module);
  check(module);
  raw_string_ostream(result.llvm) << module;
  std::string left = problemOf(module, machine);
  if (left.empty()) {
    result.binary = emitSpirv(module, *makeTargetMachine(), machine, left);
  }
  if (!left.empty()) {
    throw simt::Unsupported(kernel.getLoc(),
                            machine.target.str() + " cannot compile " + left);
  }
  if (std::string wrong = validate(result.binary); !wrong.empty()) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "SPIRV-Tools refuse the kernel's module: " + wrong);
  }
  return result;
}

} // namespace tz::intel
