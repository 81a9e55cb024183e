//===- Scenario.h - a program in which each call fails once ---------------===//
//
// What   Runs a piece of program once for each call of the system that it
//        makes, with that call failing, each time in a process of its own; then
//        once more without a failure. Checks what is left behind.
// Why    After any failure the caller must have a clear error or its result,
//        and the next call must work.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_TEST_FAULTS_SCENARIO_H
#define TERRAZZO_TEST_FAULTS_SCENARIO_H

#include "test/faults/Calls.h"

#include "runtime/loader/Status.h"

#include <terrazzo/terrazzo.h>

#include <functional>
#include <string>
#include <vector>

namespace tz::faults {

struct Report;

class Attempt {
public:
  /// A folder of the scenario's own. It is empty when prepare() is called.
  const std::string folder;

  /// A call of the C API. If it fails, it must say so with a code and a text,
  /// and not without cause; it is then made again. If it fails twice, the body
  /// ends: what an object has learnt may hold for its life (a session does not
  /// look for plugins again).
  void step(const char *what, const std::function<tz_status_t()> &call);
  /// The same for functions below the C API. What they throw is a failure.
  void step(const char *what, const std::function<runtime::Status()> &call);
  /// What must hold whatever failed.
  void require(bool holds, const char *what);
  /// False in the repetition, where nothing fails.
  const bool mayFail;

private:
  friend struct Child;
  Attempt(std::string folder, bool mayFail, Report &report)
      : folder(std::move(folder)), mayFail(mayFail), report(report) {}
  Report &report;
};

struct Scenario {
  std::string name;
  std::vector<Call> calls;                // kinds that are to fail
  std::function<void(Attempt &)> prepare; // nothing fails yet; may be empty
  std::function<void(Attempt &)> body;
  /// What must be true of the folder afterwards; may be empty.
  std::function<void(Attempt &)> check = {};
  /// False where libraries keep memory for the life of the process, more or
  /// less of it by what happened.
  bool judgesMemory = true;
};

/// A GoogleTest body. Prints one line for each kind of call. The variable
/// TZ_FAULT, "allocate 17", runs one pass in this process, for a debugger.
void failEachCall(const Scenario &scenario);

} // namespace tz::faults

#endif
