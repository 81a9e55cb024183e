//===- Function.cpp - a jit function as launches see it -------------------===//
//
// What   See Function.h; binding of a call's arguments, the grid, loading.
// Why    See Function.h.
//===----------------------------------------------------------------------===//
#include "launch/Function.h"

#include "compile/Names.h"

#include <cstring>

namespace tz::python {

/// Kernels may read how they are launched by a parameter of the option's name.
static bool isOfLaunch(const char *parameter) {
  for (const char *option :
       {"num_warps", "num_stages", "num_ctas", "maxnreg"}) {
    if (std::strcmp(parameter, option) == 0) {
      return true;
    }
  }
  return false;
}

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
    const char *type;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "UpspO",
                          &parameterName, &isConstexpr, &type, &hasDefault,
                          &defaultValue)) {
      return false;
    }
    Py_INCREF(parameterName);
    PyUnicode_InternInPlace(&parameterName);
    Parameter &made = parameters.emplace_back();
    made.name = Reference(parameterName);
    if (!made.text()) {
      return false;
    }
    made.isConstexpr = isConstexpr;
    made.isOption = isOfLaunch(made.text());
    made.fixedType = elementType(type);
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
    text += std::string(i ? ", " : "") + parameters[i].text();
  }
  return text + ")";
}

std::string Function::missing(const Bound &bound) const {
  std::string names;
  size_t count = 0;
  bool constexprs = false;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound.values[i]) {
      names += std::string(count++ ? ", '" : "'") + parameters[i].text() + "'";
      constexprs |= parameters[i].isConstexpr;
    }
  }
  return "kernel '" + name + "' needs " + (count == 1 ? "a value" : "values") +
         " for " + names +
         (constexprs ? "; a constexpr may be given by keyword" : "") + ": " +
         signature();
}

bool Function::addOption(PyObject *key, PyObject *value, Bound &bound) const {
  if (bound.numOptions == Bound::MaxOptions) {
    return fail("ArgumentError", "kernel '" + name + "' has no parameter '" +
                                     std::string(PyUnicode_AsUTF8(key)) +
                                     "', and a launch has at most 32 options");
  }
  Option made{key, nullptr, tz_none()};
  switch (PyBool_Check(value) ? 0 : PyLong_Check(value) ? 1 : 2) {
  case 0:
    made.value = tz_bool(value == Py_True);
    break;
  case 1:
    if (!integer(value, made.value)) {
      PyErr_Clear();
      return fail("ArgumentError",
                  "launch option '" + std::string(PyUnicode_AsUTF8(key)) +
                      "' of kernel '" + name + "' does not fit 64 bits");
    }
    break;
  default:
    if (value == Py_None) {
      return true; // the default
    }
    if (PyDict_Check(value) &&
        PyUnicode_CompareWithASCIIString(key, "extern_libs") == 0) {
      return true; // files of functions that the language has by itself
    }
    if (PyUnicode_Check(value)) {
      const char *text = PyUnicode_AsUTF8(value);
      if (!text) {
        return false;
      }
      made.value = tz_string(text);
      made.text = value;
      break;
    }
    const char *text = PyUnicode_AsUTF8(key);
    return fail("ArgumentError", "launch option '" +
                                     std::string(text ? text : "?") +
                                     "' of kernel '" + name +
                                     "' is an integer, bool or string, found " +
                                     Py_TYPE(value)->tp_name);
  }
  bound.options[bound.numOptions++] = made;
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
  return !parameters[index].isOption || !PyLong_Check(value) ||
         addOption(key, value, bound);
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
  for (size_t i = 0; i < call.keywords; ++i) {
    if (!bindKeyword(call.names[i], call.args[call.positional + i], bound)) {
      return false;
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
      return nameArgument(name, parameter.name.get());
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
    Reference same(
        packageAttribute("terrazzo.compiler.program_names", "is_same"));
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
  if (!PyTuple_CheckExact(grid) && PyCallable_Check(grid)) {
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
    if (smallInteger(items[i], sizes[i]) && sizes[i] >= 0) [[likely]] {
      continue;
    }
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
      Reference text(PyObject_Str(number.get()));
      const char *shown = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
      PyErr_Clear(); // thousands of digits have no text
      return fail("LaunchError",
                  "dimension " + std::to_string(i) +
                      " of the grid of kernel '" + name + "' is " +
                      (shown ? shown : "too long a number") +
                      (overflow > 0 ? "; it has at most 2^63 - 1 programs"
                                    : "; it has 0 programs or more"));
    }
  }
  return true;
}

} // namespace tz::python
