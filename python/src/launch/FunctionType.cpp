//===- FunctionType.cpp - the Python types around Function ----------------===//
//
// What   terrazzo._native.Function, which JITFunction derives from, and the
//        launcher that `kernel[grid]` gives, called by vectorcall.
// Why    Made with Python's own C API: a launch is one subscript and one call,
//        and neither goes through a dispatcher.
//===----------------------------------------------------------------------===//
#include "launch/Function.h"

#include <algorithm>
#include <structmember.h>

namespace tz::python {

namespace {

struct FunctionObject {
  PyObject_HEAD Function *function; // null before __init__
};

struct LauncherObject {
  PyObject_HEAD PyObject *owner, *grid;
  vectorcallfunc call;
};

PyTypeObject *functionType, *launcherType;
/// `kernel[grid](...)` makes a launcher and drops it: one is kept.
LauncherObject *spare;

Function *functionOf(PyObject *self) {
  Function *function = reinterpret_cast<FunctionObject *>(self)->function;
  if (!function) {
    PyErr_SetString(PyExc_RuntimeError, "JITFunction.__init__ was not called");
  }
  return function;
}

int initFunction(PyObject *self, PyObject *args, PyObject *) {
  PyObject *name, *parameters;
  if (!PyArg_ParseTuple(args, "UO", &name, &parameters)) {
    return -1;
  }
  auto made = std::make_unique<Function>();
  if (!made->initialize(name, parameters)) {
    return -1;
  }
  auto *object = reinterpret_cast<FunctionObject *>(self);
  delete object->function;
  object->function = made.release();
  return 0;
}

void freeFunction(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<FunctionObject *>(self)->function;
  type->tp_free(self);
  Py_DECREF(type);
}

/// self.run(*args, grid=grid, warmup=False, **keywords)
PyObject *run(PyObject *self, PyObject *grid, const Call &call) {
  Reference method(PyObject_GetAttrString(self, "run"));
  Reference args(PyTuple_New(Py_ssize_t(call.positional)));
  Reference keywords(PyDict_New());
  if (!method || !args || !keywords) {
    return nullptr;
  }
  for (size_t i = 0; i < call.positional; ++i) {
    Py_INCREF(call.args[i]);
    PyTuple_SET_ITEM(args.get(), Py_ssize_t(i), call.args[i]);
  }
  for (size_t i = 0; i < call.keywords; ++i) {
    if (PyDict_SetItem(keywords.get(), call.names[i],
                       call.args[call.positional + i]) < 0) {
      return nullptr;
    }
  }
  if (PyDict_SetItemString(keywords.get(), "grid", grid) < 0 ||
      PyDict_SetItemString(keywords.get(), "warmup", Py_False) < 0) {
    return nullptr;
  }
  return PyObject_Call(method.get(), args.get(), keywords.get());
}

PyObject *launchBy(const LauncherObject &launcher, const Call &call) {
  Function *function = functionOf(launcher.owner);
  if (!function) {
    return nullptr;
  }
  return function->usesRun
             ? run(launcher.owner, launcher.grid, call)
             : function->launch(launcher.owner, launcher.grid, call);
}

/// launcher(x, y, n, BLOCK=128)
PyObject *vectorcallLauncher(PyObject *self, PyObject *const *args,
                             size_t flags, PyObject *names) {
  const auto positional = size_t(PyVectorcall_NARGS(flags));
  return launchBy(*reinterpret_cast<LauncherObject *>(self),
                  {args, positional,
                   names ? PySequence_Fast_ITEMS(names) : nullptr,
                   names ? size_t(PyTuple_GET_SIZE(names)) : 0});
}

/// Arguments that come as a tuple and a dictionary, one after the other.
class Unpacked {
public:
  /// `keywords` may be null. False with the error set.
  bool read(PyObject *args, PyObject *keywords) {
    const auto positional = size_t(PyTuple_GET_SIZE(args));
    const size_t named = keywords ? size_t(PyDict_GET_SIZE(keywords)) : 0;
    PyObject **room = few;
    if (positional + 2 * named > std::size(few)) {
      many.resize(positional + 2 * named);
      room = many.data();
    }
    PyObject **values =
        std::copy_n(&PyTuple_GET_ITEM(args, 0), positional, room);
    PyObject **names = values + named;
    call = {room, positional, names, named};
    PyObject *key, *value;
    for (Py_ssize_t position = 0;
         named && PyDict_Next(keywords, &position, &key, &value);) {
      if (!PyUnicode_Check(key)) {
        PyErr_SetString(PyExc_TypeError, "keywords must be strings");
        return false;
      }
      *values++ = value;
      *names++ = key;
    }
    return true;
  }
  Call call{};

private:
  PyObject *few[64];
  std::vector<PyObject *> many;
};

/// launcher(*args, **keywords)
PyObject *callLauncher(PyObject *self, PyObject *args, PyObject *keywords) {
  Unpacked unpacked;
  return unpacked.read(args, keywords)
             ? launchBy(*reinterpret_cast<LauncherObject *>(self),
                        unpacked.call)
             : nullptr;
}

PyObject *subscript(PyObject *self, PyObject *grid) {
  LauncherObject *made = std::exchange(spare, nullptr);
  if (made) {
    PyObject_Init(reinterpret_cast<PyObject *>(made), launcherType);
  } else {
    made = PyObject_New(LauncherObject, launcherType);
    if (!made) {
      return nullptr;
    }
    made->call = vectorcallLauncher;
  }
  Py_INCREF(self);
  Py_INCREF(grid);
  made->owner = self;
  made->grid = grid;
  return reinterpret_cast<PyObject *>(made);
}

void freeLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_CLEAR(launcher->owner);
  Py_CLEAR(launcher->grid);
  if (spare) {
    PyObject_Free(self);
  } else {
    spare = launcher;
  }
  Py_DECREF(type);
}

/// _launch(grid, args, kwargs), _warmup(args, kwargs, tells, known): for what
/// is not on the fast path.
PyObject *launchMethod(PyObject *self, PyObject *given) {
  PyObject *grid, *args, *kwargs;
  Function *function = functionOf(self);
  Unpacked unpacked;
  if (!function ||
      !PyArg_ParseTuple(given, "OO!O!", &grid, &PyTuple_Type, &args,
                        &PyDict_Type, &kwargs) ||
      !unpacked.read(args, kwargs)) {
    return nullptr;
  }
  return function->launch(self, grid, unpacked.call);
}

PyObject *warmupMethod(PyObject *self, PyObject *given) {
  PyObject *args, *kwargs;
  int tells, isKnownTold;
  Function *function = functionOf(self);
  Unpacked unpacked;
  if (!function ||
      !PyArg_ParseTuple(given, "O!O!pp", &PyTuple_Type, &args, &PyDict_Type,
                        &kwargs, &tells, &isKnownTold) ||
      !unpacked.read(args, kwargs)) {
    return nullptr;
  }
  return function->warmup(self, unpacked.call, tells, isKnownTold);
}

PyObject *compileForMethod(PyObject *self, PyObject *given) {
  const char *target;
  PyObject *args, *kwargs;
  Function *function = functionOf(self);
  Unpacked unpacked;
  if (!function ||
      !PyArg_ParseTuple(given, "sO!O!", &target, &PyTuple_Type, &args,
                        &PyDict_Type, &kwargs) ||
      !unpacked.read(args, kwargs)) {
    return nullptr;
  }
  return function->compileFor(self, target, unpacked.call);
}

PyObject *useRunMethod(PyObject *self, PyObject *flag) {
  Function *function = functionOf(self);
  if (!function) {
    return nullptr;
  }
  function->usesRun = PyObject_IsTrue(flag) > 0;
  Py_RETURN_NONE;
}

PyObject *watchMethod(PyObject *self, PyObject *given) {
  PyObject *place, *name, *value;
  Function *function = functionOf(self);
  if (!function || !PyArg_ParseTuple(given, "OUO", &place, &name, &value)) {
    return nullptr;
  }
  if (!PyDict_Check(place) && !PyCell_Check(place)) {
    PyErr_SetString(PyExc_TypeError, "a dictionary or cell is expected");
    return nullptr;
  }
  if (!function->watch(place, name, value)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef functionMethods[] = {
    {"_launch", launchMethod, METH_VARARGS,
     "_launch(grid, args, kwargs): what kernel[grid](*args, **kwargs) does."},
    {"_warmup", warmupMethod, METH_VARARGS,
     "_warmup(args, kwargs, tells, known): compiles for such arguments, does "
     "not launch; tells: hooks of compilations are asked; known: also of code "
     "that is there."},
    {"_compile_for", compileForMethod, METH_VARARGS,
     "_compile_for(target, args, kwargs): compiles for such arguments and a "
     "code target whose device need not be here."},
    {"_use_run", useRunMethod, METH_O,
     "_use_run(flag): kernel[grid](...) calls self.run, or launches itself."},
    {"_watch", watchMethod, METH_VARARGS,
     "_watch(place, name, value): launches fail once the name has another."},
    {}};

PyType_Slot functionSlots[] = {
    {Py_tp_init, reinterpret_cast<void *>(initFunction)},
    {Py_tp_dealloc, reinterpret_cast<void *>(freeFunction)},
    {Py_tp_methods, functionMethods},
    {Py_mp_subscript, reinterpret_cast<void *>(subscript)},
    {Py_tp_doc, const_cast<char *>("Binds arguments and launches.")},
    {0, nullptr}};
PyType_Spec functionSpec = {"terrazzo._native.Function", sizeof(FunctionObject),
                            0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                            functionSlots};

PyMemberDef launcherMembers[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                  offsetof(LauncherObject, call), READONLY,
                                  nullptr},
                                 {}};
PyType_Slot launcherSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(freeLauncher)},
    {Py_tp_members, launcherMembers},
    {Py_tp_call, reinterpret_cast<void *>(callLauncher)},
    {Py_tp_doc, const_cast<char *>("A kernel with its grid; call it.")},
    {0, nullptr}};
PyType_Spec launcherSpec = {"terrazzo._native.Launcher", sizeof(LauncherObject),
                            0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                                Py_TPFLAGS_DISALLOW_INSTANTIATION,
                            launcherSlots};

} // namespace

bool addFunctionType(PyObject *module) {
  functionType =
      reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&functionSpec));
  launcherType =
      reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&launcherSpec));
  return functionType && launcherType &&
         !PyModule_AddType(module, functionType) &&
         !PyModule_AddType(module, launcherType);
}

} // namespace tz::python
