//===- Exchange.cpp - arrays that C code may look at ----------------------===//
//
// What   See Exchange.h.
// Why    See Exchange.h.
//===----------------------------------------------------------------------===//
#include "Exchange.h"

#include <terrazzo/terrazzo.h>

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
  enum { Int, UInt, Float, BFloat = 4, Bool = 6 };
  if (array.lanes != 1) {
    return 0;
  }
  auto ofWidth = [&](uint32_t w8, uint32_t w16, uint32_t w32, uint32_t w64) {
    return array.bits == 8    ? w8
           : array.bits == 16 ? w16
           : array.bits == 32 ? w32
           : array.bits == 64 ? w64
                              : 0;
  };
  switch (array.code) {
  case Int:
    return ofWidth(TZ_TYPE_I8, TZ_TYPE_I16, TZ_TYPE_I32, TZ_TYPE_I64);
  case UInt:
    return ofWidth(TZ_TYPE_U8, TZ_TYPE_U16, TZ_TYPE_U32, TZ_TYPE_U64);
  case Float:
    return ofWidth(0, TZ_TYPE_F16, TZ_TYPE_F32, TZ_TYPE_F64);
  case BFloat:
    return array.bits == 16 ? TZ_TYPE_BF16 : 0;
  case Bool:
    return array.bits == 8 ? TZ_TYPE_I1 : 0;
  default: // floats of eight bits: the array's own dtype says which
    return 0;
  }
}

} // namespace tz::python
