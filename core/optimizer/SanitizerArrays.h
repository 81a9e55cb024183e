//===- SanitizerArrays.h - arrays of a kernel, and accesses -----*- C++ -*-===//
//
// What   The arguments by which the launcher tells where arrays lie and where
//        their shadows are; the elements that an access touches.
// Why    Checks of memory ask the same of an access, whether its pointers are a
//        tile's or a view's.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_SANITIZERARRAYS_H
#define TERRAZZO_OPTIMIZER_SANITIZERARRAYS_H

#include "core/optimizer/SanitizerChecks.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tz::optimizer {

/// First byte and the one behind the last.
struct Ends {
  mlir::Value begin, end;
};

/// Arguments behind the kernel's own, made where they are first asked for.
class ArrayArguments {
public:
  explicit ArrayArguments(tile::KernelOp kernel) : kernel(kernel) {}
  tile::KernelOp getKernel() const { return kernel; }

  /// "x.begin" and "x.end"
  Ends endsOf(mlir::BlockArgument array);
  /// "x.part", an i64.
  mlir::Value partOf(mlir::BlockArgument array, llvm::StringRef part);
  std::string nameOf(mlir::BlockArgument array) {
    return kernel.getArgName(array.getArgNumber());
  }

private:
  tile::KernelOp kernel;
  llvm::StringMap<mlir::Value> known;
};

/// "load", "store", "atomic update"
llvm::StringRef accessName(mlir::Operation *op);
/// Of what a pointer or a tile of pointers points to.
unsigned pointeeBytes(mlir::Type pointerLike);
mlir::Value addressOf(CheckBuilder &c, mlir::Value pointer);

/// The elements of an access, one by one.
struct AccessLanes {
  mlir::Value pointers;
  mlir::Value wanted; ///< those that are accessed; null: all
};
AccessLanes lanesOf(CheckBuilder &c, mlir::Operation *access);
/// Lanes of the access that lie in the array.
mlir::Value lanesInside(CheckBuilder &c, const AccessLanes &lanes,
                        mlir::Value address, Ends ends, unsigned bytes);

/// The arrays of an access. Without one it is not checked, which a remark says.
std::optional<Arrays> knownArrays(mlir::Operation *op, llvm::StringRef check,
                                  SanitizerCounts &counts);

/// A block of a view: coordinates, and what of it is accessed.
class ViewBox {
public:
  ViewBox(CheckBuilder &c, mlir::Operation *access);

  /// Does an accessed element lie outside of [first byte, behind the last)?
  mlir::Value leaves(CheckBuilder &c, Ends ends) const;
  AccessLanes lanes(CheckBuilder &c) const;

  mlir::Value base;
  unsigned bytes;

private:
  tile::ViewType type;
  llvm::ArrayRef<bool> checked;
  llvm::SmallVector<mlir::Value> at, shape, strides;
};

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_SANITIZERARRAYS_H
