//===- SpecializationRules.h - which run-time values may matter -----------===//
//
// What   For each leaf of a job's arguments: whether 1, a divisor or its
// pointer's
//        use makes other code.
// Why    A specialisation for each value would compile for ever (R8).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_SOURCE_SPECIALIZATIONRULES_H
#define TERRAZZO_CORE_DRIVER_SOURCE_SPECIALIZATIONRULES_H

#include "core/driver/Driver.h"

#include "terrazzo/ir/Tile.h"

namespace tz::driver {

/// The leaves of a job's arguments; they point into the list.
std::vector<runtime::Leaf>
leavesOf(std::vector<runtime::ArgumentSpec> &arguments,
         const std::vector<runtime::KernelParameter> &parameters);
/// Which run-time values may matter, from types alone.
runtime::SpecializationRule ruleFor(const std::vector<runtime::Leaf> &leaves);
/// Which of them do: what the elaborated kernel makes of its integers (R8).
void narrowRule(runtime::SpecializationRule &rule, mlir::ModuleOp module,
                const std::vector<runtime::Leaf> &leaves);

} // namespace tz::driver

#endif
