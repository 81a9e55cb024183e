//===- Code.h - compiled code as a Python object --------------------------===//
//
// What   A kernel's handle that several owners share, and the object
//        terrazzo._native.Code over a tz_code_t.
// Why    Code that a program looks at must outlive the function that launched
//        it.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_COMPILE_CODE_H
#define TERRAZZO_PYTHON_COMPILE_CODE_H

#include "Failure.h"

#include <memory>

namespace tz::python {

class KernelHandle {
public:
  explicit KernelHandle(tz_kernel_t handle) : native(handle) {}
  ~KernelHandle() { tz_kernel_destroy(native); }
  KernelHandle(const KernelHandle &) = delete;
  tz_kernel_t handle() const { return native; }

private:
  tz_kernel_t native;
};

/// terrazzo.compiled.CompiledKernel around the code that was made for a
/// terrazzo.specialization.Specialization. Null with the error set.
PyObject *makeCompiledKernel(std::shared_ptr<KernelHandle> kernel,
                             tz_code_t code, PyObject *specialization);

/// Adds the type Code.
void addCodeType(PyObject *module);

} // namespace tz::python

#endif
