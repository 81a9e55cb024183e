//===- Names.cpp - names that the Python program knows --------------------===//
//
// What   See Names.h.
// Why    See Names.h. Answers are copied: they outlive the GIL.
//===----------------------------------------------------------------------===//
#include "compile/Names.h"

#include "Failure.h"
#include "session/Interruption.h"

namespace tz::python {

TZ_THREAD_LOCAL static PyObject *compiling = nullptr; // borrowed

Compiling::Compiling(PyObject *kernel) : outer(compiling) {
  compiling = kernel;
}
Compiling::~Compiling() { compiling = outer; }

namespace {
struct Answer {
  std::string text, path, function;
};
} // namespace

/// The pending exception as "Type: message"; clears it.
static std::string takeError() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Reference types(type), values(value), traces(trace);
  Reference text(value ? PyObject_Str(value) : nullptr);
  const char *message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string result = type ? reinterpret_cast<PyTypeObject *>(type)->tp_name
                            : "an unknown error";
  if (message && *message) {
    result += std::string(": ") + message;
  }
  PyErr_Clear();
  return result;
}

static void ask(const char *function, uint64_t scope, const char *text,
                tz_name *out) {
  static thread_local Answer answer;
  answer = {};
  PyGILState_STATE state = PyGILState_Ensure();
  {
    Reference target(
        packageAttribute("terrazzo.compiler.program_names", function));
    Reference given(target ? PyObject_CallFunction(
                                 target.get(), "OKs",
                                 compiling ? compiling : Py_None,
                                 static_cast<unsigned long long>(scope), text)
                           : nullptr);
    const char *what = nullptr, *path = nullptr, *name = nullptr;
    unsigned kind = TZ_NAME_UNDEFINED, line = 0;
    unsigned long long inner = 0;
    if (given && given.get() != Py_None &&
        PyArg_ParseTuple(given.get(), "IzzIzK", &kind, &what, &path, &line,
                         &name, &inner)) {
      answer.text = what ? what : "";
      answer.path = path ? path : "";
      answer.function = name ? name : "";
    }
    if (keepInterruption()) {
      kind = TZ_NAME_OPAQUE;
      answer.text = "interrupted";
    } else if (PyErr_Occurred()) {
      kind = TZ_NAME_OPAQUE;
      answer.text = "asking the program for it failed: " + takeError();
    }
    out->kind = kind;
    out->line = line;
    out->scope = inner;
  }
  PyGILState_Release(state);
  out->text = answer.text.c_str();
  out->path = answer.path.c_str();
  out->function = answer.function.c_str();
}

static void find(void *, uint64_t scope, const char *name, tz_name *out) {
  ask("find", scope, name, out);
}

static void call(void *, uint64_t scope, const char *arguments, tz_name *out) {
  ask("call", scope, arguments, out);
}

const tz_names ProgramNames = {sizeof(tz_names), nullptr, find, call};

} // namespace tz::python
