//===- FibersAccesses.h - the code says what it accesses --------*- C++ -*-===//
//
// What   A call before each access to shared and device memory, and names of
//        the ops that messages speak of.
// Why    The simulator looks at who accesses what in which order.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FIBERS_FIBERSACCESSES_H
#define TERRAZZO_TEST_FIBERS_FIBERSACCESSES_H

#include "mlir/IR/Operation.h"

#include "llvm/IR/Function.h"

#include <string>
#include <vector>

namespace tz::fibers {

/// LLVM's name of the scope of a program.
inline constexpr llvm::StringLiteral ProgramScope = "workgroup";

/// Ops by number; 0: what stands before the first op.
class OpNames {
public:
  uint32_t add(mlir::Operation *op);
  std::string text() const;
  static std::vector<std::string> parse(const char *text);

private:
  std::vector<std::string> names;
};

/// Each access names the memory that it goes to, but for stack and descriptors;
/// throws std::runtime_error if one does not.
void reportAccesses(llvm::Function &function);

} // namespace tz::fibers

#endif // TERRAZZO_TEST_FIBERS_FIBERSACCESSES_H
