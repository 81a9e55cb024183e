//===- FibersCompiler.h - kernels for fibers, and their code --------------===//
//
// What   From a kernel to a module in LLVM's bitcode, and from that to code.
// Why    The two halves of the test target meet here.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERSCOMPILER_H
#define TERRAZZO_TEST_FIBERS_FIBERSCOMPILER_H

#include "test/fibers/Fibers.h"
#include "test/fibers/FibersMachine.h"

#include "terrazzo/simt/Variants.h"

#include <memory>

namespace tz::fibers {

struct Compiled {
  std::string bitcode, text, layouts;
  std::vector<simt::Variant> variants; // their functions are gone
};

/// Rows of few elements are even already, so that blocks run several programs;
/// where they are not, blocks form clusters.
inline simt::FrameLimits frameLimits(const Machine &machine) {
  simt::FrameLimits limits;
  limits.evenBytes = 32;
  if (machine.hasBulkCopies) {
    limits.baseAlignment = limits.strideAlignment = machine.bulkAlignment;
  }
  if (machine.hasBlocks) {
    limits.baseAlignment = limits.leastRow = 64;
    limits.rowAlignment = 4;
  }
  return limits;
}

/// Assigns layouts and lowers. Throws simt::Unsupported. The entry of kernel K
/// is K.packed, which takes the address of the packed arguments.
Compiled compile(tile::KernelOp kernel, const Machine &machine);

/// Code of a module; its functions live as long as it does.
class Code {
public:
  virtual ~Code() = default;
  /// Of a warp of the machine that it was made for.
  virtual unsigned lanes() = 0;
  /// Of which shared memory's address is a multiple, and of no more. 0: it may
  /// be of more.
  virtual unsigned sharedAlignment() = 0;
  /// Do programs wait for others, so that they must begin in order?
  virtual bool isLinear() = 0;
  /// Do blocks start in the order of their programs?
  virtual bool startsInOrder() = 0;
  /// What messages call the ops, by number.
  virtual std::vector<std::string> ops() = 0;
  /// Null: not in it.
  virtual Entry find(const std::string &kernel) = 0;
};
/// Throws std::runtime_error.
std::unique_ptr<Code> load(llvm::StringRef bitcode);

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERSCOMPILER_H
