//===- Failure.h - what went wrong, as a Python exception -----------------===//
//
// What   A tz_status_t and the diagnostics of the call become an exception of
//        terrazzo.errors; warnings become Python's.
// Why    All exceptions are made in one place, in Python, where their classes
//        are. Functions here return false with the Python error set.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_FAILURE_H
#define TERRAZZO_PYTHON_FAILURE_H

#include "Reference.h"

#include <terrazzo/terrazzo.h>

#include <string>
#include <utility>
#include <vector>

namespace tz::python {

/// Hears the diagnostics of calls on this thread while it lives. May live
/// without the GIL.
class Diagnostics {
public:
  Diagnostics() : outer(current) { current = this; }
  ~Diagnostics() { current = outer; }
  Diagnostics(const Diagnostics &) = delete;

  /// For tz_session_options: adds to the innermost of the calling thread, or
  /// writes to stderr.
  static void report(void *, uint32_t severity, const char *text);

  /// Errors and the notes that follow them, as printed.
  std::string errors;
  std::vector<std::string> warnings, remarks;

private:
  enum class Last : uint8_t { Error, Warning, Remark };
  void add(uint32_t severity, const char *text);

  Diagnostics *outer;
  Last last = Last::Error;
  TZ_THREAD_LOCAL static Diagnostics *current;
};

/// Needs the GIL. True if there was no failure and no warning became one;
/// takes the status over.
bool settle(tz_status_t status, const Diagnostics &diagnostics);
inline bool settle(tz_status_t status) {
  return !status || settle(status, Diagnostics());
}

/// Sets an exception of terrazzo.errors by the name of its class.
bool fail(const char *exception, const std::string &message);

/// Says in the exception that is set which argument of which kernel it is
/// about. Gives false.
bool nameArgument(const std::string &kernel, PyObject *argument);

/// An attribute of a module of the package, imported; null with the error set.
PyObject *packageAttribute(const char *module, const char *name);

} // namespace tz::python

#endif
