//===- ReferenceRun.h - a run in the interpreter --------------------------===//
//
// What   Copies of the buffers between guard pages, the checked run, findings
//        as diagnostics, and the judgement of a target's results.
// Why    Memory of the interpreter is apart from the target's: the kernel is
//        known to stay inside its buffers before native code sees it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_EXECUTION_REFERENCERUN_H
#define TERRAZZO_CORE_EXECUTION_REFERENCERUN_H

#include "core/arguments/Binding.h"
#include "core/interpreter/Compare.h"

namespace tz::tool {

/// Of --races: a race is an error; it is none if the value that is stored is
/// there already; races are told as warnings.
enum class Races { Error, SameValue, Warn };

struct Element {
  size_t buffer = 0;
  uint64_t index = 0;
};
/// "out[3,17]"
std::string elementName(const BoundBuffer &buffer, uint64_t index);

class Reference {
public:
  struct Settings {
    bool tracksErrors = false, defaultIsTf32 = false;
    Races races = Races::Error;
    bool showsPrints = true; // what the kernel prints, to stdout
  };

  ~Reference();
  /// Runs the kernel, checked. False after errors, which were reported.
  bool run(const driver::LoweredKernel &kernel, const Binding &binding,
           const std::array<int64_t, 3> &grid, const Settings &settings);
  /// Why the run ended early, for one that found no mistake of memory.
  const std::string &failure() const { return failed; }
  /// What the kernel has printed, if it was not shown: its first MiB.
  const std::string &printed() const { return held; }
  /// The same under an observer, which tells of findings itself and is told
  /// who stores to an element; one program only, if wanted. A failure is the
  /// status.
  runtime::Status watch(const driver::LoweredKernel &kernel,
                        const Binding &binding,
                        const std::array<int64_t, 3> &grid,
                        std::optional<std::array<uint32_t, 3>> program,
                        std::optional<Element> watched,
                        interpreter::Observer &observer);
  const interpreter::Report &outcome() const { return report; }

  const uint8_t *content(size_t buffer) const { return memory[buffer].data; }
  double milliseconds() const { return time; }
  /// How far off a target may be in a buffer.
  interpreter::Tolerance tolerance(const BoundBuffer &buffer,
                                   size_t index) const;
  /// How the target's content of a buffer compares.
  interpreter::Comparison judge(const BoundBuffer &buffer, size_t index,
                                const uint8_t *actual,
                                interpreter::Tolerance &allowed) const;
  uint64_t undecided() const { return report.undecided; }
  /// Of a buffer with `count` elements.
  uint64_t elementsWritten(size_t buffer, uint64_t count) const;

private:
  /// Makes the memory and fills in what the kernel is launched with.
  runtime::Status prepare(const driver::LoweredKernel &kernel,
                          const Binding &binding,
                          const std::array<int64_t, 3> &grid,
                          interpreter::Options &options,
                          interpreter::LaunchArgs &launch);

  struct Memory {
    uint8_t *data = nullptr, *reserved = nullptr;
    size_t reservedBytes = 0, bytes = 0;
  };
  std::vector<Memory> memory;
  interpreter::Report report;
  std::string failed;
  std::string held; // shown if the target will not come to print it
  double time = 0;
};

} // namespace tz::tool

#endif
