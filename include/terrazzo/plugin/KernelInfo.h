//===- terrazzo/plugin/KernelInfo.h - what an artifact says of a kernel ---===//
//
// What   Types of values, places in the source, log points and arguments of a
//        tile.kernel, as the structs of the boundary.
// Why    Every compiler half that reads tile IR with the C++ SDK needs them.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PLUGIN_KERNELINFO_H
#define TERRAZZO_PLUGIN_KERNELINFO_H

#include "terrazzo/ir/Tile.h"
#include <terrazzo/plugin/Artifact.h>

namespace tz::plugin {

/// TZ_TYPE_* of a scalar or an element; 0 if the ABI has none.
inline uint32_t valueType(mlir::Type type) {
  if (llvm::isa<tz::tile::PtrType>(type)) {
    return TZ_TYPE_PTR;
  }
  if (auto integer = llvm::dyn_cast<mlir::IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return TZ_TYPE_I1;
    case 8:
      return TZ_TYPE_I8;
    case 16:
      return TZ_TYPE_I16;
    case 32:
      return TZ_TYPE_I32;
    default:
      return TZ_TYPE_I64;
    }
  }
#define FLOAT_TYPE(Id, Type, Format)                                           \
  if (llvm::isa<mlir::Type>(type)) {                                           \
    return TZ_TYPE_##Id;                                                       \
  }
#include "terrazzo/ElementTypes.def"
  return 0;
}

/// Signed integers of a print become the unsigned types where it says so.
inline uint32_t printedType(mlir::Type type, bool isSigned) {
  uint32_t id = valueType(type);
  return !isSigned && id >= TZ_TYPE_I8 && id <= TZ_TYPE_I64
             ? id + (TZ_TYPE_U8 - TZ_TYPE_I8)
             : id;
}

/// Where a location is in the source; empty if it is nowhere.
struct SourcePlace {
  std::string file;
  uint32_t line = 0, column = 0;
};

inline SourcePlace placeOf(mlir::Location location) {
  SourcePlace place;
  location->walk([&](mlir::Location inner) {
    if (auto exact = llvm::dyn_cast<mlir::FileLineColLoc>(inner)) {
      place = {exact.getFilename().str(), exact.getLine(), exact.getColumn()};
      return mlir::WalkResult::interrupt();
    }
    return mlir::WalkResult::advance();
  });
  return place;
}

/// An op that writes into the log of the launch.
inline bool isLogPoint(mlir::Operation *op) {
  return llvm::isa<tz::tile::PrintOp, tz::tile::AssertOp, tz::tile::RecordOp>(
      op);
}

/// What the host must know of a log point.
inline LogSite logSiteOf(mlir::Operation *op, llvm::StringRef kernel) {
  LogSite site;
  SourcePlace place = placeOf(op->getLoc());
  site.file = place.file;
  site.line = place.line;
  site.col = place.column;
  site.function = kernel.str();
  if (auto check = llvm::dyn_cast<tz::tile::AssertOp>(op)) {
    site.kind = TZ_LOG_ASSERT;
    site.text = check.getMessage().str();
    return site;
  }
  if (auto part = llvm::dyn_cast<tz::tile::RecordOp>(op)) {
    site.kind = TZ_LOG_PART;
    site.flags = part.getEnd() ? TZ_LOG_END : 0;
    site.text = part.getPart().str();
    return site;
  }
  auto print = llvm::cast<tz::tile::PrintOp>(op);
  site.kind = print.getReport() ? TZ_LOG_REPORT : TZ_LOG_PRINT;
  site.flags = print.getHex() ? TZ_LOG_HEX : 0;
  site.text = print.getPrefix().str();
  for (auto [value, isSigned] :
       llvm::zip(print.getArgs(), print.getIsSigned())) {
    LogSite::Value described;
    described.type =
        printedType(tz::tile::elementType(value.getType()), isSigned);
    llvm::ArrayRef<int64_t> shape = tz::tile::shapeOf(value.getType());
    described.shape.assign(shape.begin(), shape.end());
    site.values.push_back(std::move(described));
  }
  return site;
}

inline void appendLogSites(Artifact &artifact,
                           llvm::ArrayRef<mlir::Operation *> points,
                           llvm::StringRef kernel) {
  for (mlir::Operation *op : points) {
    artifact.logSites.push_back(logSiteOf(op, kernel));
  }
}

/// The kernel's own arguments, in order.
inline void appendArguments(KernelDescription &info,
                            tz::tile::KernelOp kernel) {
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    info.append(kernel.getArgName(static_cast<unsigned>(i)), TZ_ARG_USER,
                static_cast<uint32_t>(i), valueType(type),
                tz::tile::storageBytes(type));
  }
}

} // namespace tz::plugin

#endif // TERRAZZO_PLUGIN_KERNELINFO_H
