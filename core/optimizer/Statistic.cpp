//===- Statistic.cpp - counts of what the passes changed ------------------===//
//
// What   The totals of the process and their printed form.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/Statistic.h"

#include "terrazzo/optimizer/Pipeline.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <mutex>

using namespace tz::optimizer;

namespace {
struct Total {
  llvm::StringRef description;
  uint64_t count = 0;
};

struct Totals {
  std::mutex mutex;
  // By pass and name, so that the report does not depend on threads.
  std::map<std::pair<llvm::StringRef, llvm::StringRef>, Total> all;
};
} // namespace

static std::atomic<bool> enabled = false;

static Totals &totals() {
  static Totals instance;
  return instance;
}

Statistic::Statistic(mlir::Pass *owner, const char *name,
                     const char *description)
    : pass(owner->getArgument()), name(name), description(description) {}

Statistic::~Statistic() {
  if (!enabled.load(std::memory_order_relaxed)) {
    return;
  }
  Totals &to = totals();
  std::lock_guard lock(to.mutex);
  Total &total = to.all[{pass, name}];
  total.description = description;
  total.count += count.load(std::memory_order_relaxed);
}

void tz::optimizer::enableStatistics() { enabled = true; }

void tz::optimizer::printStatistics(llvm::raw_ostream &out) {
  Totals &from = totals();
  std::lock_guard lock(from.mutex);
  llvm::StringRef last;
  for (const auto &[key, total] : from.all) {
    auto [pass, name] = key;
    if (pass != last) {
      out << pass << "\n";
      last = pass;
    }
    out << llvm::format("%8llu  ", static_cast<unsigned long long>(total.count))
        << llvm::left_justify(name, 22) << total.description << "\n";
  }
}
