//===- Budget.cpp - the budget of a compilation ---------------------------===//
//
// What   See Budget.h.
// Why    See Budget.h.
//===----------------------------------------------------------------------===//
#include "core/driver/options/Budget.h"

#include "runtime/loader/Host.h"

#include <mutex>
#include <set>

namespace tz::driver {

using namespace runtime;

static double numberOf(const char *variable, double otherwise) {
  std::optional<std::string> text = environment(variable);
  char *end = nullptr;
  double value = text ? std::strtod(text->c_str(), &end) : 0;
  if (!text || (end != text->c_str() && *end == 0 && value > 0)) {
    return text ? value : otherwise;
  }
  static std::mutex lock;
  static std::set<std::string> said;
  std::string message = std::string(variable) + " is '" + *text +
                        "'; a number above 0 is expected";
  std::lock_guard guard(lock);
  if (said.insert(message).second) {
    logMessage(1, "", message);
  }
  return otherwise;
}

double compileSeconds() {
  return std::min(numberOf("TERRAZZO_COMPILE_TIMEOUT", 300), 1e9);
}
uint64_t compileMebibytes() {
  return uint64_t(std::min(numberOf("TERRAZZO_COMPILE_MEMORY", 16384), 1e12));
}

CompileBudget::Limits budgetLimits(const Interrupt &interrupt) {
  return {compileSeconds(), compileMebibytes(),
          [&interrupt] { return interrupt.code(); }};
}

double secondsLeft() {
  const CompileBudget *budget = CompileBudget::current();
  return budget ? budget->secondsLeft() : compileSeconds();
}

std::string tookTooLong() {
  const CompileBudget *budget = CompileBudget::current();
  char seconds[48];
  std::snprintf(seconds, sizeof(seconds), "took more than %g s",
                budget ? budget->limits().seconds : compileSeconds());
  return seconds;
}

static Status withCode(int32_t code, const Status &failure) {
  Status made(code, failure.message());
  for (const auto &[key, value] : failure.payload()) {
    made.with(key, value);
  }
  return made;
}

Status settle(Status failure) {
  const CompileBudget *budget = CompileBudget::current();
  switch (budget ? budget->end() : CompileBudget::End::None) {
  case CompileBudget::End::None:
    return failure;
  case CompileBudget::End::Interrupted:
    return interrupted(budget->interruption(), "the compiler");
  case CompileBudget::End::Time:
    return withCode(TZ_E_TIMEOUT, failure);
  case CompileBudget::End::Memory:
    return withCode(TZ_E_OUT_OF_MEMORY, failure);
  }
  return failure;
}

} // namespace tz::driver
