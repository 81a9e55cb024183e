//===- ArrayTypes.h - arrays of frameworks --------------------------------===//
//
// What   What an object is, by its type: a tensor whose methods are called, an
//        array with a buffer, something that runtime/arguments.py must look
//        at. The address, element type and memory of each.
// Why    A type is examined once; after that an argument costs the calls that
//        its framework needs and no more.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_VALUES_ARRAYTYPES_H
#define TERRAZZO_PYTHON_VALUES_ARRAYTYPES_H

#include "values/PythonArguments.h"

namespace tz::python {

struct ExchangeTable;

enum class Kind : uint8_t {
  Integer,
  Float,
  Bool,
  None,
  String,
  Tuple,
  Tensor, // has data_ptr(), dtype, get_device()
  Buffer, // has the buffer protocol, and dtype
  Other
};

/// What is known of the values of a type.
struct KnownType {
  PyTypeObject *type;
  Kind kind;
  const ExchangeTable *table; // of a Tensor, or null
};

/// Valid until the next call.
const KnownType &knownType(PyObject *value);

/// `type`: the tensor's. False with the error set.
bool readTensor(PyObject *tensor, const KnownType &type, Array &to);
bool readBuffer(PyObject *array, Array &to);
/// From (address or array interface, dtype's name, framework or None, index):
/// what runtime/arguments.py found out of any other array.
bool readFacts(PyObject *facts, Array &to);

} // namespace tz::python

#endif
