//===- SanitizerChecks.h - parts of a sanitizer's check ---------*- C++ -*-===//
//
// What   Emits what every check of Sanitize.cpp is made of: whether a lane of a
//        condition is set, and the report of the first that is.
// Why    A check costs one reduction where all is well; what is said of a
//        mistake is computed only where there is one.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_SANITIZERCHECKS_H
#define TERRAZZO_OPTIMIZER_SANITIZERCHECKS_H

#include "terrazzo/ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tz::optimizer {

/// Emits at the builder's place, with one location.
class CheckBuilder {
public:
  CheckBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// Has a lane of an i1 scalar or tile the value 1? An i1.
  mlir::Value anyOf(mlir::Value condition);
  /// Of all lanes of a tile of integers, as signed numbers.
  mlir::Value leastOf(mlir::Value tile);
  mlir::Value greatestOf(mlir::Value tile);
  /// A print with `report` about the first lane where `bad` is set, of which
  /// there is one. `values`: scalars, or tiles of the shape of `bad`. `more`:
  /// the text's last field.
  void report(llvm::StringRef check, llvm::StringRef what,
              llvm::StringRef array, mlir::Value bad,
              llvm::ArrayRef<mlir::Value> values, llvm::StringRef more = "");

  mlir::Value integer(int64_t value, unsigned bits);
  /// A scalar as a tile of the shape of `like`, which may be a scalar.
  mlir::Value spread(mlir::Value scalar, mlir::Type like);
  /// 0 of a number or tile of numbers.
  mlir::Value zero(mlir::Type type);
  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...)->getResult(0);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate how, mlir::Value x,
                      mlir::Value y) {
    return make<mlir::arith::CmpIOp>(how, x, y);
  }

  mlir::OpBuilder &b;
  const mlir::Location loc;

private:
  using Combine = llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)>;
  /// Over all lanes, whatever the rank.
  mlir::Value reduce(mlir::Value tile, Combine combine);
};

/// "file:line:column" of what the author wrote.
std::string placeText(mlir::Location loc);

/// Type of the same shape with other elements.
mlir::Type withElements(mlir::Type like, mlir::Type element);

/// The arguments that a pointer, tile of pointers or view can come from;
/// nothing if it may come from elsewhere.
using Arrays = llvm::SmallSetVector<mlir::BlockArgument, 2>;
std::optional<Arrays> arraysOf(mlir::Value pointer);

/// What Sanitize.cpp counts.
struct SanitizerCounts {
  uint64_t accesses = 0, unknown = 0, values = 0;
};

/// A loop that holds none.
bool isInnermost(mlir::scf::ForOp loop);
/// A branch in the loop's place: the loop where `isPlain` is set, else a copy,
/// whose ops `copies` then has.
void divideLoop(mlir::scf::ForOp loop, mlir::Value isPlain,
                mlir::IRMapping &copies);

class ArrayArguments;
void checkWritten(ArrayArguments &arguments,
                  llvm::ArrayRef<mlir::Operation *> accesses,
                  SanitizerCounts &counts);
/// Accesses of copies of loops are added.
void checkRaces(ArrayArguments &arguments,
                llvm::SmallVectorImpl<mlir::Operation *> &accesses,
                SanitizerCounts &counts);
void checkBounds(ArrayArguments &arguments,
                 llvm::ArrayRef<mlir::Operation *> accesses,
                 SanitizerCounts &counts);
void checkValues(tile::KernelOp kernel, SanitizerCounts &counts);
void reportOverflows(tile::KernelOp kernel, SanitizerCounts &counts);

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_SANITIZERCHECKS_H
