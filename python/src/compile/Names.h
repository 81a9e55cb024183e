//===- Names.h - names that the Python program knows ----------------------===//
//
// What   terrazzo.compiler.program_names, which the compiler asks through
//        tz_names.
// Why    The compiler runs without the GIL and takes it only to ask.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_COMPILE_NAMES_H
#define TERRAZZO_PYTHON_COMPILE_NAMES_H

#include "Reference.h"

#include <terrazzo/terrazzo.h>

namespace tz::python {

extern const tz_names ProgramNames;

/// While it lives, questions on this thread are about `kernel`, which remembers
/// the values that it was told.
class Compiling {
public:
  explicit Compiling(PyObject *kernel);
  ~Compiling();
  Compiling(const Compiling &) = delete;

private:
  PyObject *outer;
};

} // namespace tz::python

#endif
