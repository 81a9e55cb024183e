//===- Statistic.h - counts of what the passes changed ----------*- C++ -*-===//
//
// What   The type of the statistics that Passes.td declares, and their totals.
// Why    mlir::Pass::Statistic counts only if LLVM was built to count; packaged
//        ones are not, and their report is empty. CMakeLists.txt puts this
//        class in its place in the generated declarations.
//
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_OPTIMIZER_STATISTIC_H
#define TERRAZZO_OPTIMIZER_STATISTIC_H

#include "mlir/Pass/Pass.h"

#include <atomic>
#include <cstdint>

namespace tz::optimizer {

/// One count of one pass object. When the object goes, the count is added to
/// the totals of the process, if enableStatistics() was called
/// (TilePipeline.h).
class Statistic {
public:
  Statistic(mlir::Pass *owner, const char *name, const char *description);
  ~Statistic();
  Statistic(const Statistic &) = delete;
  Statistic &operator=(const Statistic &) = delete;

  Statistic &operator+=(uint64_t more) {
    count.fetch_add(more, std::memory_order_relaxed);
    return *this;
  }
  Statistic &operator++() { return *this += 1; }
  llvm::StringRef getName() const { return name; }

private:
  llvm::StringRef pass, name, description; // of static text
  std::atomic<uint64_t> count = 0;
};

} // namespace tz::optimizer

#endif // TERRAZZO_OPTIMIZER_STATISTIC_H
