//===- SpirvCodeGen.cpp - from a kernel to a SPIR-V module ----------------===//
//
// What   See SpirvCodeGen.h.
// Why    See SpirvCodeGen.h.
//===----------------------------------------------------------------------===//
#include "plugins/intel/compiler/SpirvCodeGen.h"

#include "plugins/intel/Frame.h"
#include "plugins/intel/compiler/IntelTarget.h"
#include "plugins/intel/compiler/hooks/SpirvHooks.h"
#include "plugins/intel/compiler/spirv/Spirv.h"

#include "terrazzo/plugin/Error.h"

#include "llvm/IR/Verifier.h"

#include <mutex>

using namespace llvm;

namespace tz::intel {

simt::FrameLimits frameLimits() {
  simt::FrameLimits limits;
  limits.baseAlignment = limits.leastRow = 64;
  limits.rowAlignment = 4;
  // Width, height and pitch are numbers of 24 bits.
  limits.pitchEnd = limits.extentEnd = int64_t{1} << 24;
  limits.rowsApart = true;
  return limits;
}

/// Of the kernel's largest descriptor.
static size_t descriptorBytes(tile::KernelOp kernel) {
  size_t rank = 2;
  kernel.walk([&](simt::DescriptorOp one) {
    rank = std::max(rank, one.getType().getBox().size());
  });
  return frameBytes(rank);
}

static void lowerVariant(simt::Variant &variant, const Machine &machine,
                         unsigned debugLevel, Module &module) {
  SpirvHooks hooks(machine, descriptorBytes(variant.kernel));
  variant.lowered = simt::lower(variant.kernel, hooks, module, {debugLevel});
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

/// Of the entry point that needs most.
static unsigned registersNeeded(const Module &module, const Machine &machine) {
  unsigned most = 0;
  for (const Function &function : module) {
    if (function.getCallingConv() == CallingConv::SPIR_KERNEL) {
      most = std::max(most, registersNeeded(function, machine));
    }
  }
  return most;
}

static bool hasBlocks(const simt::Variant &variant) {
  tile::KernelOp kernel = variant.kernel;
  return kernel
      .walk([](simt::LoadBlockOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

Compiled compileKernel(tile::KernelOp kernel, const Machine &machine,
                       const Machine &plain, unsigned debugLevel) {
  Compiled result;
  const IntelTarget inBlocks(machine, true), without(plain, false);
  result.variants =
      simt::makeVariants(kernel, inBlocks.hasBlocks() ? &inBlocks : nullptr,
                         without, frameLimits());
  for (simt::Variant &variant : result.variants) {
    result.layouts += simt::textOf(variant.kernel, debugLevel);
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
    lowerVariant(variant, hasBlocks(variant) ? machine : plain, debugLevel,
                 module);
  }
  check(module);
  widenAtomics(module);
  narrowWideProducts(module);
  optimize(module, *generator);
  widenIntegers(module);
  numberPointerVectors(module);
  expandBitReversals(module);
  takeParts(module);
  if (machine.mayBeCpu()) {
    expandConversions(module);
  }
  check(module);
  raw_string_ostream(result.llvm) << module;
  if (machine.registers != 0) {
    result.registers = registersNeeded(module, machine);
  }
  unsigned threads = 0;
  for (const simt::Variant &variant : result.variants) {
    threads = std::max(threads, variant.lowered.threads);
  }
  std::string left = problemOf(module, machine);
  if (left.empty()) {
    result.binary = emitSpirv(module, *makeTargetMachine(), machine, left);
  }
  if (!left.empty()) {
    throw simt::Unsupported(kernel.getLoc(),
                            machine.target.str() + " cannot compile " + left);
  }
  // What emulates runs on devices that have no choice.
  if (result.registers > machine.roomyRegisters && !machine.emulates &&
      threads <= MostRoomyThreads) {
    result.hasLargeFile = true;
    result.binary = noteLargeFile(std::move(result.binary));
  }
  if (std::string wrong = validate(result.binary); !wrong.empty()) {
    throw plugin::Failure(TZ_E_INTERNAL,
                          "SPIRV-Tools refuse the kernel's module: " + wrong);
  }
  return result;
}

} // namespace tz::intel
