//===- CheckTarget.cpp - does a target make sense? ------------------------===//
//
// What   See CheckTarget.h.
// Why    See CheckTarget.h.
//===----------------------------------------------------------------------===//
#include "core/simt/CheckTarget.h"

#include "terrazzo/simt/SimtLowering.h"

#include "llvm/Support/MathExtras.h"

namespace tz::simt {

namespace {

void require(bool isFine, const char *question, uint64_t answer,
             const char *expected) {
  if (!isFine) {
    throw BadTarget(std::string("the target answers ") + question + " with " +
                    std::to_string(answer) + "; it must be " + expected);
  }
}

bool isPowerOf2Upto(uint64_t value, uint64_t most) {
  return llvm::isPowerOf2_64(value) && value <= most;
}

void checkLanes(unsigned lanes) {
  require(isPowerOf2Upto(lanes, 64), "lanes()", lanes,
          "a power of two from 1 to 64");
}

} // namespace

void checkTarget(const SimtTarget &target) {
  checkLanes(target.lanes());
  require(isPowerOf2Upto(uint64_t(target.vectorBytes()), 64), "vectorBytes()",
          uint64_t(target.vectorBytes()), "a power of two from 1 to 64");
  require(target.registers() <= 4096, "registers()", target.registers(),
          "at most 4096");
  require(target.sharedBytes() <= UINT32_MAX, "sharedBytes()",
          target.sharedBytes(), "less than 4 GiB");
  require(target.asyncCopyBytes() == 0 ||
              isPowerOf2Upto(target.asyncCopyBytes(), 16),
          "asyncCopyBytes()", target.asyncCopyBytes(),
          "0, or a power of two from 1 to 16");
  require(isPowerOf2Upto(target.clusterBlocks(), 16), "clusterBlocks()",
          target.clusterBlocks(), "a power of two from 1 to 16");
  require(target.mostAccumulators() > 0, "mostAccumulators()",
          target.mostAccumulators(), "at least 1");
}

void checkHooks(SimtHooks &hooks, llvm::LLVMContext &context) {
  checkLanes(hooks.lanes());
  llvm::IRBuilder<> b(context);
  const lowering::AddressSpaces spaces = hooks.elementwise(b)->addressSpaces();
  require(spaces.shared == 0 || (spaces.shared != spaces.device &&
                                 spaces.shared != spaces.constants),
          "addressSpaces().shared", spaces.shared,
          "0, or a space that neither arrays nor constants have");
}

void checkShared(const llvm::Value &memory,
                 const lowering::AddressSpaces &spaces) {
  const unsigned space = memory.getType()->getPointerAddressSpace();
  require(space == spaces.shared, "the space of sharedMemory()", space,
          "addressSpaces().shared");
}

} // namespace tz::simt
