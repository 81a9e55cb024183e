//===- TileMutation.h - changes of a tile kernel ----------------*- C++ -*-===//
//
// What   The state of one mutant while it changes a kernel: its words, the ops
//        that fit them, how many were changed.
// Why    Private to this folder: what is about ops, control and memory is in
//        TileMutants.cpp, what is about values in ValueMutants.cpp.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_MUTANTS_TILEMUTATION_H
#define TERRAZZO_TEST_MUTANTS_TILEMUTATION_H

#include "test/mutants/Mutants.h"

#include "mlir/IR/Builders.h"

#include <stdexcept>

namespace tz::mutants {

using namespace mlir;

/// The element type's name.
std::string nameOf(Type type);
/// Does one of the results, the first operand, or what is stored have the type
/// that a rule asks for?
bool hasType(Operation *op, const std::string &wanted);

class Mutation {
public:
  Mutation(tile::KernelOp kernel, const Words &line)
      : kernel(kernel), line(line), b(kernel.getContext()) {}
  unsigned run();

private:
  const std::string &word(size_t i) const {
    if (i >= line.size()) {
      throw std::invalid_argument("a word is missing after '" + line.back() +
                                  "'");
    }
    return line[i];
  }
  int number(size_t i) const { return std::stoi(word(i)); }
  const std::string &type() const { return line.back(); }
  std::vector<Operation *> opsNamed(const std::string &name) {
    std::vector<Operation *> ops;
    kernel.getOperation()->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name && hasType(op, type())) {
        ops.push_back(op);
      }
    });
    return ops;
  }
  template <typename Op>
  std::vector<Op> all() {
    std::vector<Op> ops;
    kernel.getOperation()->walk([&](Op op) { ops.push_back(op); });
    return ops;
  }
  /// Whoever uses a result shall use what `change` makes of it.
  void after(Operation *op, llvm::function_ref<Value(Value)> change);
  Value splat(Location at, Type type, TypedAttr element);
  Value zero(Location at, Type type) {
    return splat(at, type, b.getZeroAttr(tile::elementType(type)));
  }
  /// i1 of the shape of `type`: is this the last (first) along the last
  /// dimension? Null for scalars.
  Value isEnd(Location at, Type type, bool isLast);

  void swapOperands();
  void replace();
  void predicate();
  void mask();
  void other();
  void view();
  void results();
  void operands();
  void twice(Operation *op, Type middle);
  void control();
  void moveStores();
  void narrow();
  void axis();

  tile::KernelOp kernel;
  const Words &line;
  OpBuilder b;
  unsigned count = 0;
};

} // namespace tz::mutants

#endif // TERRAZZO_TEST_MUTANTS_TILEMUTATION_H
