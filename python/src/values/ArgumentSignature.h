//===- ArgumentSignature.h - the arguments of a launch, told to Python ----===//
//
// What   Each argument's type and what of its value code may depend on, as
//        terrazzo.compiler.specialization reads it.
// Why    How a value is typed is decided once, by Arguments; Python must not
//        decide it again for the hooks that it calls.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_VALUES_ARGUMENTSIGNATURE_H
#define TERRAZZO_PYTHON_VALUES_ARGUMENTSIGNATURE_H

#include "Reference.h"

#include <terrazzo/terrazzo.h>

#include <cstddef>

namespace tz::python {

/// A list with an entry for each argument: None of what is known at compile
/// time; (type as signatures write it, bits) of a number or pointer, as
/// ("*fp32", address); a list of a tuple's items; (base, shape, strides, block,
/// pads with NaN) of a descriptor, base like a pointer. Null with the error
/// set.
PyObject *describeArguments(const tz_arg *args, size_t count);

} // namespace tz::python

#endif
