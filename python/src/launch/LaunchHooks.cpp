//===- LaunchHooks.cpp - is anybody told of launches and compilations -----===//
//
// What   See LaunchHooks.h.
// Why    See LaunchHooks.h.
//===----------------------------------------------------------------------===//
#include "launch/LaunchHooks.h"

#include "Reference.h"

namespace tz::python {

/// The attributes of knobs.runtime that were set; null: none yet.
static PyObject *runtimeKnobs() {
  static PyObject *known = nullptr;
  if (known) {
    return known;
  }
  static PyObject *const name = PyUnicode_InternFromString("terrazzo.knobs");
  PyObject *module = PyDict_GetItemWithError(PyImport_GetModuleDict(), name);
  Reference group(module ? PyObject_GetAttrString(module, "runtime") : nullptr);
  Reference set(group ? PyObject_GenericGetDict(group.get(), nullptr)
                      : nullptr);
  if (!set) {
    PyErr_Clear(); // knobs is being imported
    return nullptr;
  }
  return known = set.release();
}

static bool hasCalls(PyObject *knobs, PyObject *hook) {
  PyObject *chain = PyDict_GetItemWithError(knobs, hook);
  int answer = chain ? PyObject_IsTrue(chain) : 0;
  if (PyErr_Occurred()) {
    PyErr_Clear();
  }
  return answer > 0;
}

bool everHooked = false;

static bool isHooked(PyObject *first, PyObject *second) {
  PyObject *knobs = runtimeKnobs();
  return knobs && PyDict_GET_SIZE(knobs) != 0 &&
         (hasCalls(knobs, first) || hasCalls(knobs, second));
}

bool isLaunchHooked() {
  static PyObject *const enter =
      PyUnicode_InternFromString("launch_enter_hook");
  static PyObject *const leave = PyUnicode_InternFromString("launch_exit_hook");
  return isHooked(enter, leave);
}

bool isCompilationHooked() {
  static PyObject *const before = PyUnicode_InternFromString("jit_cache_hook");
  static PyObject *const after =
      PyUnicode_InternFromString("jit_post_compile_hook");
  return isHooked(before, after);
}

} // namespace tz::python
