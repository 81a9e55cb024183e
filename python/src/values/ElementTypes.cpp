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
constexpr const char *Bool = "bool", *Signed = "signed", *Unsigned = "unsigned",
                     *Float = "float";

constexpr ElementType ElementRows[] = {
#define ELEMENT_TYPE(Id, Bits, Class, Name, Long, Text, Fraction,              \
                     LeastExponent)                                            \
  {TZ_TYPE_##Id,                                                               \
   Name,                                                                       \
   Long,                                                                       \
   Class,                                                                      \
   Bits,                                                                       \
   Fraction,                                                                   \
   LeastExponent ? unsigned(1 - LeastExponent) : 0},
#include <terrazzo/ElementTypes.def>
};

/// Words of Python that the table does not have.
struct Alias {
  uint32_t type;
  const char *name;
  bool isOfC; // in signatures alone: frameworks mean other widths
};
constexpr Alias ElementAliases[] = {
    {TZ_TYPE_I1, "bool", false},
    {TZ_TYPE_I1, "i1", false},
    {TZ_TYPE_I1, "uint1", false},
    {TZ_TYPE_F8E4M3FN, "float8_e4m3fn", false},
    {TZ_TYPE_F8E5M2, "float8_e5m2", false},
    {TZ_TYPE_F8E4M3FNUZ, "float8_e4m3fnuz", false},
    {TZ_TYPE_F8E5M2FNUZ, "float8_e5m2fnuz", false},
    {TZ_TYPE_I32, "int", true},
    {TZ_TYPE_F16, "half", true},
    {TZ_TYPE_F32, "float", true},
    {TZ_TYPE_F64, "double", true},
};
} // namespace

uint32_t elementType(const char *name) {
  if (const char *dot = std::strrchr(name, '.')) {
    name = dot + 1;
  }
  for (const ElementType &row : ElementRows) {
    if (!std::strcmp(row.language, name) || !std::strcmp(row.signature, name)) {
      return row.type;
    }
  }
  for (const Alias &alias : ElementAliases) {
    if (!alias.isOfC && !std::strcmp(alias.name, name)) {
      return alias.type;
    }
  }
  return 0;
}

const ElementType *findElementType(uint32_t type) {
  for (const ElementType &row : ElementRows) {
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
             tupleOf(std::size(ElementRows),
                     [](size_t i) {
                       const ElementType &row = ElementRows[i];
                       return Py_BuildValue("(sssIII)", row.signature,
                                            row.language, row.kind, row.bits,
                                            row.mantissa, row.bias);
                     })) &&
         add(module, "ELEMENT_ALIASES",
             tupleOf(std::size(ElementAliases), [](size_t i) {
               return Py_BuildValue(
                   "(ss)", ElementAliases[i].name,
                   findElementType(ElementAliases[i].type)->signature);
             }));
}

} // namespace tz::python
