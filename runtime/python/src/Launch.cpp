//===- Launch.cpp - from a call's values to the driver --------------------===//
//
// What   The launch and the warm-up of a Function: the kernel for its options,
//        the stream's turn, the code as an object, hooks.
// Why    See Function.h. A launch whose code is known allocates nothing here
//        and takes no lock but the interpreter's.
//===----------------------------------------------------------------------===//
#include "Function.h"
#include "Hooks.h"
#include "Names.h"

#include <cstring>

namespace tz::python {

//===----------------------------------------------------------------------===//
// Kernels by options
//===----------------------------------------------------------------------===//

static bool same(const tz_arg &a, const tz_arg &b) {
  if (a.type != b.type) {
    return false;
  }
  return a.bits == b.bits ||
         (a.type == TZ_TYPE_STRING &&
          !std::strcmp(reinterpret_cast<const char *>(a.bits),
                       reinterpret_cast<const char *>(b.bits)));
}

Function::Variant *Function::variant(PyObject *self, const Bound &bound) {
  for (const auto &known : variants) {
    if (known->options.size() != bound.numOptions) {
      continue;
    }
    bool equal = true;
    for (size_t i = 0; i < bound.numOptions && equal; ++i) {
      const Option &one = known->options[i], &other = bound.options[i];
      equal = same(one.value, other.value) &&
              (one.name == other.name ||
               PyUnicode_Compare(one.name, other.name) == 0);
    }
    if (equal) {
      return known.get();
    }
  }
  tz_kernel_t loaded = load(self, bound);
  if (!loaded) {
    return nullptr;
  }
  auto made = std::make_unique<Variant>();
  made->kernel = std::make_shared<Kernel>(loaded);
  made->options.assign(bound.options, bound.options + bound.numOptions);
  for (const Option &option : made->options) {
    made->held.push_back(Reference::borrow(option.name));
    made->held.push_back(Reference::borrow(option.text));
  }
  variants.push_back(std::move(made));
  return variants.back().get();
}

/// What self._source() says: path, text, function, first line, scope.
tz_kernel_t Function::load(PyObject *self, const Bound &bound) {
  Session *session = Session::get();
  if (!session) {
    return nullptr;
  }
  Reference source(PyObject_CallMethod(self, "_source", nullptr));
  const char *path, *text, *function;
  Py_ssize_t size;
  unsigned line;
  unsigned long long scope;
  if (!source || !PyArg_ParseTuple(source.get(), "ss#sIK", &path, &text, &size,
                                   &function, &line, &scope)) {
    return nullptr;
  }
  std::vector<tz_named_arg> chosen;
  for (size_t i = 0; i < bound.numOptions; ++i) {
    const Option &option = bound.options[i];
    const char *key = PyUnicode_AsUTF8(option.name);
    if (!key) {
      return nullptr;
    }
    chosen.push_back({key, option.value});
  }
  tz_kernel_source request{};
  request.struct_size = sizeof(request);
  request.path = path;
  request.text = text;
  request.text_size = size_t(size);
  request.function = function;
  request.options = chosen.data();
  request.num_options = chosen.size();
  request.names = &programNames;
  request.scope = scope;
  request.line = line;
  tz_kernel_t kernel = nullptr;
  tz_status_t status;
  Diagnostics diagnostics;
  Compiling compiling(self);
  Py_BEGIN_ALLOW_THREADS;
  status = tz_kernel_load(session->handle(), &request, &kernel);
  Py_END_ALLOW_THREADS;
  return settle(status, diagnostics) ? kernel : nullptr;
}

//===----------------------------------------------------------------------===//
// Code as an object
//===----------------------------------------------------------------------===//

/// What stands for the code; made once. Null with the error set.
Function::Compiled *Function::compiled(PyObject *self, Variant &variant,
                                       tz_code_t code) const {
  for (Compiled &known : variant.codes) {
    if (known.code == code) [[likely]] {
      if (&known != variant.codes.data()) {
        std::swap(known, variant.codes.front());
      }
      return variant.codes.data();
    }
  }
  return makeCompiled(self, variant, code);
}

Function::Compiled *Function::makeCompiled(PyObject *self, Variant &variant,
                                           tz_code_t code) const {
  Reference options(PyDict_New());
  if (!options) {
    return nullptr;
  }
  for (const Option &option : variant.options) {
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
  tz_code_facts facts{};
  facts.struct_size = sizeof(facts);
  Reference made(makeCompiledKernel(variant.kernel, code, self, options.get()));
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
  return settle(status, diagnostics) ? compiled(self, *prepared.variant, code)
                                     : nullptr;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

bool Function::prepare(PyObject *self, const Call &call, Prepared &to) {
  return bind(call, to.bound) && checkWatched() &&
         convert(to.bound, to.arguments) &&
         (to.variant = variant(self, to.bound)) &&
         to.place.find(to.arguments.memory(), name);
}

/// Arrays that the kernel would misread or must not write: false with the
/// error set.
bool Function::settleDoubts(PyObject *self, Prepared &prepared) const {
  Compiled *made = compile(self, prepared);
  if (!made) {
    return false;
  }
  const tz_code_t code = made->code;
  for (const Doubt &doubt : prepared.arguments.doubts()) {
    tz_pointer_use use{};
    use.struct_size = sizeof(use);
    tz_status_t status = tz_code_pointer_use(code, doubt.argument, &use);
    const bool isKnown = !status;
    tz_status_release(status);
    if (!doubt.isJustified(isKnown ? &use : nullptr)) {
      continue;
    }
    Reference check(packageAttribute("terrazzo._doubts", "check"));
    const Layout &layout = doubt.layout;
    Reference gaps(PyTuple_New(layout.numGaps));
    for (size_t i = 0; gaps && i < layout.numGaps; ++i) {
      PyTuple_SET_ITEM(gaps.get(), Py_ssize_t(i),
                       PyLong_FromLongLong(layout.gaps[i]));
    }
    Reference done(
        check && gaps
            ? PyObject_CallFunction(
                  check.get(), "sOOOOO", name.c_str(), doubt.name, doubt.value,
                  doubt.hasNoMemory ? Py_True : Py_False,
                  layout.isReadOnly && use.is_written ? Py_True : Py_False,
                  gaps.get())
            : nullptr);
    if (!done) {
      return false;
    }
  }
  return true;
}

/// Launches; on the host also waits.
tz_status_t Function::start(Variant &variant, const Place &place,
                            const int64_t (&sizes)[3],
                            const Arguments &arguments, tz_code_t &code) const {
  tz_kernel_t kernel = variant.kernel->handle();
  tz_status_t status;
  if (place.shared) [[likely]] {
    StreamTurn turn(*place.shared);
    Py_BEGIN_ALLOW_THREADS;
    status = tz_kernel_launch_code(kernel, place.stream, sizes,
                                   arguments.data(), arguments.size(), &code);
    Py_END_ALLOW_THREADS;
    return status;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = tz_kernel_launch_code(kernel, place.stream, sizes, arguments.data(),
                                 arguments.size(), &code);
  if (!status) {
    status = tz_stream_sync(place.stream);
  }
  Py_END_ALLOW_THREADS;
  return status;
}

/// Waits for a kernel that prints or asserts: nobody else would ask.
static tz_status_t tellLog(Stream &shared) {
  StreamTurn turn(shared);
  tz_status_t status;
  Py_BEGIN_ALLOW_THREADS;
  status = tz_stream_sync(shared.handle);
  Py_END_ALLOW_THREADS;
  return status;
}

/// Null with the error set.
Function::Compiled *Function::launchPrepared(PyObject *self, Prepared &prepared,
                                             const int64_t (&sizes)[3]) const {
  Place &place = prepared.place;
  if (!place.findStream()) {
    return nullptr;
  }
  tz_code_t code = nullptr;
  Diagnostics diagnostics;
  Compiling compiling(self);
  tz_status_t status =
      start(*prepared.variant, place, sizes, prepared.arguments, code);
  place.leaveStream();
  if ((status || !diagnostics.warnings.empty()) && !settle(status, diagnostics))
      [[unlikely]] {
    return nullptr;
  }
  Compiled *made = compiled(self, *prepared.variant, code);
  if (made && made->hasLog && place.shared && !settle(tellLog(*place.shared)))
      [[unlikely]] {
    return nullptr;
  }
  return made;
}

/// `which`: "launch_enter_hook" or "launch_exit_hook"; false with the error
/// set.
bool Function::callHook(const char *which, PyObject *self, PyObject *code,
                        const int64_t (&sizes)[3],
                        const Prepared &prepared) const {
  Reference call(packageAttribute("terrazzo.compiled", "call_hook"));
  Reference arguments(call ? boundAsDict(prepared.bound) : nullptr);
  Reference done(
      arguments ? PyObject_CallFunction(
                      call.get(), "sOO(LLL)OK", which, self, code,
                      static_cast<long long>(sizes[0]),
                      static_cast<long long>(sizes[1]),
                      static_cast<long long>(sizes[2]), arguments.get(),
                      static_cast<unsigned long long>(
                          reinterpret_cast<uintptr_t>(prepared.place.native)))
                : nullptr);
  return bool(done);
}

/// A launch that hooks hear of.
PyObject *Function::launchWatched(PyObject *self, Prepared &prepared,
                                  const int64_t (&sizes)[3]) const {
  Compiled *made = compile(self, prepared);
  Reference object = Reference::borrow(made ? made->object.get() : nullptr);
  if (!object ||
      !callHook("launch_enter_hook", self, object.get(), sizes, prepared) ||
      !launchPrepared(self, prepared, sizes) ||
      !callHook("launch_exit_hook", self, object.get(), sizes, prepared)) {
    return nullptr;
  }
  return object.release();
}

PyObject *Function::launch(PyObject *self, PyObject *grid, const Call &call) {
  Prepared prepared(name);
  int64_t sizes[3];
  if (!prepare(self, call, prepared) ||
      !readGrid(grid, prepared.bound, sizes)) {
    return nullptr;
  }
  const bool isEmpty = sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0;
  if (!isEmpty && !prepared.arguments.doubts().empty()) [[unlikely]] {
    if (!settleDoubts(self, prepared)) {
      return nullptr;
    }
  }
  if (!isEmpty && areLaunchesWatched()) [[unlikely]] {
    return launchWatched(self, prepared, sizes);
  }
  Compiled *made =
      isEmpty ? compile(self, prepared) : launchPrepared(self, prepared, sizes);
  return made ? Reference::borrow(made->object.get()).release() : nullptr;
}

PyObject *Function::warmup(PyObject *self, const Call &call) {
  Prepared prepared(name);
  Compiled *made =
      prepare(self, call, prepared) ? compile(self, prepared) : nullptr;
  return made ? Reference::borrow(made->object.get()).release() : nullptr;
}

} // namespace tz::python
