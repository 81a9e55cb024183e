//===- Interpreter.h - the reference interpreter's public face --*- C++ -*-===//
//
// What   Runs one tile.kernel over a grid, on host memory, exactly.
// Why    It is what the IR means: every numeric test compares with it, and its
//        checked mode finds the mistakes that a device cannot report.
//
// Programs run one after the other in linear order, x fastest. Values:
//   * f16, bf16, f8, f4 results are rounded once per op, from a double that
//     holds the exact result or one that cannot double-round;
//   * elementary functions are evaluated in double (f64: long double), then
//     rounded once;
//   * a dot is summed in double over k = 0, 1, ... and rounded once to the
//     accumulator's type; i8 wraps in i32;
//   * a reduction combines neighbours level by level (the balanced tree over
//     the index, P17; an odd last element moves up); a scan is sequential;
//   * target_default precision is ieee, unless the options say otherwise; tf32 and bf16 splits round to nearest.
// What the IR leaves open is fixed so: x/0 = 0, x%0 = x, MIN/-1 = MIN,
// MIN%-1 = 0; of two zeros min takes -0, max +0; of two lanes that store to
// one address the later wins.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_CORE_INTERPRETER_INTERPRETER_H
#define TERRAZZO_CORE_INTERPRETER_INTERPRETER_H

#include "terrazzo/ir/Tile.h"

#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tz::interpreter {

/// One argument as raw bits: an address, or an integer or float in the low
/// bits (an f16 in the low 16, an f32 in the low 32).
struct ArgValue {
  uint64_t bits = 0;

  static ArgValue pointer(const void *address) {
    return {reinterpret_cast<uintptr_t>(address)};
  }
  static ArgValue integer(int64_t value) {
    return {static_cast<uint64_t>(value)};
  }
  static ArgValue f32(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return {bits};
  }
  static ArgValue f64(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return {bits};
  }
};

struct LaunchArgs {
  std::vector<ArgValue> args;
  std::array<uint32_t, 3> grid = {1, 1, 1};
};

/// Memory that a kernel may touch.
struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0; ///< bytes
  std::string name;
  bool initialized = true; ///< false: reading before writing is reported
};
using MemoryMap = std::vector<Allocation>;

/// One element that a tile.print wrote, in the form of docs/reference/abi.md.
struct PrintEvent {
  std::array<uint32_t, 3> program;
  std::string location; ///< file:line:col
  std::string text;     ///< "idx (3, 1) x: 2.5"
};

class Observer;

/// More than a program runs in a minute: one that comes here may never end.
inline constexpr uint64_t StepLimit = 300'000'000;

struct Options {
  /// Known memory. If not empty, every access must lie inside one allocation.
  MemoryMap memory;
  /// Also report uninitialised reads, races (R6 O3) and divisions by zero, and
  /// go on after an access out of bounds. Needs `memory`.
  bool checked = false;
  /// Carry with every float a bound of how far a correct target's may be off
  /// (Compare.h); costs about as much again as the run.
  bool trackErrors = false;
  /// What `target_default` means where results are compared (P21): tf32, else
  /// ieee.
  bool defaultIsTf32 = false;
  /// Stores of one value to one place by several programs are a race, too.
  bool sameValueStoresRace = true;
  /// Run this program only.
  std::optional<std::array<uint32_t, 3>> onlyProgram;
  /// Ops that one program may execute; 0: any number. Without a value
  /// TERRAZZO_INTERP_STEPS says how many, else it is StepLimit.
  std::optional<uint64_t> stepLimit;
  /// Distinct findings that are kept; the rest is counted.
  size_t maxFindings = 64;
  std::function<void(const PrintEvent &)> print;
  /// Counts the programs that have ended; null: nobody asks.
  std::atomic<uint64_t> *programsDone = nullptr;
  /// Told of each step (Observer.h); null: nobody.
  Observer *observer = nullptr;
  /// The observer is told who stores here; 0: nowhere.
  uint64_t watched = 0;
};

enum class FindingKind {
  OutOfBounds,
  UninitializedRead,
  Race,
  DivisionByZero,
  AddressOverflow, ///< R3 (P26)
  BrokenPromise,   ///< a hint or an assumption that does not hold
};
llvm::StringRef toString(FindingKind kind);

/// A mistake that checked mode found: the first occurrence, and how many more.
struct Finding {
  FindingKind kind;
  std::string location; ///< file:line:col of the op
  std::string message;
  std::array<uint32_t, 3> program;
  uint64_t address = 0;
  uint64_t count = 1; ///< lanes, over all programs
};

struct Report {
  std::vector<Finding> findings;
  uint64_t suppressed = 0; ///< findings beyond maxFindings
  /// trackErrors: per allocation (by base) the bound of each element, absolute;
  /// infinite where there is none (Errors.h). Missing: exact.
  std::map<uint64_t, std::vector<double>> bounds;
  /// trackErrors: decisions about what is executed (branches, loops, addresses)
  /// that the bound of an operand could turn. After one, answers may differ
  /// rightly.
  uint64_t undecided = 0;
  /// Checked mode: bytes that were written, per allocation (by base).
  std::map<uint64_t, uint64_t> written;
  uint64_t steps = 0;    ///< ops executed
  uint64_t programs = 0; ///< programs run to their end
};

/// Runs `kernel`. Fails on arguments that do not fit, an op outside tile IR, a
/// failed tile.assert, the step limit, and (unchecked, with `memory`) an access
/// out of bounds; the text says location and program. Without `memory`, a
/// kernel's wild access is this process's wild access. A run that the observer
/// ends does not fail; Report::programs is then less than the grid.
llvm::Error run(tile::KernelOp kernel, const LaunchArgs &args,
                const Options &options, Report &report);

} // namespace tz::interpreter

#endif // TERRAZZO_CORE_INTERPRETER_INTERPRETER_H
