//===- Function.cpp - a jit function as launches see it -------------------===//
//
// What   See Function.h; binding of a call's arguments, the grid, loading.
// Why    See Function.h.
//===----------------------------------------------------------------------===//
#include "Function.h"

#include "Hooks.h"
#include "Names.h"

#include <cstring>

namespace tz::python {

bool Function::initialize(PyObject *given, PyObject *list) {
  const char *text = PyUnicode_AsUTF8(given);
  Reference items(PySequence_Fast(list, "a list of parameters is expected"));
  if (!text || !items) {
    return false;
  }
  name = text;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(items.get());
  if (count > Py_ssize_t(Arguments::Max)) {
    return fail("TerrazzoError", "kernel '" + name + "' has " +
                                     std::to_string(count) +
                                     " parameters; 256 are possible");
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *parameterName, *defaultValue;
    int isConstexpr, hasDefault;
    unsigned type;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "UpIpO",
                          &parameterName, &isConstexpr, &type, &hasDefault,
                          &defaultValue)) {
      return false;
    }
    Py_INCREF(parameterName);
    PyUnicode_InternInPlace(&parameterName);
    Parameter &made = parameters.emplace_back();
    made.name = Reference(parameterName);
    made.text = PyUnicode_AsUTF8(parameterName);
    made.isConstexpr = isConstexpr;
    made.fixedType = type;
    if (hasDefault) {
      made.defaultValue = Reference::borrow(defaultValue);
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

std::string Function::signature() const {
  std::string text = name + "(";
  for (size_t i = 0; i < parameters.size(); ++i) {
    text += (i ? ", " : "") + parameters[i].text;
  }
  return text + ")";
}

std::string Function::missing(const Bound &bound) const {
  std::string names;
  size_t count = 0;
  bool constexprs = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound.values[i]) {
      names += (count++ ? ", '" : "'") + parameters[i].text + "'";
      constexprs |= parameters[i].isConstexpr;
    }
  }
  return "kernel '" + name + "' needs " + (count == 1 ? "a value" : "values") +
         " for " + names +
         (constexprs ? "; a constexpr may be given by keyword" : "") + ": " +
         signature();
}

bool Function::addOption(PyObject *key, PyObject *value, Bound &bound) const {
  Option made{key, Reference(), tz_none()};
  switch (PyBool_Check(value) ? 0 : PyLong_Check(value) ? 1 : 2) {
  case 0:
    made.value = tz_bool(value == Py_True);
    break;
  case 1:
    if (!integer(value, made.value)) {
      return false;
    }
    break;
  default:
    if (value == Py_None) {
      return true; // the default
    }
    if (PyUnicode_Check(value)) {
      const char *text = PyUnicode_AsUTF8(value);
      if (!text) {
        return false;
      }
      made.value = tz_string(text);
      made.held = Reference::borrow(value);
      break;
    }
    const char *text = PyUnicode_AsUTF8(key);
    return fail("ArgumentError", "launch option '" +
                                     std::string(text ? text : "?") +
                                     "' of kernel '" + name +
                                     "' is an integer, bool or string, found " +
                                     Py_TYPE(value)->tp_name);
  }
  bound.options.push_back(std::move(made));
  return true;
}

bool Function::bindKeyword(PyObject *key, PyObject *value, Bound &bound) const {
  size_t index = parameters.size();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name.get() == key) {
      index = i;
      break;
    }
  }
  if (index == parameters.size()) {
    // Names that were made at run time are not interned.
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (PyUnicode_Compare(parameters[i].name.get(), key) == 0) {
        index = i;
        break;
      }
    }
  }
  if (index == parameters.size()) {
    return addOption(key, value, bound);
  }
  if (bound.values[index]) {
    PyErr_Format(PyExc_TypeError,
                 "kernel '%s' got two values for parameter '%U'", name.c_str(),
                 key);
    return false;
  }
  bound.values[index] = value;
  return true;
}

