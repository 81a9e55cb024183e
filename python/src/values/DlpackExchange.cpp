//===- DlpackExchange.cpp - arrays that C code may look at ----------------===//
//
// What   See DlpackExchange.h.
// Why    See DlpackExchange.h.
//===----------------------------------------------------------------------===//
#include "values/DlpackExchange.h"

#include <terrazzo/terrazzo.h>

#include <bit>
#include <iterator>

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

uint32_t elementType(const ExchangedArray &array) {
  // By DLPack's code, then of 8, 16, 32 and 64 bits. Floats of eight bits are
  // not among them: the array's own dtype says which they are.
  static constexpr uint8_t types[7][4] = {
      {TZ_TYPE_I8, TZ_TYPE_I16, TZ_TYPE_I32, TZ_TYPE_I64},
      {TZ_TYPE_U8, TZ_TYPE_U16, TZ_TYPE_U32, TZ_TYPE_U64},
      {0, TZ_TYPE_F16, TZ_TYPE_F32, TZ_TYPE_F64},
      {},
      {0, TZ_TYPE_BF16, 0, 0},
      {},
      {TZ_TYPE_I1, 0, 0, 0}};
  const int width = std::countr_zero(array.bits) - 3;
  return array.lanes == 1 && array.code < std::size(types) &&
                 std::has_single_bit(array.bits) && width >= 0 && width < 4
             ? types[array.code][width]
             : 0;
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
