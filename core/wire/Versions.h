//===- Versions.h - what an older version cannot say ------------*- C++ -*-===//
//
// What   Compares an op with the versions in its records.
// Why    A file for an older reader is refused where the op gets a meaning that
//        the reader would not see: at the writer, by name.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_WIRE_VERSIONS_H
#define TERRAZZO_CORE_WIRE_VERSIONS_H

#include "core/wire/Opcodes.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace tz::wire {

/// The tables that are asked; tests bring their own.
struct VersionTables {
  llvm::ArrayRef<OperandRecord> operands = operandRecords();
  llvm::ArrayRef<CaseRecord> cases = caseRecords();
};

/// The part of `op` that tile IR 0.`irMinor` has not, with the version that has
/// it; empty if there is none. What is absent needs no version.
std::string needsNewer(mlir::Operation *op, const OpRecord &record,
                       unsigned irMinor, const VersionTables &tables = {});

/// operandSegmentSizes without the groups that tile IR 0.`irMinor` has not.
mlir::Attribute segmentsAt(mlir::Attribute sizes, const OpRecord &record,
                           unsigned irMinor, const VersionTables &tables = {});

} // namespace tz::wire

#endif // TERRAZZO_CORE_WIRE_VERSIONS_H
