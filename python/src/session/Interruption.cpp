//===- Interruption.cpp - signals while a call waits ----------------------===//
//
// What   See Interruption.h.
// Why    See Interruption.h.
//===----------------------------------------------------------------------===//
#include "session/Interruption.h"

#include "Failure.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace tz::python {

namespace {
/// Kept between the wait, which has no use for it, and the end of the call.
struct Raised {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
};
} // namespace

/// The main thread's: no other one runs handlers.
static Raised raised;

/// On Linux the main thread has the number of the process.
static bool isMainThread() { return syscall(SYS_gettid) == getpid(); }

int32_t askSignals(void *) {
  if (!isMainThread() || !Py_IsInitialized()) {
    return TZ_E_OK;
  }
  if (raised.type) {
    return TZ_E_CANCELLED;
  }
  PyGILState_STATE state = PyGILState_Ensure();
  const bool isRaised = PyErr_CheckSignals() != 0;
  if (isRaised) {
    PyErr_Fetch(&raised.type, &raised.value, &raised.trace);
  }
  PyGILState_Release(state);
  return isRaised ? TZ_E_CANCELLED : TZ_E_OK;
}

bool keepInterruption() {
  if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_Exception) ||
      raised.type || !isMainThread()) {
    return false;
  }
  PyErr_Fetch(&raised.type, &raised.value, &raised.trace);
  return true;
}

bool restoreInterruption(const std::string &why) {
  if (!raised.type || !isMainThread()) {
    return false;
  }
  PyErr_NormalizeException(&raised.type, &raised.value, &raised.trace);
  Reference error(packageAttribute("terrazzo.errors", "LaunchError"));
  Reference cause(error ? PyObject_CallFunction(error.get(), "s", why.c_str())
                        : nullptr);
  Reference given(PyException_GetCause(raised.value));
  if (cause && !given) {
    PyException_SetCause(raised.value, cause.release());
  }
  PyErr_Clear();
  PyErr_Restore(raised.type, raised.value, raised.trace);
  raised = {};
  return true;
}

} // namespace tz::python
