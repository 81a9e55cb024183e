//===- Budget.h - the budget of a compilation -----------------------------===//
//
// What   What the environment allows one compilation (core/ir/CompileBudget.h),
//        with the caller's hook; and the status of one that was ended.
// Why    Each entry of the driver begins and ends in the same way.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_DRIVER_OPTIONS_BUDGET_H
#define TERRAZZO_CORE_DRIVER_OPTIONS_BUDGET_H

#include "core/ir/CompileBudget.h"
#include "runtime/loader/Interrupt.h"
#include "runtime/loader/Status.h"

namespace tz::driver {

/// Seconds that one compilation may take: TERRAZZO_COMPILE_TIMEOUT, else 300.
double compileSeconds();
/// Of memory: TERRAZZO_COMPILE_MEMORY, else 16,384.
uint64_t compileMebibytes();

/// For a compilation that begins. `interrupt` must outlive it.
CompileBudget::Limits budgetLimits(const runtime::Interrupt &interrupt);

/// Seconds that are left to the compilation on this thread, or that a new one
/// would have.
double secondsLeft();
/// "took more than 300 s", of the compilation on this thread.
std::string tookTooLong();

/// Of a step that failed: if the budget ended, a status that says how.
runtime::Status settle(runtime::Status failure);
template <typename T>
runtime::Result<T> settle(runtime::Result<T> made) {
  return made ? std::move(made) : runtime::Result<T>(settle(made.takeStatus()));
}

} // namespace tz::driver

#endif
