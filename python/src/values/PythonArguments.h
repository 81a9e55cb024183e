//===- PythonArguments.h - a Python value as a launch argument ------------===//
//
// What   Numbers, strings, tuples, arrays of all frameworks and descriptors as
//        tz_arg; which device the arrays lie on.
// Why    A launch looks at each argument's type once, through a table; what
//        the table does not know is asked of runtime/arguments.py.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_VALUES_PYTHONARGUMENTS_H
#define TERRAZZO_PYTHON_VALUES_PYTHONARGUMENTS_H

#include "Failure.h"
#include "Reference.h"
#include "values/ArrayLayout.h"

#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace tz::python {

/// The memory that an array lies in: of the host, or of device `index` of the
/// framework's accelerator.
struct Memory {
  static constexpr int Host = -1, Unknown = -2;
  int index = Unknown;
  const struct Accelerator *accelerator = nullptr;
};

/// A framework's devices, as runtime/frameworks.py describes them.
struct Accelerator {
  std::string framework;  // "torch"
  std::string deviceType; // as the framework calls it
  std::string target;     // the vendor's: the part before the colon
  Reference stream;       // index -> native stream, as an int
  /// If it has one: the stream without a Python call.
  const struct ExchangeTable *table = nullptr;
  int32_t tableType = 0; // what the table calls the devices
};

/// An array's first element, as a launch needs it.
struct Array {
  tz_arg pointer;
  Memory memory;
  Layout layout;
};

/// One launch's arguments. Points into the values that it was given.
class Arguments {
public:
  static constexpr size_t Max = 256;

  explicit Arguments(const std::string &kernel) : kernel(kernel) {}
  Arguments(const Arguments &) = delete;

  /// A run-time argument of parameter `name`; `fixedType`: TZ_TYPE_* that an
  /// annotation says, or 0. False with the error set.
  bool add(PyObject *value, PyObject *name, uint32_t fixedType);
  /// A constexpr argument.
  bool addConstant(PyObject *value, PyObject *name);

  const tz_arg *data() const { return values; }
  size_t size() const { return count; }
  /// Of the arrays among them.
  const Memory &memory() const { return place; }
  /// Frameworks whose arrays lie there, too, beside that of memory(). Null,
  /// most often: there are none.
  const std::vector<const Accelerator *> *others() const {
    return more ? mixed() : nullptr;
  }
  /// Neither doubts() nor others().
  bool isPlain() const { return plain; }
  /// Of the arrays that are arguments by themselves.
  const std::vector<Doubt> &doubts() const { return inDoubt; }

private:
  struct More; // what only some arguments need
  bool convert(PyObject *value, PyObject *name, tz_arg &to);
  bool constant(PyObject *value, PyObject *name, tz_arg &to);
  bool convertOther(PyObject *value, PyObject *name, tz_arg &to,
                    bool asConstant);
  bool tuple(PyObject *value, PyObject *name, tz_arg &to, bool asConstant);
  bool descriptor(PyObject *value, PyObject *name, tz_arg &to);
  bool array(const Array &read, PyObject *value, PyObject *name, tz_arg &to);
  bool settleMemory(const Array &array, PyObject *value, PyObject *name);
  const std::vector<const Accelerator *> *mixed() const;
  bool wrong(PyObject *name, const std::string &text) const;
  More &extra();

  const std::string &kernel;
  size_t count = 0;
  bool plain = true;
  Memory place;
  PyObject *placedBy = nullptr; // the name of the array that settled it
  std::vector<Doubt> inDoubt;
  std::unique_ptr<More, void (*)(More *)> more{nullptr, nullptr};
  tz_arg values[Max];
};

/// Of an int that is not large; false, without an error, of anything else.
inline bool smallInteger(PyObject *value, int64_t &to) {
  if (!PyLong_CheckExact(value)) {
    return false;
  }
#if PY_VERSION_HEX >= 0x030C0000
  auto *number = reinterpret_cast<PyLongObject *>(value);
  if (!PyUnstable_Long_IsCompact(number)) {
    return false;
  }
  to = PyUnstable_Long_CompactValue(number);
  return true;
#else
  int overflow = 0;
  to = PyLong_AsLongLongAndOverflow(value, &overflow);
  return !overflow;
#endif
}

/// Python's number as the type that the language gives it: i32, i64 or u64.
/// False with the error set.
bool integer(PyObject *value, tz_arg &to);

} // namespace tz::python

#endif
