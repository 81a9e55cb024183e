//===- ArrayTypes.cpp - arrays of frameworks ------------------------------===//
//
// What   See ArrayTypes.h.
// Why    Names that are looked up at each launch are interned once. The types
//        and dtypes that were seen are kept, as few as programs have of them.
//===----------------------------------------------------------------------===//
#include "values/ArrayTypes.h"

#include "values/DlpackExchange.h"
#include "values/ElementTypes.h"

#include <cstdlib>
#include <cstring>

namespace tz::python {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Is the type `module.name` or derived from it? Never imports the module.
static bool isDerived(PyTypeObject *type, const char *module,
                      const char *name) {
  PyObject *loaded =
      PyDict_GetItemString(PyImport_GetModuleDict(), module); // borrowed
  if (!loaded) {
    return false;
  }
  Reference base(PyObject_GetAttrString(loaded, name));
  if (!base || !PyType_Check(base.get())) {
    PyErr_Clear();
    return false;
  }
  return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base.get()));
}

static Kind examine(PyTypeObject *type) {
  if (type == Py_TYPE(Py_None)) {
    return Kind::None;
  }
  if (PyType_IsSubtype(type, &PyBool_Type)) {
    return Kind::Bool;
  }
  if (PyType_IsSubtype(type, &PyLong_Type)) {
    return Kind::Integer;
  }
  if (PyType_IsSubtype(type, &PyFloat_Type)) {
    return Kind::Float;
  }
  if (PyType_IsSubtype(type, &PyUnicode_Type)) {
    return Kind::String;
  }
  if (PyType_IsSubtype(type, &PyTuple_Type)) {
    return Kind::Tuple;
  }
  if (isDerived(type, "torch", "Tensor")) {
    return Kind::Tensor;
  }
  if (isDerived(type, "numpy", "ndarray")) {
    return Kind::Buffer;
  }
  return Kind::Other;
}

/// Filled as types are seen.
static KnownType types[32];
static size_t numTypes = 0;

/// Types made in a loop must not make launches slower: only the first are kept.
static const KnownType &addType(PyTypeObject *type) {
  static KnownType other;
  KnownType &made = numTypes < std::size(types) ? types[numTypes] : other;
  const Kind kind = examine(type);
  made = {type, kind, kind == Kind::Tensor ? exchangeTableOf(type) : nullptr};
  if (&made != &other) {
    Py_INCREF(type);
    ++numTypes;
  }
  return made;
}