bool Function::bind(const Call &call, Bound &bound) const {
  if (call.positional > parameters.size()) {
    PyErr_Format(
        PyExc_TypeError, "kernel '%s' takes %zu arguments, %zu were given: %s",
        name.c_str(), parameters.size(), call.positional, signature().c_str());
    return false;
  }
  for (size_t i = 0; i < call.positional; ++i) {
    bound.values[i] = call.args[i];
  }
  for (size_t i = call.positional; i < parameters.size(); ++i) {
    bound.values[i] = nullptr;
  }
  if (call.names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(call.names); ++i) {
      if (!bindKeyword(PyTuple_GET_ITEM(call.names, i),
                       call.args[call.positional + size_t(i)], bound)) {
        return false;
      }
    }
  }
  bool complete = true;
  for (size_t i = call.positional; i < parameters.size(); ++i) {
    if (!bound.values[i]) {
      bound.values[i] = parameters[i].defaultValue.get();
      complete &= bound.values[i] != nullptr;
    }
  }
  if (!complete) {
    PyErr_SetString(PyExc_TypeError, missing(bound).c_str());
    return false;
  }
  return true;
}

bool Function::convert(const Bound &bound, Arguments &arguments) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    PyObject *value = bound.values[i];
    if (!(parameter.isConstexpr
              ? arguments.addConstant(value, parameter.name.get())
              : arguments.add(value, parameter.name.get(),
                              parameter.fixedType))) {
      return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Values of the program that the code was made with
//===----------------------------------------------------------------------===//

bool Function::watch(PyObject *place, PyObject *key, PyObject *value) {
  for (const Watched &known : watched) {
    if (known.place.get() == place && known.name.get() == key) {
      return true;
    }
  }
  Py_INCREF(key);
  PyUnicode_InternInPlace(&key);
  watched.push_back(
      {Reference::borrow(place), Reference(key), Reference::borrow(value)});
  return true;
}

bool Function::checkWatched() {
  for (Watched &one : watched) {
    PyObject *now =
        PyCell_Check(one.place.get())
            ? PyCell_GET(one.place.get())
            : PyDict_GetItemWithError(one.place.get(), one.name.get());
    if (now == one.value.get()) [[likely]] {
      continue;
    }
    if (!now && PyErr_Occurred()) {
      return false;
    }
    Reference same(packageAttribute("terrazzo._names", "is_same"));
    Reference answer(same && now ? PyObject_CallFunctionObjArgs(same.get(),
                                                                one.value.get(),
                                                                now, nullptr)
                                 : nullptr);
    if (answer && answer.get() == Py_True) {
      one.value = Reference::borrow(now);
      continue;
    }
    if (!PyErr_Occurred()) {
      Reference old(PyObject_Repr(one.value.get()));
      Reference text(now ? PyObject_Repr(now)
                         : PyUnicode_FromString("not defined"));
      Reference type(packageAttribute("terrazzo.errors", "ChangedGlobal"));
      if (old && text && type) {
        PyErr_Format(
            type.get(),
            "'%U', which kernel '%s' reads, was %U when the kernel was "
            "compiled and is %U now; pass it as a tl.constexpr "
            "argument, or define the kernel again",
            one.name.get(), name.c_str(), old.get(), text.get());
      }
    }
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

PyObject *Function::boundAsDict(const Bound &bound) const {
  Reference dict(PyDict_New());
  if (!dict) {
    return nullptr;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (PyDict_SetItem(dict.get(), parameters[i].name.get(), bound.values[i]) <
        0) {
      return nullptr;
    }
  }
  return dict.release();
}

bool Function::readGrid(PyObject *grid, const Bound &bound,
                        int64_t (&sizes)[3]) const {
  Reference made;
  if (PyCallable_Check(grid)) {
    Reference meta(boundAsDict(bound));
    made = Reference(meta ? PyObject_CallOneArg(grid, meta.get()) : nullptr);
    if (!made) {
      return false;
    }
    grid = made.get();
  }
  PyObject *const *items = &grid;
  Py_ssize_t count = 1;
  if (PyTuple_Check(grid) || PyList_Check(grid)) {
    items = PySequence_Fast_ITEMS(grid);
    count = PySequence_Fast_GET_SIZE(grid);
  }
  if (count < 1 || count > 3) {
    return fail("LaunchError", "the grid of kernel '" + name + "' has " +
                                   std::to_string(count) +
                                   " dimensions; 1 to 3 are possible");
  }
  sizes[0] = sizes[1] = sizes[2] = 1;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Reference number(PyNumber_Index(items[i]));
    if (!number) {
      PyErr_Clear();
      return fail("LaunchError",
                  "the grid of kernel '" + name +
                      "' is 1 to 3 integers or a function of the arguments "
                      "that gives them, found " +
                      Py_TYPE(items[i])->tp_name);
    }
    int overflow = 0;
    sizes[i] = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
    if (overflow || sizes[i] < 0) {
      return fail("LaunchError", "dimension " + std::to_string(i) +
                                     " of the grid of kernel '" + name +
                                     "' is negative or too large");
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

static bool same(const tz_arg &a, const tz_arg &b) {
  if (a.type != b.type) {
    return false;
  }
  return a.type == TZ_TYPE_STRING
             ? !std::strcmp(reinterpret_cast<const char *>(a.bits),
                            reinterpret_cast<const char *>(b.bits))
             : a.bits == b.bits;
}

Function::Variant *Function::variant(PyObject *self,
                                     std::vector<Option> &options) {
  for (const auto &known : variants) {
    if (known->options.size() != options.size()) {
      continue;
    }
    bool equal = true;
    for (size_t i = 0; i < options.size() && equal; ++i) {
      equal =
          (known->options[i].name == options[i].name ||
           PyUnicode_Compare(known->options[i].name, options[i].name) == 0) &&
          same(known->options[i].value, options[i].value);
    }
    if (equal) {
      return known.get();
    }
  }
  tz_kernel_t loaded = load(self, options);
  if (!loaded) {
    return nullptr;
  }
  auto made = std::make_unique<Variant>();
  made->kernel = std::make_shared<Kernel>(loaded);
  for (Option &option : options) {
    // The name and the text live as long as the variant.
    Reference both(option.held ? PyTuple_Pack(2, option.name, option.held.get())
                               : PyTuple_Pack(1, option.name));
    made->options.push_back({option.name, std::move(both), option.value});
  }
  variants.push_back(std::move(made));
  return variants.back().get();
}

/// What self._source() says: path, text, function, first line, scope.
tz_kernel_t Function::load(PyObject *self, const std::vector<Option> &options) {
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
  for (const Option &option : options) {
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

tz_status_t Function::compile(Variant &variant, const Place &place,
                              const Arguments &arguments,
                              tz_code_t &code) const {
  // Another thread may drop the variant's function, not this kernel.
  std::shared_ptr<Kernel> kernel = variant.kernel;
  tz_status_t status;
  Py_BEGIN_ALLOW_THREADS;
  status = tz_kernel_compile(kernel->handle(), place.device->handle(),
                             arguments.data(), arguments.size(), &code);
  Py_END_ALLOW_THREADS;
  return status;
}

/// Launches; on the host also waits.
tz_status_t Function::start(Variant &variant, const Place &place,
                            const int64_t (&sizes)[3],
                            const Arguments &arguments, tz_code_t &code) const {
  tz_kernel_t kernel = variant.kernel->handle();
  tz_status_t status;
  Py_BEGIN_ALLOW_THREADS;
  {
    std::unique_lock<std::mutex> guard;
    if (place.shared) {
      guard = std::unique_lock(place.shared->lock);
    }
    status = tz_kernel_launch_code(kernel, place.stream, sizes,
                                   arguments.data(), arguments.size(), &code);
    if (!status && place.device->isHost()) {
      status = tz_stream_sync(place.stream);
    }
  }
  Py_END_ALLOW_THREADS;
  return status;
}

/// `which`: "launch_enter_hook" or "launch_exit_hook"; false with the error
/// set.
bool Function::callHook(const char *which, PyObject *self, PyObject *code,
                        const int64_t (&sizes)[3], const Bound &bound,
                        const Place &place) const {
  Reference call(packageAttribute("terrazzo.compiled", "call_hook"));
  Reference arguments(call ? boundAsDict(bound) : nullptr);
  Reference done(arguments
                     ? PyObject_CallFunction(
                           call.get(), "sOO(LLL)OK", which, self, code,
                           static_cast<long long>(sizes[0]),
                           static_cast<long long>(sizes[1]),
                           static_cast<long long>(sizes[2]), arguments.get(),
                           static_cast<unsigned long long>(
                               reinterpret_cast<uintptr_t>(place.native)))
                     : nullptr);
  return bool(done);
}

PyObject *Function::launch(PyObject *self, PyObject *grid, const Call &call) {
  Bound bound;
  int64_t sizes[3];
  if (!bind(call, bound) || !checkWatched()) {
    return nullptr;
  }
  Arguments arguments(name);
  if (!convert(bound, arguments) || !readGrid(grid, bound, sizes)) {
    return nullptr;
  }
  Variant *chosen = variant(self, bound.options);
  Place place;
  if (!chosen || !place.find(arguments.memory(), name)) {
    return nullptr;
  }
  tz_code_t code = nullptr;
  Diagnostics diagnostics;
  Compiling compiling(self);
  const bool isEmpty = sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0;
  const bool isWatched = !isEmpty && areLaunchesWatched();
  if (isEmpty || isWatched) {
    tz_status_t status = compile(*chosen, place, arguments, code);
    if (!settle(status, diagnostics)) {
      return nullptr;
    }
  }
  if (isWatched) {
    Compiled *made = compiled(self, *chosen, code);
    if (!made || !callHook("launch_enter_hook", self, made->object.get(), sizes,
                           bound, place)) {
      return nullptr;
    }
  }
  if (!isEmpty) {
    if (!place.findStream()) {
      return nullptr;
    }
    tz_status_t status = start(*chosen, place, sizes, arguments, code);
    if ((status || !diagnostics.warnings.empty()) &&
        !settle(status, diagnostics)) {
      place.leaveStream();
      return nullptr;
    }
  }
  Compiled *made = compiled(self, *chosen, code);
  Reference object = Reference::borrow(made ? made->object.get() : nullptr);
  if (!isEmpty) {
    tz_status_t status =
        made && made->hasLog && place.shared ? tellLog(place) : nullptr;
    place.leaveStream();
    if (!settle(status)) {
      return nullptr;
    }
  }
  if (object && isWatched &&
      !callHook("launch_exit_hook", self, object.get(), sizes, bound, place)) {
    return nullptr;
  }
  return object.release();
}

/// Waits for a kernel that prints or asserts: nobody else would ask.
tz_status_t Function::tellLog(const Place &place) const {
  tz_status_t status;
  Py_BEGIN_ALLOW_THREADS;
  {
    std::lock_guard guard(place.shared->lock);
    status = tz_stream_sync(place.stream);
  }
  Py_END_ALLOW_THREADS;
  return status;
}

PyObject *Function::warmup(PyObject *self, const Call &call) {
  Bound bound;
  if (!bind(call, bound) || !checkWatched()) {
    return nullptr;
  }
  Arguments arguments(name);
  if (!convert(bound, arguments)) {
    return nullptr;
  }
  Variant *chosen = variant(self, bound.options);
  Place place;
  if (!chosen || !place.find(arguments.memory(), name)) {
    return nullptr;
  }
  tz_code_t code = nullptr;
  Diagnostics diagnostics;
  Compiling compiling(self);
  tz_status_t status = compile(*chosen, place, arguments, code);
  if (!settle(status, diagnostics)) {
    return nullptr;
  }
  Compiled *made = compiled(self, *chosen, code);
  return Reference::borrow(made ? made->object.get() : nullptr).release();
}

} // namespace tz::python
