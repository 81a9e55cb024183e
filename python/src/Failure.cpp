//===- Failure.cpp - what went wrong, as a Python exception ---------------===//
//
// What   See Failure.h.
// Why    See Failure.h.
//===----------------------------------------------------------------------===//
#include "Failure.h"

#include "session/Interruption.h"

#include <cstdio>

namespace tz::python {

TZ_THREAD_LOCAL Diagnostics *Diagnostics::current = nullptr;

/// What a tl.static_print prints, if that is what the diagnostic says.
static std::string staticPrint(const std::string &text) {
  const std::string_view mark = ": warning: static_print: ";
  size_t at = text.find(mark);
  if (at == std::string::npos || at > text.find('\n')) {
    return {};
  }
  at += mark.size();
  // Behind it stand the source's line and a caret.
  size_t end = text.find_last_not_of('\n');
  for (int lines = 0; lines < 2 && end != std::string::npos; ++lines) {
    size_t line = text.rfind('\n', end);
    end = line == std::string::npos || line < at ? end : line - 1;
  }
  return text.substr(at, end + 1 - at);
}

void Diagnostics::report(void *, uint32_t severity, const char *text) {
  if (std::string line = staticPrint(text); !line.empty()) {
    PyGILState_STATE state = PyGILState_Ensure();
    PySys_FormatStdout("%s\n", line.c_str());
    PyGILState_Release(state);
    return;
  }
  if (current) {
    current->add(severity, text);
  } else if (severity != 2) {
    std::fputs(text, stderr);
  }
}

/// A note belongs to what was said before it.
void Diagnostics::add(uint32_t severity, const char *text) {
  switch (severity) {
  case 0:
    last = Last::Error;
    break;
  case 1:
    last = Last::Warning;
    warnings.emplace_back();
    break;
  case 2:
    last = Last::Remark;
    remarks.emplace_back();
    break;
  default:
    break;
  }
  if (last == Last::Warning && !warnings.empty()) {
    warnings.back() += text;
  } else if (last == Last::Remark && !remarks.empty()) {
    remarks.back() += text;
  } else {
    errors += text;
  }
}

PyObject *packageAttribute(const char *module, const char *name) {
  Reference imported(PyImport_ImportModule(module));
  return imported ? PyObject_GetAttrString(imported.get(), name) : nullptr;
}

/// Warnings of the calls before; false if the user made them errors.
static bool warn(const Diagnostics &diagnostics) {
  if (diagnostics.warnings.empty()) {
    return true;
  }
  Reference tell(packageAttribute("terrazzo.errors", "warn_of_compilation"));
  for (const std::string &text : diagnostics.warnings) {
    if (!tell || !Reference(PyObject_CallFunction(tell.get(), "s#", text.data(),
                                                  Py_ssize_t(text.size())))) {
      return false;
    }
  }
  return true;
}

bool settle(tz_status_t status, const Diagnostics &diagnostics) {
  if (!status) {
    return warn(diagnostics);
  }
  if (restoreInterruption(tz_status_message(status))) {
    tz_status_release(status);
    return false;
  }
  Reference make(packageAttribute("terrazzo.errors", "from_status"));
  if (!make) {
    tz_status_release(status);
    return false;
  }
  int32_t code = tz_status_code(status);
  Reference error(PyObject_CallFunction(
      make.get(), "isszzs", int(code), tz_status_code_name(code),
      tz_status_message(status), tz_status_fact(status, "file"),
      tz_status_fact(status, "line"), diagnostics.errors.c_str()));
  tz_status_release(status);
  if (error) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())),
                    error.get());
  }
  return false;
}

bool fail(const char *exception, const std::string &message) {
  Reference type(packageAttribute("terrazzo.errors", exception));
  if (type) {
    PyErr_SetString(type.get(), message.c_str());
  }
  return false;
}

bool nameArgument(const std::string &kernel, PyObject *argument) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Reference name(packageAttribute("terrazzo.errors", "of_argument"));
  Reference named(name ? PyObject_CallFunction(name.get(), "sOO",
                                               kernel.c_str(), argument, value)
                       : nullptr);
  if (named && named.get() != value) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(named.get())),
                    named.get());
    return false;
  }
  PyErr_Clear(); // what was wrong with the argument tells more
  PyErr_Restore(type, value, trace);
  return false;
}

} // namespace tz::python