const KnownType &knownType(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  for (size_t i = 0; i < numTypes; ++i) {
    if (types[i].type == type) {
      return types[i];
    }
  }
  return addType(type);
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// Of a dtype object; 0 with the error set.
static uint32_t elementOf(PyObject *dtype) {
  static std::vector<std::pair<PyObject *, uint32_t>> known;
  for (const auto &[object, type] : known) {
    if (object == dtype) {
      return type;
    }
  }
  Reference text(PyObject_Str(dtype));
  const char *name = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!name) {
    return 0;
  }
  uint32_t type = elementType(name);
  if (!type) {
    fail("ArgumentError",
         std::string("no kernel has arrays of ") + name +
             "; elements are bool, integers, float16, bfloat16, float32, "
             "float64 or a float8");
    return 0;
  }
  if (known.size() < 64) {
    Py_INCREF(dtype);
    known.emplace_back(dtype, type);
  }
  return type;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static PyObject *interned(const char *text) {
  return PyUnicode_InternFromString(text);
}

static PyObject *callMethod(PyObject *self, PyObject *name) {
  PyObject *args[1] = {self};
  return PyObject_VectorcallMethod(name, args,
                                   1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
}

/// What frameworks.accelerator(framework) says. Null with the error set.
static Accelerator *acceleratorOf(const char *framework) {
  // Never destroyed: Python is gone by then.
  static auto &known = *new std::deque<Accelerator>;
  for (Accelerator &one : known) {
    if (one.framework == framework) {
      return &one;
    }
  }
  Reference ask(packageAttribute("terrazzo.runtime.frameworks", "accelerator"));
  Reference answer(ask ? PyObject_CallFunction(ask.get(), "s", framework)
                       : nullptr);
  const char *type, *target;
  PyObject *stream;
  if (!answer ||
      !PyArg_ParseTuple(answer.get(), "ssO", &type, &target, &stream)) {
    return nullptr;
  }
  known.push_back(
      {framework, type, target, Reference::borrow(stream), nullptr, 0});
  return &known.back();
}

/// Torch's accelerator: a process has one kind. Null with the error set.
static Accelerator *tensorAccelerator() {
  static constinit Accelerator *accelerator = nullptr;
  return accelerator ? accelerator : accelerator = acceleratorOf("torch");
}

/// By C functions alone; false: ask the tensor's methods.
static bool readExchanged(PyObject *tensor, const ExchangeTable &table,
                          Array &to) {
  ExchangedArray array;
  if (table.describe(tensor, &array)) {
    PyErr_Clear(); // its methods have the better message
    return false;
  }
  uint32_t element = elementType(array);
  if (!element) {
    return false;
  }
  to.pointer = tz_pointer(
      reinterpret_cast<uintptr_t>(array.data) + array.byteOffset, element);
  if (!isRowMajor(array.rank, array.shape, array.strides)) {
    findGaps(array.rank, array.shape, array.strides, 1, to.layout);
  }
  if (isHostMemory(array)) {
    to.memory.index = Memory::Host;
    return true;
  }
  Accelerator *accelerator = tensorAccelerator();
  if (!accelerator) {
    PyErr_Clear();
    return false;
  }
  accelerator->table = &table;
  accelerator->tableType = array.deviceType;
  to.memory.index = array.deviceId;
  to.memory.accelerator = accelerator;
  return true;
}

/// The integers of a tuple; false, without an error, if it is none.
static bool readIntegers(PyObject *tuple, std::vector<int64_t> &to) {
  if (!tuple || !PyTuple_Check(tuple)) {
    PyErr_Clear();
    return false;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
    to.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
  }
  bool fine = !PyErr_Occurred();
  PyErr_Clear();
  return fine;
}

/// Of a tensor that only its methods tell of; as far as they do.
static void readLayout(PyObject *tensor, Layout &to) {
  static PyObject *const isContiguous = interned("is_contiguous");
  static PyObject *const stride = interned("stride");
  static PyObject *const shape = interned("shape");
  Reference plain(callMethod(tensor, isContiguous));
  if (plain && plain.get() == Py_True) {
    return;
  }
  PyErr_Clear();
  Reference strides(callMethod(tensor, stride));
  Reference sizes(strides ? PyObject_GetAttr(tensor, shape) : nullptr);
  std::vector<int64_t> byDimension, counts;
  if (readIntegers(strides.get(), byDimension) &&
      readIntegers(sizes.get(), counts) &&
      byDimension.size() == counts.size()) {
    findGaps(int(counts.size()), counts.data(), byDimension.data(), 1, to);
  }
}

bool readTensor(PyObject *tensor, const KnownType &type, Array &to) {
  if (type.table && readExchanged(tensor, *type.table, to)) [[likely]] {
    return true;
  }
  static PyObject *const dataPtr = interned("data_ptr");
  static PyObject *const getDevice = interned("get_device");
  static PyObject *const dtypeName = interned("dtype");
  Reference dtype(PyObject_GetAttr(tensor, dtypeName));
  uint32_t element = dtype ? elementOf(dtype.get()) : 0;
  if (!element) {
    return false;
  }
  Reference address(callMethod(tensor, dataPtr));
  if (!address) {
    return false;
  }
  uint64_t bits = PyLong_AsUnsignedLongLongMask(address.get());
  Reference device(callMethod(tensor, getDevice));
  long index = device ? PyLong_AsLong(device.get()) : -1;
  if (PyErr_Occurred()) {
    return false;
  }
  to.pointer = tz_pointer(bits, element);
  readLayout(tensor, to.layout);
  to.memory.index = index < 0 ? Memory::Host : int(index);
  if (index >= 0) {
    to.memory.accelerator = tensorAccelerator();
    return to.memory.accelerator;
  }
  return true;
}

/// The bytes of an element of "<f4"; 0: not known.
static int64_t bytesOf(PyObject *typestr) {
  const char *text =
      typestr && PyUnicode_Check(typestr) ? PyUnicode_AsUTF8(typestr) : nullptr;
  return text && text[0] && text[1] ? std::atoll(text + 2) : 0;
}

/// NumPy's __array_interface__, and those that others made after it. False with
/// the error set.
static bool readInterface(PyObject *interface, uint32_t element, Array &to) {
  PyObject *data = PyDict_GetItemString(interface, "data"); // borrowed, all
  PyObject *address = data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2
                          ? PyTuple_GET_ITEM(data, 0)
                          : nullptr;
  if (!address) {
    return fail("ArgumentError", "an array does not say where its memory is");
  }
  to.pointer = tz_pointer(PyLong_AsUnsignedLongLongMask(address), element);
  to.layout.isReadOnly = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) > 0;
  if (PyErr_Occurred()) {
    return false;
  }
  PyObject *strides = PyDict_GetItemString(interface, "strides");
  const int64_t size = bytesOf(PyDict_GetItemString(interface, "typestr"));
  std::vector<int64_t> byDimension, counts;
  if (strides && strides != Py_None && size > 0 &&
      readIntegers(strides, byDimension) &&
      readIntegers(PyDict_GetItemString(interface, "shape"), counts) &&
      byDimension.size() == counts.size()) {
    findGaps(int(counts.size()), counts.data(), byDimension.data(), size,
             to.layout);
  }
  return true;
}

bool readBuffer(PyObject *array, Array &to) {
  static PyObject *const dtypeName = interned("dtype");
  Reference dtype(PyObject_GetAttr(array, dtypeName));
  uint32_t element = dtype ? elementOf(dtype.get()) : 0;
  if (!element) {
    return false;
  }
  to.memory.index = Memory::Host;
  Py_buffer view;
  if (!PyObject_GetBuffer(array, &view, PyBUF_FULL_RO)) {
    to.pointer = tz_pointer(reinterpret_cast<uintptr_t>(view.buf), element);
    to.layout.isReadOnly = view.readonly;
    if (!PyBuffer_IsContiguous(&view, 'C')) {
      // Py_ssize_t has 64 bits on the machines that there are packages for.
      static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
      findGaps(view.ndim, reinterpret_cast<const int64_t *>(view.shape),
               reinterpret_cast<const int64_t *>(view.strides), view.itemsize,
               to.layout);
    }
    PyBuffer_Release(&view);
    return true;
  }
  // Types from outside of NumPy (bfloat16) have no format of the protocol.
  PyErr_Clear();
  Reference interface(PyObject_GetAttrString(array, "__array_interface__"));
  return interface && readInterface(interface.get(), element, to);
}

bool readFacts(PyObject *facts, Array &to) {
  PyObject *source;
  const char *dtype, *framework;
  int index;
  if (!PyArg_ParseTuple(facts, "Oszi", &source, &dtype, &framework, &index)) {
    return false;
  }
  uint32_t element = elementType(dtype);
  if (!element) {
    return fail("ArgumentError",
                std::string("no kernel has arrays of ") + dtype);
  }
  to.memory.index = index;
  if (framework && index >= 0 &&
      !(to.memory.accelerator = acceleratorOf(framework))) {
    return false;
  }
  if (PyDict_Check(source)) {
    return readInterface(source, element, to);
  }
  to.pointer = tz_pointer(PyLong_AsUnsignedLongLongMask(source), element);
  return !PyErr_Occurred();
}

} // namespace tz::python
