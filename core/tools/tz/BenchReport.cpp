//===- BenchReport.cpp - what tz bench found ------------------------------===//
//
// What   See BenchReport.h.
// Why    See BenchReport.h.
//===----------------------------------------------------------------------===//
#include "core/tools/tz/BenchReport.h"

#include "core/terminal/Terminal.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tz::tool {

std::string BenchRow::label() const {
  std::string text;
  for (const auto &[name, value] : values) {
    text += (text.empty() ? "" : " ") + name + "=" + value;
  }
  if (configuration) {
    text += (text.empty() ? "#" : "  #") + std::to_string(configuration) + " " +
            configurationText;
  }
  return text;
}

/// `perNanosecond` is in thousands of millions a second.
static std::string rateText(double perNanosecond, const char *what) {
  char text[48];
  const bool isLarge = perNanosecond >= 1e4;
  std::snprintf(text, sizeof(text), isLarge ? "%.1f T%s" : "%.1f G%s",
                isLarge ? perNanosecond / 1e3 : perNanosecond, what);
  return text;
}

size_t BenchReport::labelWidth() const {
  size_t width = 0;
  for (const BenchRow &row : rows) {
    width = std::max(width, row.label().size());
  }
  return width;
}

size_t BenchReport::targetWidth() const {
  size_t width = 0;
  for (const BenchTarget &target : targets) {
    width = std::max(width, target.id.size());
  }
  return targets.size() > 1 ? width : 0;
}

void BenchReport::showHeader(const std::string &how) const {
  std::printf("%s, %s\n", styled(Style::Bold, function).c_str(), how.c_str());
  for (const BenchTarget &target : targets) {
    std::printf("  on %s (%s)\n", target.id.c_str(), target.device.c_str());
  }
  std::string after = " from 10 to 90 %";
  if (countsEachBufferOnce) {
    after += "    each buffer once";
  }
  std::printf("%s\n",
              styled(Style::Dim, std::string(labelWidth() + targetWidth() +
                                                 (targetWidth() ? 4 : 2),
                                             ' ') +
                                     "      median" + after)
                  .c_str());
}

const Measurement *BenchReport::find(size_t row, size_t target) const {
  for (const Measurement &one : measurements) {
    if (one.row == row && one.target == target) {
      return &one;
    }
  }
  return nullptr;
}

void BenchReport::showLast() const {
  const Measurement &last = measurements.back();
  std::printf("  %-*s", int(labelWidth()),
              last.target == 0 ? rows[last.row].label().c_str() : "");
  if (targetWidth()) {
    std::printf("  %-*s", int(targetWidth()), targets[last.target].id.c_str());
  }
  if (!last.hasPrograms) {
    std::printf("  nothing runs: the grid has no programs\n");
    std::fflush(stdout);
    return;
  }
  if (!last.tooLarge.empty() || !last.notCompiled.empty()) {
    const bool fits = last.tooLarge.empty();
    std::printf("  %s: %s\n", fits ? "does not compile" : "does not fit",
                (fits ? last.notCompiled : last.tooLarge).c_str());
    std::fflush(stdout);
    return;
  }
  const double median = std::max(last.times.median, 1.0);
  std::printf("  %10s   %+4.0f %% %+4.0f %%", timeText(median).c_str(),
              100 * (last.times.low / median - 1),
              100 * (last.times.high / median - 1));
  if (last.bytes > 0) {
    std::printf("  %14s", rateText(last.bytes / median, "B/s").c_str());
  }
  if (last.flops > 0) {
    std::printf("  %16s", rateText(last.flops / median, "FLOP/s").c_str());
  }
  if (const Measurement *first = find(last.row, 0);
      last.target && first && first->times.count) {
    std::printf("  %7.2f x %s", first->times.median / median,
                targets[0].id.c_str());
  }
  if (last.spillBytes) {
    std::printf("  %u bytes spilled", last.spillBytes);
  }
  std::printf("\n");
  std::fflush(stdout);
}

void BenchReport::showBest() const {
  for (size_t target = 0; target < targets.size(); ++target) {
    for (size_t begin = 0; begin < rows.size();) {
      // Rows of the same values stand together.
      size_t end = begin, competing = 0;
      const Measurement *best = nullptr;
      for (; end < rows.size() && rows[end].values == rows[begin].values;
           ++end) {
        const Measurement *one = find(end, target);
        if (one && one->times.count) {
          ++competing;
          best = !best || one->times.median < best->times.median ? one : best;
        }
      }
      if (competing > 1) {
        std::printf("  quickest%s%s: %s (%s)\n",
                    targets.size() > 1 ? " on " : "",
                    targets.size() > 1 ? targets[target].id.c_str() : "",
                    styled(Style::Good, rows[best->row].label()).c_str(),
                    timeText(best->times.median).c_str());
      }
      begin = end;
    }
  }
}

std::string BenchReport::namesOfNotCompiled() const {
  std::string names;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (std::any_of(measurements.begin(), measurements.end(),
                    [row](const Measurement &one) {
                      return one.row == row && !one.notCompiled.empty();
                    })) {
      names += (names.empty() ? "" : ", ") + rows[row].label();
    }
  }
  return names;
}

std::string BenchReport::json(llvm::json::Object origin) const {
  llvm::json::Array results;
  for (const Measurement &one : measurements) {
    const BenchRow &row = rows[one.row];
    llvm::json::Object values;
    for (const auto &[name, value] : row.values) {
      values[name] = llvm::json::fixUTF8(value);
    }
    llvm::json::Object made{{"target", targets[one.target].id},
                            {"device", targets[one.target].device},
                            {"values", std::move(values)}};
    if (row.configuration) {
      made["configuration"] = row.configuration;
      made["configuration_text"] = row.configurationText;
    }
    if (!one.hasPrograms) {
      made["nothing_runs"] = true;
    } else if (!one.tooLarge.empty()) {
      made["does_not_fit"] = llvm::json::fixUTF8(one.tooLarge);
    } else if (!one.notCompiled.empty()) {
      made["does_not_compile"] = llvm::json::fixUTF8(one.notCompiled);
    } else {
      made["median_ns"] = one.times.median;
      made["low_ns"] = one.times.low;
      made["high_ns"] = one.times.high;
      made["samples"] = one.times.count;
      made["compile_ms"] = one.compileMilliseconds;
      made["registers"] = one.registers;
      made["spill_bytes"] = one.spillBytes;
      made["bytes"] = one.bytes;
      made["flops"] = one.flops;
    }
    results.push_back(std::move(made));
  }
  origin["kernel"] = function;
  origin["results"] = std::move(results);
  llvm::json::Value all(std::move(origin));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", all);
  return text + "\n";
}

} // namespace tz::tool
