//===- ElementTypes.cpp - names and widths of element types ---------------===//
//
// What   See ElementTypes.h.
// Why    See ElementTypes.h.
//===----------------------------------------------------------------------===//
#include "values/ElementTypes.h"

#include <terrazzo/terrazzo.h>

#include <cstring>
#include <iterator>

namespace tz::python {

namespace {
constexpr const char *BOOL = "bool", *SIGNED = "signed", *UNSIGNED = "unsigned",
                     *FLOAT = "float";

constexpr ElementType elementRows[] = {
#define TZ_ELEMENT_TYPE(ID, signature, language, KIND, bits, mantissa, bias)   \
  {TZ_TYPE_##ID, signature, language, KIND, bits, mantissa, bias},
#include "values/ElementTypes.def"
};

struct Alias {
  uint32_t type;
  const char *name;
  bool isOfC; // in signatures alone
};
constexpr Alias elementAliases[] = {
#define TZ_ELEMENT_ALIAS(ID, name) {TZ_TYPE_##ID, name, false},
#define TZ_ELEMENT_C_NAME(ID, name) {TZ_TYPE_##ID, name, true},
#include "values/ElementTypes.def"
};
} // namespace

uint32_t elementType(const char *name) {
  if (const char *dot = std::strrchr(name, '.')) {
    name = dot + 1;
  }
  for (const ElementType &row : elementRows) {
    if (!std::strcmp(row.language, name) || !std::strcmp(row.signature, name)) {
      return row.type;
    }
  }
  for (const Alias &alias : elementAliases) {
    if (!alias.isOfC && !std::strcmp(alias.name, name)) {
      return alias.type;
    }
  }
  return 0;
}

const ElementType *findElementType(uint32_t type) {
  for (const ElementType &row : elementRows) {
    if (row.type == type) {
      return &row;
    }
  }
  return nullptr;
}

/// A tuple of `count` objects that make(i) gives; null with the error set.
template <typename Make>
static PyObject *tupleOf(size_t count, Make make) {
  Reference made(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; made && i < count; ++i) {
    PyObject *item = make(i);
    if (!item) {
      return nullptr;
    }
    PyTuple_SET_ITEM(made.get(), Py_ssize_t(i), item);
  }
  return made.release();
}

static bool add(PyObject *module, const char *name, PyObject *owned) {
  Reference value(owned);
  return value && !PyModule_AddObjectRef(module, name, value.get());
}

bool addElementTypes(PyObject *module) {
  return add(module, "ELEMENT_TYPES",
             tupleOf(std::size(elementRows),
                     [](size_t i) {
                       const ElementType &row = elementRows[i];
                       return Py_BuildValue("(sssIII)", row.signature,
                                            row.language, row.kind, row.bits,
                                            row.mantissa, row.bias);
                     })) &&
         add(module, "ELEMENT_ALIASES",
             tupleOf(std::size(elementAliases), [](size_t i) {
               return Py_BuildValue(
                   "(ss)", elementAliases[i].name,
                   findElementType(elementAliases[i].type)->signature);
             }));
}

} // namespace tz::python
