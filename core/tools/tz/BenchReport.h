//===- BenchReport.h - what tz bench found --------------------------------===//
//
// What   One measurement, and all of them as a table or as JSON.
// Why    People look at the table while it grows; programs read the file.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_TOOLS_TZ_BENCHREPORT_H
#define TERRAZZO_CORE_TOOLS_TZ_BENCHREPORT_H

#include "core/execution/Stopwatch.h"

#include "llvm/Support/JSON.h"

namespace tz::tool {

/// A row: values of --vary and a configuration of autotune, if several are
/// measured.
struct BenchRow {
  std::vector<std::pair<std::string, std::string>> values;
  unsigned configuration = 0; // 0: not chosen by --configs
  std::string configurationText;

  /// "n=4096 BLOCK=128 num_warps=4"
  std::string label() const;
};

struct BenchTarget {
  std::string id, device; // "cpu:x86-64-v4", the device's name
};

/// A row on a target.
struct Measurement {
  size_t row = 0, target = 0;
  Times times;
  // Why nothing is measured: it does not fit the device, it does not compile.
  std::string tooLarge, notCompiled;
  bool hasPrograms = true;     // false: nothing to measure
  double bytes = 0, flops = 0; // of a launch; 0: not known
  double compileMilliseconds = 0;
  unsigned registers = 0, spillBytes = 0; // of a thread, of the first variant
};

class BenchReport {
public:
  std::string function;
  std::vector<BenchTarget> targets;
  std::vector<BenchRow> rows;
  std::vector<Measurement> measurements;
  bool countsEachBufferOnce = false; // bytes were not said

  void showHeader(const std::string &how) const;
  /// A line of the table, of the last measurement.
  void showLast() const;
  /// The quickest row of each target, if configurations compete.
  void showBest() const;
  /// "#2, #5": the rows that do not compile on some target.
  std::string namesOfNotCompiled() const;
  /// `origin`: what else stands in the object (BenchOrigin.h).
  std::string json(llvm::json::Object origin) const;

private:
  const Measurement *find(size_t row, size_t target) const;
  size_t labelWidth() const, targetWidth() const;
};

} // namespace tz::tool

#endif
