//===- Function.h - a jit function as launches see it ---------------------===//
//
// What   Parameters, and a tz_kernel for each set of launch options that was
//        used. Binds a call's arguments and launches.
// Why    Everything between `kernel[grid](...)` and the driver is here, in C++:
//        it is the cost of every launch.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_LAUNCH_FUNCTION_H
#define TERRAZZO_PYTHON_LAUNCH_FUNCTION_H

#include "compile/Code.h"
#include "session/Devices.h"
#include "values/PythonArguments.h"

namespace tz::python {

struct Parameter {
  Reference name;         // interned
  Reference defaultValue; // null: there is none
  uint32_t fixedType = 0; // by its annotation
  bool isConstexpr = false;
  bool isOption = false; // given by keyword, it is the launch's option as well

  const char *text() const { return PyUnicode_AsUTF8(name.get()); }
};

/// A call as Python makes it.
struct Call {
  PyObject *const *args;
  size_t positional;
  PyObject *const *names; // of the keyword arguments behind them
  size_t keywords;
};

/// A launch option. Borrows from the call or, in a Variant, from `held`.
struct Option {
  PyObject *name, *text; // text: of a string, or null
  tz_arg value;
};

/// The options `records` and `record_warps` of kernels that are launched
/// without them, and whether they have line tables; with the GIL.
struct PartsToRecord {
  std::string records, warps;
  bool hasLines = false;
  bool operator==(const PartsToRecord &) const = default;
};
PartsToRecord &partsToRecord();

class Function {
public:
  /// (name, constexpr, type that an annotation fixes or "", has default,
  /// default) for each parameter. False with the error set.
  bool initialize(PyObject *name, PyObject *parameters);

  /// `self` is the Python object around this. Null with the error set.
  PyObject *launch(PyObject *self, PyObject *grid, const Call &call);
  /// Launches go through self.run(), which does more than this.
  bool usesRun = false;
  /// Compiles, and launches nothing. `tells`: the hooks of compilations;
  /// `isKnownTold`: also of code that is there.
  PyObject *warmup(PyObject *self, const Call &call, bool tells,
                   bool isKnownTold);
  /// Code for a target whose device need not be here, as an object.
  PyObject *compileFor(PyObject *self, const char *target, const Call &call);
  /// The code will hold `value` of a name of a dictionary or cell: launches
  /// fail once it has another. False with the error set.
  bool watch(PyObject *place, PyObject *key, PyObject *value);

private:
  struct Compiled {
    tz_code_t code;
    Reference object; // CompiledKernel
    bool hasLog;      // prints or asserts, which a sync tells
  };
  /// What a launch gives; null, with the error set, of null.
  static PyObject *objectOf(const Compiled *made) {
    return made ? Reference::borrow(made->object.get()).release() : nullptr;
  }
  /// The function compiled with some options.
  struct Variant {
    std::vector<Option> options;
    std::vector<Reference> held;
    PartsToRecord records;
    std::shared_ptr<KernelHandle> kernel;
    /// What launches gave. The last one first.
    std::vector<Compiled> codes;
    /// Launches tell what memory the arrays lie in.
    bool needsMemory = false;
  };
  struct Watched {
    Reference place, name, value;
  };
  /// One call's values by parameter, and its options, borrowed.
  struct Bound {
    static constexpr size_t MaxOptions = 32;
    PyObject *values[Arguments::Max];
    Option options[MaxOptions];
    size_t numOptions = 0;
  };
  /// What launch() and warmup() both do first.
  struct Prepared {
    explicit Prepared(const std::string &kernel) : arguments(kernel) {}
    Bound bound;
    Arguments arguments;
    Variant *variant = nullptr;
    Place place;
  };

  // Function.cpp
  bool bind(const Call &call, Bound &bound) const;
  bool bindKeyword(PyObject *name, PyObject *value, Bound &bound) const;
  bool addOption(PyObject *name, PyObject *value, Bound &bound) const;
  bool convert(const Bound &bound, Arguments &arguments) const;
  bool readGrid(PyObject *grid, const Bound &bound, int64_t (&sizes)[3]) const;
  PyObject *boundAsDict(const Bound &bound) const;
  bool checkWatched();
  std::string missing(const Bound &bound) const;
  std::string signature() const;

  // Launch.cpp
  bool read(PyObject *self, const Call &call, Prepared &to);
  bool prepare(PyObject *self, const Call &call, Prepared &to);
  Variant *variant(PyObject *self, const Bound &bound);
  tz_kernel_t load(PyObject *self, const Bound &bound);
  bool settleDoubts(PyObject *self, Prepared &prepared) const;
  bool tellArrays(const Prepared &prepared) const;
  tz_status_t start(Variant &variant, const Place &place,
                    const int64_t (&sizes)[3], const Arguments &arguments,
                    tz_code_t &code) const;
  Compiled *launchPrepared(PyObject *self, Prepared &prepared,
                           const int64_t (&sizes)[3]) const;
  Compiled *launchOrdered(PyObject *self, Prepared &prepared,
                          const int64_t (&sizes)[3]) const;
  PyObject *launchHooked(PyObject *self, Prepared &prepared,
                         const int64_t (&sizes)[3], bool isEmpty) const;
  PyObject *launchWatched(PyObject *self, Prepared &prepared,
                          const int64_t (&sizes)[3]) const;
  bool callHook(const char *which, PyObject *self, PyObject *code,
                const int64_t (&sizes)[3], const Prepared &prepared) const;

  // CompileFunction.cpp
  Compiled *compiled(PyObject *self, Prepared &prepared, tz_code_t code) const;
  Compiled *makeCompiled(PyObject *self, Prepared &prepared,
                         tz_code_t code) const;
  Compiled *compile(PyObject *self, Prepared &prepared) const;
  /// A terrazzo.specialization.Specialization. Null with the error set.
  PyObject *specialization(PyObject *self, const Prepared &prepared,
                           const std::string &target) const;
  /// For code that is not there yet: asks the hooks, compiles, tells them.
  /// `isKnownTold`: also for code that is there. False with the error set;
  /// `isRefused`: a hook wants none of it.
  bool tellCompilation(PyObject *self, Prepared &prepared, bool isWarmup,
                       bool isKnownTold, bool &isRefused) const;

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
