//===- Reference.h - an owned reference to a Python object ----------------===//
//
// What   Releases on the way out. The GIL is held wherever one lives.
// Why    The launch path speaks Python's C API directly, where a wrapper's
//        conversions would cost more than the launch.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_REFERENCE_H
#define TERRAZZO_PYTHON_REFERENCE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <utility>

/// A pointer of the thread that costs a launch no call: it lies in the room
/// that the loader keeps for such.
#define TZ_THREAD_LOCAL                                                        \
  [[gnu::tls_model("initial-exec")]] constinit thread_local

namespace tz::python {

class Reference {
public:
  Reference() = default;
  /// Takes a new reference over; null is fine.
  explicit Reference(PyObject *owned) : object(owned) {}
  static Reference borrow(PyObject *object) {
    Py_XINCREF(object);
    return Reference(object);
  }
  Reference(Reference &&other) noexcept
      : object(std::exchange(other.object, nullptr)) {}
  Reference &operator=(Reference &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Reference() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object; }

private:
  PyObject *object = nullptr;
};

} // namespace tz::python

#endif
