//===- CompileFunction.cpp - code of a function, and who is told of it ----===//
//
// What   The warm-up of a Function; compiled code as an object; hooks that are
//        asked before code is compiled and told after.
// Why    A launch comes here for code that it has not seen, and whenever such
//        hooks are set.
//===----------------------------------------------------------------------===//
#include "compile/Names.h"
#include "launch/Function.h"
#include "launch/LaunchHooks.h"
#include "values/ArgumentSignature.h"

namespace tz::python {

/// What stands for the code; made once. Null with the error set.
Function::Compiled *Function::compiled(PyObject *self, Prepared &prepared,
                                       tz_code_t code) const {
  Variant &variant = *prepared.variant;
  for (Compiled &known : variant.codes) {
    if (known.code == code) [[likely]] {
      if (&known != variant.codes.data()) {
        std::swap(known, variant.codes.front());
      }
      return variant.codes.data();
    }
  }
  return makeCompiled(self, prepared, code);
}

/// Of a variant, as Python gave them. Null with the error set.
static PyObject *optionsAsDict(const std::vector<Option> &given) {
  Reference options(PyDict_New());
  if (!options) {
    return nullptr;
  }
  for (const Option &option : given) {
    Reference value;
    switch (option.value.type) {
    case TZ_TYPE_STRING:
      value = Reference(PyUnicode_FromString(
          reinterpret_cast<const char *>(option.value.bits)));
      break;
    case TZ_TYPE_I1:
      value = Reference(PyBool_FromLong(option.value.bits != 0));
      break;
    default:
      value = Reference(PyLong_FromLongLong(int64_t(option.value.bits)));
    }
    if (!value || PyDict_SetItem(options.get(), option.name, value.get()) < 0) {
      return nullptr;
    }
  }
  return options.release();
}

PyObject *Function::specialization(PyObject *self, const Prepared &prepared,
                                   const std::string &target) const {
  Reference make(
      packageAttribute("terrazzo.compiler.specialization", "Specialization"));
  Reference options(optionsAsDict(prepared.variant->options));
  Reference values(boundAsDict(prepared.bound));
  const Arguments &arguments = prepared.arguments;
  Reference described(describeArguments(arguments.data(), arguments.size()));
  if (!make || !options || !values || !described) {
    return nullptr;
  }
  const Memory &memory = arguments.memory();
  return PyObject_CallFunction(
      make.get(), "OOOOsiz", self, options.get(), values.get(), described.get(),
      target.c_str(), memory.index,
      memory.accelerator ? memory.accelerator->framework.c_str() : nullptr);
}

Function::Compiled *Function::makeCompiled(PyObject *self, Prepared &prepared,
                                           tz_code_t code) const {
  Variant &variant = *prepared.variant;
  tz_code_facts facts{};
  facts.struct_size = sizeof(facts);
  Reference call(
      specialization(self, prepared, prepared.place.device->target()));
  Reference made(call ? makeCompiledKernel(variant.kernel, code, call.get())
                      : nullptr);
  if (!made || !settle(tz_code_describe(code, &facts))) {
    return nullptr;
  }
  variant.codes.push_back({code, std::move(made), facts.has_log != 0});
  std::swap(variant.codes.back(), variant.codes.front());
  return variant.codes.data();
}

/// Compiles, if it was not. Null with the error set.
Function::Compiled *Function::compile(PyObject *self,
                                      Prepared &prepared) const {
  tz_kernel_t kernel = prepared.variant->kernel->handle();
  const Arguments &arguments = prepared.arguments;
  tz_code_t code = nullptr;
  Diagnostics diagnostics;
  Compiling compiling(self);
  tz_status_t status;
  Py_BEGIN_ALLOW_THREADS;
  status = tz_kernel_compile(kernel, prepared.place.device->handle(),
                             arguments.data(), arguments.size(), &code);
  Py_END_ALLOW_THREADS;
  return settle(status, diagnostics) ? compiled(self, prepared, code) : nullptr;
}

bool Function::tellCompilation(PyObject *self, Prepared &prepared,
                               bool isWarmup, bool isKnownTold,
                               bool &isRefused) const {
  const Arguments &arguments = prepared.arguments;
  tz_code_t code = nullptr;
  if (!settle(tz_kernel_find_code(prepared.variant->kernel->handle(),
                                  prepared.place.device->handle(),
                                  arguments.data(), arguments.size(), &code))) {
    return false;
  }
  if (code && !isKnownTold) {
    return true;
  }
  PyObject *warm = isWarmup ? Py_True : Py_False;
  Reference call(
      specialization(self, prepared, prepared.place.device->target()));
  Reference answer(
      call ? PyObject_CallMethod(call.get(), "before_compiling", "O", warm)
           : nullptr);
  if (!answer) {
    return false;
  }
  isRefused = PyObject_IsTrue(answer.get()) > 0;
  if (isRefused) {
    return true;
  }
  return compile(self, prepared) &&
         Reference(
             PyObject_CallMethod(call.get(), "after_compiling", "O", warm));
}

PyObject *Function::warmup(PyObject *self, const Call &call, bool tells,
                           bool isKnownTold) {
  Prepared prepared(name);
  bool isRefused = false;
  if (!prepare(self, call, prepared) ||
      (tells && everHooked && isCompilationHooked() &&
       !tellCompilation(self, prepared, true, isKnownTold, isRefused))) {
    return nullptr;
  }
  if (isRefused) {
    Py_RETURN_NONE;
  }
  return objectOf(compile(self, prepared));
}

PyObject *Function::compileFor(PyObject *self, const char *target,
                               const Call &call) {
  Prepared prepared(name);
  if (!read(self, call, prepared)) {
    return nullptr;
  }
  const std::shared_ptr<KernelHandle> &kernel = prepared.variant->kernel;
  const Arguments &arguments = prepared.arguments;
  tz_code_t code = nullptr;
  Diagnostics diagnostics;
  Compiling compiling(self);
  tz_status_t status;
  Py_BEGIN_ALLOW_THREADS;
  status = tz_kernel_compile_for(kernel->handle(), target, arguments.data(),
                                 arguments.size(), &code);
  Py_END_ALLOW_THREADS;
  if (!settle(status, diagnostics)) {
    return nullptr;
  }
  Reference made(specialization(self, prepared, target));
  return made ? makeCompiledKernel(kernel, code, made.get()) : nullptr;
}

} // namespace tz::python
