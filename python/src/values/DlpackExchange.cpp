//===- DlpackExchange.cpp - arrays that C code may look at ----------------===//
//
// What   See DlpackExchange.h.
// Why    See DlpackExchange.h.
//===----------------------------------------------------------------------===//
#include "values/DlpackExchange.h"

#include <terrazzo/terrazzo.h>

#include <bit>

namespace tz::python {

const ExchangeTable *exchangeTableOf(PyTypeObject *type) {
  Reference capsule(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                           "__dlpack_c_exchange_api__"));
  void *table = capsule && PyCapsule_CheckExact(capsule.get())
                    ? PyCapsule_GetPointer(capsule.get(), "dlpack_exchange_api")
                    : nullptr;
  PyErr_Clear();
  // The capsule need not live: tables are static.
  const auto *found = static_cast<const ExchangeTable *>(table);
  while (found && found->major != 1) {
    found = found->previous;
  }
  return found && found->describe && found->currentStream ? found : nullptr;
}

namespace {
/// The classes of ElementTypes.def.
enum class TypeClass { Bool, Signed, Unsigned, Float };

/// DLPack's code of a row; -1: none. Floats of eight bits have none here: the
/// array's own dtype says which they are.
constexpr int dlpackCode(TypeClass kind, uint32_t type, unsigned bits) {
  switch (kind) {
  case TypeClass::Signed:
    return 0;
  case TypeClass::Unsigned:
    return 1;
  case TypeClass::Bool:
    return 6;
  case TypeClass::Float:
    break;
  }
  return bits == 8 ? -1 : type == TZ_TYPE_BF16 ? 4 : 2;
}
} // namespace

uint32_t elementType(const ExchangedArray &array) {
  if (array.lanes != 1) {
    return 0;
  }
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction,              \
                     LeastExponent)                                            \
  if (array.bits == (Bits == 1 ? 8 : Bits) &&                                  \
      array.code == dlpackCode(TypeClass::Class, TZ_TYPE_##Id, Bits)) {        \
    return TZ_TYPE_##Id;                                                       \
  }
#include <terrazzo/ElementTypes.def>
  return 0;
}

namespace {
/// DLManagedTensor begins with the array.
/// DLManagedTensorVersioned:
struct VersionedArray {
  uint32_t major, minor;
  void *context;
  void (*free)(VersionedArray *);
  uint64_t flags;
  ExchangedArray array;
};
} // namespace

static PyObject *tupleOf(const int64_t *values, int32_t count, int64_t unit) {
  Reference made(PyTuple_New(count));
  for (int32_t i = 0; made && i < count; ++i) {
    PyObject *one = PyLong_FromLongLong(values[i] * unit);
    if (!one) {
      return nullptr;
    }
    PyTuple_SET_ITEM(made.get(), i, one);
  }
  return made.release();
}

PyObject *readCapsule(PyObject *capsule) {
  const ExchangedArray *array = nullptr;
  if (PyCapsule_IsValid(capsule, "dltensor")) {
    array = static_cast<const ExchangedArray *>(
        PyCapsule_GetPointer(capsule, "dltensor"));
  } else if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    const auto *found = static_cast<const VersionedArray *>(
        PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    array = found->major == 1 ? &found->array : nullptr;
  }
  const int64_t size = array ? array->bits * array->lanes / 8 : 0;
  if (!size) {
    PyErr_SetString(PyExc_BufferError,
                    "__dlpack__() gave no array of whole bytes");
    return nullptr;
  }
  Reference shape(tupleOf(array->shape, array->rank, 1));
  Reference strides(array->strides ? tupleOf(array->strides, array->rank, size)
                                   : Reference::borrow(Py_None).release());
  return shape && strides
             ? Py_BuildValue("{s(KO)sOsOsN}", "data",
                             static_cast<unsigned long long>(
                                 reinterpret_cast<uintptr_t>(array->data) +
                                 array->byteOffset),
                             Py_False, "shape", shape.get(), "strides",
                             strides.get(), "typestr",
                             PyUnicode_FromFormat("|V%d", int(size)))
             : nullptr;
}

} // namespace tz::python
