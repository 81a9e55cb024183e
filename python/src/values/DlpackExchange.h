//===- DlpackExchange.h - arrays that C code may look at ------------------===//
//
// What   The part of DLPack's ABI by which a framework tells of an array, and
//        of the stream that it works on, without a Python call; and the
//        capsules by which older ones tell of an array.
// Why    It is the quickest way to an address that there is: a tenth of what
//        the array's methods cost. A type carries the functions' table as its
//        attribute __dlpack_c_exchange_api__ (DLPack 1.2 and later).
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_VALUES_DLPACKEXCHANGE_H
#define TERRAZZO_PYTHON_VALUES_DLPACKEXCHANGE_H

#include "Reference.h"

#include <cstdint>

namespace tz::python {

/// DLTensor.
struct ExchangedArray {
  void *data;
  int32_t deviceType, deviceId;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

/// DLPackExchangeAPI, major version 1.
struct ExchangeTable {
  uint32_t major, minor;
  const ExchangeTable *previous;
  void *allocate, *fromObject, *toObject;
  int (*describe)(void *object, ExchangedArray *out);
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **out);
};

/// The array that a capsule of __dlpack__() holds, as an array interface: a
/// dictionary with data, shape, strides (in bytes) and typestr. It does not
/// take the array over. Null with the error set.
PyObject *readCapsule(PyObject *capsule);

/// Of a type; null if it has none that we know.
const ExchangeTable *exchangeTableOf(PyTypeObject *type);

/// TZ_TYPE_* of an array's elements; 0: no kernel has such.
uint32_t elementType(const ExchangedArray &array);

/// In memory that the host's kernels may use.
inline bool isHostMemory(const ExchangedArray &array) {
  // kDLCPU, and the host's memory that devices see, too.
  return array.deviceType == 1 || array.deviceType == 3 ||
         array.deviceType == 11;
}

} // namespace tz::python

#endif
