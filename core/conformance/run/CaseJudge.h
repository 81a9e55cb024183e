//===- CaseJudge.h - whether the results of a case are right ----*- C++ -*-===//
//
// What   Compares the buffers that a target has left with what the case says,
//        and with what the interpreter gives.
// Why    Both bounds and both sentences are the same for all targets.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_CONFORMANCE_RUN_CASEJUDGE_H
#define TERRAZZO_CORE_CONFORMANCE_RUN_CASEJUDGE_H

#include "core/arguments/Binding.h"
#include "core/conformance/Outcome.h"
#include "core/conformance/Suite.h"
#include "core/execution/ReferenceRun.h"

#include <span>

namespace tz::tool {

/// What is wrong with the results, a vector of bytes for each buffer; empty if
/// they are right. `target`: what code was made for, which tl.target_info
/// tells. `reference`: null where there is none, or it is what is judged. The
/// largest differences are added to the outcome.
std::string judgeResults(const conformance::Case &one, const Binding &binding,
                         std::string_view target,
                         std::span<const std::vector<uint8_t>> results,
                         const Reference *reference,
                         conformance::Outcome &outcome);

} // namespace tz::tool

#endif
