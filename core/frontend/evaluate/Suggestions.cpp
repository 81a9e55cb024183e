//===- Suggestions.cpp - what a user may have meant -----------------------===//
//
// What   See Suggestions.h; the table of names from elsewhere.
// Why    One table, so that a module, a tile and Python's own names answer
//        alike.
//
//===----------------------------------------------------------------------===//
#include "core/frontend/evaluate/Suggestions.h"

#include "core/frontend/Diagnostics.h"
#include "core/frontend/evaluate/Value.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tz::frontend {

std::string didYouMean(StringRef name, ArrayRef<StringRef> candidates) {
  StringRef near = nearestName(name, candidates);
  return near.empty() ? std::string()
                      : ("; did you mean '" + near + "'?").str();
}

std::string writtenHere(StringRef name) {
  StringRef way = StringSwitch<StringRef>(name)
                      .Cases({"matmul", "mm", "bmm"}, "tl.dot(a, b)")
                      .Case("relu", "tl.maximum(x, 0.0)")
                      .Case("mean", "tl.sum(x, axis) / n")
                      .Cases({"pow", "power"}, "tl.exp2(y * tl.log2(x))")
                      .Case("tanh", "2 * tl.sigmoid(2 * x) - 1")
                      .Cases({"concat", "concatenate", "stack"},
                             "tl.cat(a, b) or tl.join(a, b)")
                      .Case("transpose", "tl.trans(x)")
                      .Cases({"astype", "type_as", "half"}, "x.to(dtype)")
                      .Case("size", "x.shape[axis]")
                      .Cases({"ndim", "dim"}, "len(x.shape)")
                      .Cases({"empty", "ones"}, "tl.full(shape, value, dtype)")
                      .Case("any", "tl.max(x, axis) of integers")
                      .Case("all", "tl.min(x, axis) of integers")
                      .Cases({"thread_id", "threadIdx", "tid"},
                             "tl.arange(0, N): a program works on whole tiles")
                      .Cases({"syncthreads", "barrier"}, "tl.debug_barrier()")
                      .Default("");
  return way.empty() ? std::string() : ("; write " + way).str();
}

std::string keepConstexpr(const Value &value) {
  return value.isTile() &&
                 value.asTile().value.getDefiningOp<mlir::arith::ConstantOp>()
             ? "; a number that is assigned becomes a run-time value, unless "
               "it is written `name: tl.constexpr = ...`"
             : "";
}

} // namespace tz::frontend
