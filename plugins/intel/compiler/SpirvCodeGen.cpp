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
#include "llvm/Transforms/Utils/Cloning.h"

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

/// The code generator of LLVM 22 keeps numbers of functions by their addresses,
/// also of modules that are gone. A module one of whose functions comes to lie
/// at such an address uses a number twice, which the validator sees always: all
/// numbers are given out in order. Copies lie elsewhere, as long as the ones
/// before them live.
static std::string emitValid(const Module &module) {
  constexpr unsigned mostCopies = 8;
  std::vector<std::unique_ptr<Module>> copies;
  std::string wrong;
  while (copies.size() < mostCopies) {
    copies.push_back(CloneModule(module));
    std::string binary = emitSpirv(*copies.back(), *makeTargetMachine());
    wrong = validate(binary);
    if (wrong.empty()) {
      return binary;
    }
  }
  throw plugin::Failure(TZ_E_INTERNAL,
                        "SPIRV-Tools refuse the kernel's module: " + wrong);
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
  check(module);
  raw_string_ostream(result.llvm) << module;
  if (std::string left = problemOf(module, machine); !left.empty()) {
    throw simt::Unsupported(kernel.getLoc(),
                            machine.target.str() + " cannot compile " + left);
  }
  result.binary = emitValid(module);
  return result;
}

} // namespace tz::intel
