//===- ArgumentSignature.cpp - the arguments of a launch, told to Python --===//
//
// What   See ArgumentSignature.h.
// Why    See ArgumentSignature.h.
//===----------------------------------------------------------------------===//
#include "values/ArgumentSignature.h"

#include "values/ElementTypes.h"

#include <string>

namespace tz::python {

template <typename T>
static PyObject *integerTuple(const T *values, uint32_t count) {
  Reference made(PyTuple_New(count));
  for (uint32_t i = 0; made && i < count; ++i) {
    PyObject *one = PyLong_FromLongLong(int64_t(values[i]));
    if (!one) {
      return nullptr;
    }
    PyTuple_SET_ITEM(made.get(), i, one);
  }
  return made.release();
}

static PyObject *entry(const char *mark, uint32_t type, uint64_t bits) {
  const ElementType *known = findElementType(type);
  std::string name = mark + std::string(known ? known->signature : "void");
  return Py_BuildValue("(sK)", name.c_str(),
                       static_cast<unsigned long long>(bits));
}

static PyObject *pointer(uint32_t element, uint64_t address) {
  return entry("*", element, address);
}

/// Without what lies above the type's bits: copies of its sign.
static PyObject *number(uint32_t type, uint64_t bits) {
  const ElementType *known = findElementType(type);
  bool isNarrow = known && known->bits < 64;
  return entry("", type,
               isNarrow ? bits & ((uint64_t(1) << known->bits) - 1) : bits);
}

static PyObject *descriptor(const tz_descriptor &d) {
  Reference base(pointer(d.element, d.data));
  Reference shape(integerTuple(d.shape, d.rank));
  Reference strides(integerTuple(d.strides, d.rank));
  Reference block(integerTuple(d.block, d.rank));
  return base && shape && strides && block
             ? Py_BuildValue("(OOOOO)", base.get(), shape.get(), strides.get(),
                             block.get(),
                             d.padding == TZ_PADDING_NAN ? Py_True : Py_False)
             : nullptr;
}

static PyObject *describe(const tz_arg &arg) {
  switch (arg.type) {
  case TZ_TYPE_NONE:
  case TZ_TYPE_STRING:
    Py_RETURN_NONE;
  case TZ_TYPE_DESCRIPTOR:
    return descriptor(*reinterpret_cast<const tz_descriptor *>(arg.bits));
  case TZ_TYPE_TUPLE: {
    const auto &tuple = *reinterpret_cast<const tz_tuple *>(arg.bits);
    return describeArguments(tuple.items, tuple.num_items);
  }
  default:
    if (arg.type != TZ_TYPE_PTR && arg.element == TZ_CONSTEXPR) {
      Py_RETURN_NONE;
    }
    return arg.type == TZ_TYPE_PTR ? pointer(arg.element, arg.bits)
                                   : number(arg.type, arg.bits);
  }
}

PyObject *describeArguments(const tz_arg *args, size_t count) {
  Reference made(PyList_New(Py_ssize_t(count)));
  for (size_t i = 0; made && i < count; ++i) {
    PyObject *one = describe(args[i]);
    if (!one) {
      return nullptr;
    }
    PyList_SET_ITEM(made.get(), Py_ssize_t(i), one);
  }
  return made.release();
}

} // namespace tz::python
