//===- Function.h - a jit function as launches see it ---------------------===//
//
// What   Parameters, and a tz_kernel for each set of launch options that was
//        used. Binds a call's arguments and launches.
// Why    Everything between `kernel[grid](...)` and the driver is here, in C++:
//        it is the cost of every launch.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_PYTHON_FUNCTION_H
#define TERRAZZO_RUNTIME_PYTHON_FUNCTION_H

#include "Arguments.h"
#include "Code.h"
#include "Devices.h"

namespace tz::python {

struct Parameter {
  Reference name; // interned
  std::string text;
  bool isConstexpr = false;
  uint32_t fixedType = 0; // by its annotation
  Reference defaultValue; // null: there is none
};

/// A call as Python makes it.
struct Call {
  PyObject *const *args;
  size_t positional;
  PyObject *names; // of the keyword arguments behind them; may be null
};

class Function {
public:
  /// (name, constexpr, type, has default, default) for each parameter. False
  /// with the error set.
  bool initialize(PyObject *name, PyObject *parameters);

  /// `self` is the Python object around this. Null with the error set.
  PyObject *launch(PyObject *self, PyObject *grid, const Call &call);
  /// Launches go through self.run(), which does more than this.
  bool usesRun = false;
  PyObject *warmup(PyObject *self, const Call &call);
  /// The code will hold `value` of a name of a dictionary or cell: launches
  /// fail once it has another. False with the error set.
  bool watch(PyObject *place, PyObject *key, PyObject *value);

private:
  struct Option {
    PyObject *name;
    Reference held; // owns `name` and the value's text
    tz_arg value;
  };
  struct Compiled {
    tz_code_t code;
    Reference object; // CompiledKernel
    bool hasLog;      // prints or asserts, which a sync tells
  };
  /// The function compiled with some options.
  struct Variant {
    std::vector<Option> options;
    std::shared_ptr<Kernel> kernel;
    /// What launches gave. The last one first.
    std::vector<Compiled> codes;
  };
  struct Watched {
    Reference place, name, value;
  };
  /// One call's values by parameter, borrowed.
  struct Bound {
    PyObject *values[Arguments::Max];
    std::vector<Option> options;
  };

  bool bind(const Call &call, Bound &bound) const;
  bool bindKeyword(PyObject *name, PyObject *value, Bound &bound) const;
  bool addOption(PyObject *name, PyObject *value, Bound &bound) const;
  bool convert(const Bound &bound, Arguments &arguments) const;
  Variant *variant(PyObject *self, std::vector<Option> &options);
  tz_kernel_t load(PyObject *self, const std::vector<Option> &options);
  Compiled *compiled(PyObject *self, Variant &variant, tz_code_t code) const;
  tz_status_t tellLog(const Place &place) const;
  tz_status_t compile(Variant &variant, const Place &place,
                      const Arguments &arguments, tz_code_t &code) const;
  tz_status_t start(Variant &variant, const Place &place,
                    const int64_t (&sizes)[3], const Arguments &arguments,
                    tz_code_t &code) const;
  bool callHook(const char *which, PyObject *self, PyObject *code,
                const int64_t (&sizes)[3], const Bound &bound,
                const Place &place) const;
  bool readGrid(PyObject *grid, const Bound &bound, int64_t (&sizes)[3]) const;
  PyObject *boundAsDict(const Bound &bound) const;
  bool checkWatched();
  std::string missing(const Bound &bound) const;
  std::string signature() const;

  std::string name;
  std::vector<Parameter> parameters;
  std::vector<std::unique_ptr<Variant>> variants;
  std::vector<Watched> watched;
};

/// The types `Function`, which JITFunction derives from, and the one of
/// `kernel[grid]`. Null or false with the error set.
bool addFunctionType(PyObject *module);

} // namespace tz::python

#endif
