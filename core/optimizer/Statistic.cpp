//===- Statistic.cpp - counts of what the passes changed ------------------===//
//
// What   The totals of the process and their printed form.
//
//===----------------------------------------------------------------------===//
#include "core/optimizer/Statistic.h"

#include "terrazzo/optimizer/TilePipeline.h"

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

std::vector<PassCount> tz::optimizer::statistics() {
  Totals &from = totals();
  std::lock_guard lock(from.mutex);
  std::vector<PassCount> counts;
  for (const auto &[key, total] : from.all) {
    counts.push_back({key.first.str(), key.second.str(),
                      total.description.str(), total.count});
  }
  return counts;
}

void tz::optimizer::printStatistics(llvm::raw_ostream &out) {
  std::string last;
  for (const PassCount &one : statistics()) {
    if (one.pass != last) {
      out << one.pass << "\n";
      last = one.pass;
    }
    out << llvm::format("%8llu  ", static_cast<unsigned long long>(one.count))
        << llvm::left_justify(one.name, 22) << one.description << "\n";
  }
}
