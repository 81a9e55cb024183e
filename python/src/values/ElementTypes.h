//===- ElementTypes.h - names and widths of element types -------*- C++ -*-===//
//
// What   Rows of terrazzo/ElementTypes.def by name and by number, and all of
//        them as a table for Python.
// Why    Python knows types by name alone; numbers are the library's.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_VALUES_ELEMENTTYPES_H
#define TERRAZZO_PYTHON_VALUES_ELEMENTTYPES_H

#include "Reference.h"

#include <cstdint>

namespace tz::python {

struct ElementType {
  uint32_t type;         // TZ_TYPE_*
  const char *signature; // "fp16"
  const char *language;  // "float16"
  const char *kind;      // "bool", "signed", "unsigned" or "float"
  unsigned bits, mantissa, bias;
};

/// TZ_TYPE_* of a name that dtypes or signatures use, a module's name before
/// it, as in "torch.float16"; 0: there is none.
uint32_t elementType(const char *name);

/// Null: no type of elements has this number.
const ElementType *findElementType(uint32_t type);

/// Adds ELEMENT_TYPES, a tuple of (signature, language, kind, bits, mantissa,
/// bias), and ELEMENT_ALIASES, of (alias, signature). False with the error set.
bool addElementTypes(PyObject *module);

} // namespace tz::python

#endif
