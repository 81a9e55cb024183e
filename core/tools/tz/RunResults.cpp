//===- RunResults.cpp - what tz run prints --------------------------------===//
//
// What   Verdicts of the comparison, times and rates.
// Why    See RunCommand.cpp.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/Runner.h"

#include <cmath>

namespace tz::tool {

using namespace runtime;
using Clock = std::chrono::steady_clock;

/// "max error 1e-6 (1 ulp, 40 % of the tolerance)  ok", and what is wrong.
void Runner::showVerdict(const BoundBuffer &buffer,
                         const interpreter::Comparison &verdict,
                         const interpreter::Tolerance &tolerance) {
  // Where a branch hung on the last bits, being different is no mistake.
  const bool undecided = reference->undecided() != 0;
  const bool isWrong = verdict.mismatches != 0 && !undecided;
  std::string share;
  if (!tolerance.bounds.empty() && verdict.worstAllowed > 0) {
    share = ", " +
            std::to_string(
                std::lround(100 * std::min(verdict.shareOfTolerance(), 99.0))) +
            " % of the tolerance";
  } else if (verdict.maxAbsolute == 0) {
    share = ", 0 % of the tolerance";
  }
  std::printf("  %-10s %-20s max error %.3g (%llu ulp%s)  %s\n",
              buffer.name.c_str(), buffer.typeText().c_str(),
              verdict.maxAbsolute,
              static_cast<unsigned long long>(verdict.maxUlps), share.c_str(),
              verdict.matches() ? styled(Style::Good, "ok").c_str()
              : isWrong         ? styled(Style::Bad, "MISMATCH").c_str()
                                : styled(Style::Bad, "NOT COMPARABLE").c_str());
  if (verdict.mismatches != 0) {
    std::printf(
        "    %llu of %llu elements differ by more than %s; worst at "
        "%s: expected %.9g +- %.3g, got %.9g\n",
        static_cast<unsigned long long>(verdict.mismatches),
        static_cast<unsigned long long>(verdict.count),
        tolerance.reason.c_str(), elementName(buffer, verdict.worst).c_str(),
        verdict.worstExpected, verdict.worstAllowed, verdict.worstActual);
  }
  if (verdict.incomparable != 0) {
    std::printf("    %llu of %llu elements differ where no finite bound is "
                "known: the answer hangs on the last bits of its inputs (a "
                "divisor or a logarithm's operand that may be zero, an "
                "overflow, a comparison)\n",
                static_cast<unsigned long long>(verdict.incomparable),
                static_cast<unsigned long long>(verdict.count));
  }
  if (!verdict.matches() && undecided) {
    std::printf("    note: %llu branches, loops or addresses in the kernel "
                "hang on the last bits of their operands\n",
                static_cast<unsigned long long>(reference->undecided()));
  }
}

/// Of the interpreter where it has run, which counts all; else of the target.
std::optional<uint64_t> Runner::elementsWritten(size_t i) const {
  if (i < written.size() && written[i]) {
    return written[i];
  }
  return reference ? std::optional(reference->elementsWritten(
                         i, binding.buffers[i].count))
                   : std::nullopt;
}

/// "50176 of 100000 elements written", where it is not all of them.
void Runner::showWritten(size_t i) const {
  const uint64_t count = binding.buffers[i].count;
  const std::optional<uint64_t> some = elementsWritten(i);
  if (some && *some < count) {
    std::printf("    %llu of %llu elements written\n",
                static_cast<unsigned long long>(*some),
                static_cast<unsigned long long>(count));
  }
}

/// A grid that is too small leaves a part of an output as it was.
void Runner::warnOfGaps() const {
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    const std::optional<uint64_t> some = elementsWritten(i);
    if (!binding.isOnlyWritten(i) || !some || *some >= buffer.count) {
      continue;
    }
    reportWarning(std::to_string(buffer.count - *some) + " of " +
                      std::to_string(buffer.count) + " elements of '" +
                      buffer.name + "' are not written by this launch (grid " +
                      gridText(grid) + ")",
                  "a grid that covers an output of n elements in blocks is "
                  "--grid \"cdiv(n,BLOCK)\"");
  }
}

int Runner::showComparison(size_t i) {
  const BoundBuffer &buffer = binding.buffers[i];
  interpreter::Tolerance tolerance;
  interpreter::Comparison verdict =
      reference->judge(buffer, i, results[i].data(), tolerance);
  showVerdict(buffer, verdict, tolerance);
  const uint64_t expected = reference->elementsWritten(i, buffer.count);
  if (i < written.size() && written[i] && *written[i] != expected) {
    std::printf("    %s: the target writes %llu of %llu elements, the "
                "interpreter %llu\n",
                styled(Style::Bad, "MISMATCH").c_str(),
                static_cast<unsigned long long>(*written[i]),
                static_cast<unsigned long long>(buffer.count),
                static_cast<unsigned long long>(expected));
    return 1;
  }
  return verdict.matches() ? 0 : 1;
}

int Runner::showResults() {
  int status = 0;
  for (size_t i = 0; i < binding.buffers.size(); ++i) {
    const BoundBuffer &buffer = binding.buffers[i];
    if (!buffer.addressesOf.empty()) {
      continue;
    }
    const bool isCompared = reference && !options.compare.empty();
    const bool isShown = results[i] != buffer.content ||
                         (i < written.size() && written[i].value_or(0)) ||
                         (isCompared && elementsWritten(i).value_or(0));
    if (!isShown) {
      continue;
    }
    if (isCompared) {
      status = std::max(status, showComparison(i));
    } else {
      std::printf("  %-10s %-20s written\n", buffer.name.c_str(),
                  buffer.typeText().c_str());
    }
    showWritten(i);
  }
  return status;
}

void Runner::showRates(double nanoseconds, unsigned count, const char *what) {
  std::printf("  time %s (%s of %u)", timeText(nanoseconds).c_str(), what,
              count);
  const double milliseconds = nanoseconds / 1e6;
  double bytes = 0;
  if (!options.bytes.empty()) {
    if (Result<int64_t> value = binding.evaluate(options.bytes)) {
      bytes = double(*value);
    }
  } else {
    for (const BoundBuffer &buffer : binding.buffers) {
      bytes += double(buffer.content.size());
    }
  }
  if (milliseconds > 0 && bytes > 0) {
    std::printf("   %.2f GB/s%s", bytes / milliseconds / 1e6,
                options.bytes.empty() ? " (each buffer once)" : "");
  }
  if (!options.flops.empty()) {
    if (Result<int64_t> value = binding.evaluate(options.flops);
        value && milliseconds > 0) {
      std::printf("   %.2f GFLOP/s", double(*value) / milliseconds / 1e6);
    }
  }
  std::printf("\n");
}

void Runner::showPhases(const driver::CompileReport &report) {
  if (!options.time) {
    return;
  }
  auto show = [](const std::string &name, double time, const char *indent) {
    std::printf("  %s%-22s %9.3f ms\n", indent, name.c_str(), time);
  };
  for (const auto &[name, time] : phases) {
    show(name, time, "");
    if (name == "compile") {
      for (const auto &phase : report.phases) {
        show(phase.name, phase.milliseconds, "  ");
      }
    }
  }
  show(
      "all",
      std::chrono::duration<double, std::milli>(Clock::now() - started).count(),
      "");
}

} // namespace tz::tool
