//===- Interruption.h - signals while a call waits ------------------------===//
//
// What   The hook that waits ask (tz_session_options.on_wait): it runs the
//        handlers of Python's signals, and ends the wait if one raises.
// Why    Python runs handlers on its main thread between two operations. A
//        kernel or a compilation is one operation, however long.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_SESSION_INTERRUPTION_H
#define TERRAZZO_PYTHON_SESSION_INTERRUPTION_H

#include "Reference.h"

#include <cstdint>
#include <string>

namespace tz::python {

/// For tz_session_options. Without the GIL, most often.
int32_t askSignals(void *);

/// Takes over the current exception if it is no Exception but the end of what
/// runs, as KeyboardInterrupt is: the call will fail, and restore it. Needs the
/// GIL.
bool keepInterruption();

/// Makes the exception that a handler raised during the call that failed now
/// the current one; `why`, the call's own message, becomes its cause. False:
/// there was none. Needs the GIL.
bool restoreInterruption(const std::string &why);

/// Runs handlers of signals now. False with the error set. Needs the GIL.
inline bool checkSignals() { return PyErr_CheckSignals() == 0; }

} // namespace tz::python

#endif
