//===- PythonArguments.cpp - a Python value as a launch argument ----------===//
//
// What   See PythonArguments.h.
// Why    See PythonArguments.h.
//===----------------------------------------------------------------------===//
#include "values/PythonArguments.h"

#include "values/ArrayTypes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tz::python {

/// Deques: what arguments point to must not move.
struct Arguments::More {
  std::deque<tz_descriptor> descriptors;
  std::deque<tz_tuple> tuples;
  std::deque<std::vector<tz_arg>> items;
  std::deque<std::vector<const char *>> names;
  std::vector<Reference> kept;
  std::vector<const Accelerator *> others;
};

const std::vector<const Accelerator *> *Arguments::mixed() const {
  return more->others.empty() ? nullptr : &more->others;
}

Arguments::More &Arguments::extra() {
  if (!more) {
    more = {new More, [](More *held) { delete held; }};
  }
  return *more;
}

static std::string textOf(PyObject *name) {
  const char *text = PyUnicode_AsUTF8(name);
  if (!text) {
    PyErr_Clear();
  }
  return text ? text : "?";
}

static std::string typeOf(PyObject *value) { return Py_TYPE(value)->tp_name; }

bool Arguments::wrong(PyObject *name, const std::string &text) const {
  return fail("ArgumentError", "argument '" + textOf(name) + "' of kernel '" +
                                   kernel + "' " + text);
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

bool integer(PyObject *value, tz_arg &to) {
  if (int64_t number; smallInteger(value, number)) [[likely]] {
    to = number == int32_t(number) ? tz_i32(int32_t(number)) : tz_i64(number);
    return true;
  }
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (number == -1 && PyErr_Occurred()) {
    return false;
  }
  if (!overflow) {
    to = number == int32_t(number) ? tz_i32(int32_t(number)) : tz_i64(number);
    return true;
  }
  if (overflow > 0) {
    unsigned long long large = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) {
      to = tz_u64(large);
      return true;
    }
    PyErr_Clear();
  }
  return fail("ArgumentError", "an integer does not fit 64 bits");
}

/// Rounded to nearest, ties to even; `mantissa` bits of a float's 23.
static uint32_t narrowed(float value, uint32_t type) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (type == TZ_TYPE_BF16) {
    return std::isnan(value) ? bits >> 16 | 0x40
                             : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }
  uint32_t sign = bits >> 16 & 0x8000;
  float magnitude = std::fabs(value);
  if (std::isnan(value)) {
    return sign | 0x7e00;
  }
  if (magnitude >= 65520.0f) {
    return sign | 0x7c00;
  }
  int exponent;
  std::frexp(magnitude, &exponent);
  // Halves have 11 bits, fewer below 2^-14.
  int shift = std::max(exponent - 11, -24);
  auto units = uint32_t(std::nearbyint(std::ldexp(magnitude, -shift)));
  if (shift == -24) {
    return sign | units;
  }
  return sign | (uint32_t(shift + 24) << 10) + units;
}

/// A number as the type of an annotation. False with the error set.
static bool typedNumber(PyObject *value, Kind kind, uint32_t type, tz_arg &to) {
  if (type >= TZ_TYPE_F16 && type <= TZ_TYPE_F64) {
    double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) {
      return false;
    }
    to = type == TZ_TYPE_F64 ? tz_f64(number)
         : type == TZ_TYPE_F32
             ? tz_f32(float(number))
             : tz_arg_make(type, 0, narrowed(float(number), type));
    return true;
  }
  if (kind == Kind::Float) {
    PyErr_SetString(PyExc_TypeError, "a float where an integer is annotated");
    return false;
  }
  unsigned long long bits = PyLong_AsUnsignedLongLongMask(value);
  if (bits == ~0ull && PyErr_Occurred()) {
    return false;
  }
  to = type == TZ_TYPE_I1 ? tz_bool(bits != 0) : tz_arg_make(type, 0, bits);
  return true;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

bool Arguments::add(PyObject *value, PyObject *name, uint32_t fixedType) {
  if (count == Max) {
    return wrong(name, "is one too many: a launch has at most 256");
  }
  if (fixedType) {
    Kind kind = knownType(value).kind;
    if (kind == Kind::Integer || kind == Kind::Float || kind == Kind::Bool) {
      return typedNumber(value, kind, fixedType, values[count++]);
    }
  }
  return convert(value, name, values[count++]);
}

bool Arguments::addConstant(PyObject *value, PyObject *name) {
  if (count == Max) {
    return wrong(name, "is one too many: a launch has at most 256");
  }
  return constant(value, name, values[count++]);
}

bool Arguments::convert(PyObject *value, PyObject *name, tz_arg &to) {
  const KnownType &type = knownType(value);
  if (type.kind == Kind::Tensor) [[likely]] {
    Array read;
    return readTensor(value, type, read) && array(read, value, name, to);
  }
  switch (type.kind) {
  case Kind::Integer:
    return integer(value, to);
  case Kind::Float:
    to = tz_f32(float(PyFloat_AS_DOUBLE(value)));
    return true;
  case Kind::Bool:
    to = tz_bool(value == Py_True);
    return true;
  case Kind::None:
    to = tz_none();
    return true;
  case Kind::String:
    return constant(value, name, to);
  case Kind::Tuple:
    return tuple(value, name, to, false);
  case Kind::Buffer: {
    Array read;
    return readBuffer(value, read) && array(read, value, name, to);
  }
  case Kind::Tensor:
  case Kind::Other:
    break;
  }
  return convertOther(value, name, to, false);
}

bool Arguments::constant(PyObject *value, PyObject *name, tz_arg &to) {
  switch (knownType(value).kind) {
  case Kind::Integer:
    if (!integer(value, to)) {
      return false;
    }
    to = tz_constexpr(to);
    return true;
  case Kind::Float:
    to = tz_constexpr(tz_f64(PyFloat_AS_DOUBLE(value)));
    return true;
  case Kind::Bool:
    to = tz_constexpr(tz_bool(value == Py_True));
    return true;
  case Kind::None:
    to = tz_none();
    return true;
  case Kind::String: {
    const char *text = PyUnicode_AsUTF8(value);
    if (text) {
      to = tz_text(text);
    }
    return text;
  }
  case Kind::Tuple:
    return tuple(value, name, to, true);
  case Kind::Tensor:
  case Kind::Buffer:
    return wrong(name, "is constexpr and cannot be an array; give a number, a "
                       "string, a dtype, a jit function or a tuple of them");
  case Kind::Other:
    return convertOther(value, name, to, true);
  }
  return false;
}

bool Arguments::tuple(PyObject *value, PyObject *name, tz_arg &to,
                      bool asConstant) {
  Py_ssize_t size = PyTuple_GET_SIZE(value);
  More &held = extra();
  std::vector<tz_arg> &items = held.items.emplace_back(size_t(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject *item = PyTuple_GET_ITEM(value, i);
    if (Py_EnterRecursiveCall(" in a tuple of arguments")) {
      return false;
    }
    bool fine = asConstant ? constant(item, name, items[size_t(i)])
                           : convert(item, name, items[size_t(i)]);
    Py_LeaveRecursiveCall();
    if (!fine) {
      return false;
    }
  }
  tz_tuple &made = held.tuples.emplace_back();
  made.struct_size = sizeof(made);
  made.items = items.data();
  made.num_items = items.size();
  if (!PyTuple_CheckExact(value)) {
    Reference fields(PyObject_GetAttrString(value, "_fields"));
    if (fields && PyTuple_Check(fields.get()) &&
        PyTuple_GET_SIZE(fields.get()) == size) {
      std::vector<const char *> &names = held.names.emplace_back();
      for (Py_ssize_t i = 0; i < size; ++i) {
        const char *text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(fields.get(), i));
        if (!text) {
          return false;
        }
        names.push_back(text);
      }
      made.names = names.data();
      held.kept.push_back(std::move(fields));
    }
    PyErr_Clear(); // a subclass without names is a plain tuple
  }
  to = tz_tuple_arg(&made);
  return true;
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// By numel() or size; false if it has neither.
static bool hasElements(PyObject *value) {
  Reference number(PyObject_HasAttrString(value, "numel")
                       ? PyObject_CallMethod(value, "numel", nullptr)
                       : PyObject_GetAttrString(value, "size"));
  long long count = number ? PyLong_AsLongLong(number.get()) : 0;
  PyErr_Clear();
  return count > 0;
}

bool Arguments::array(const Array &read, PyObject *value, PyObject *name,
                      tz_arg &to) {
  to = read.pointer;
  if (!read.layout.isPlain() || !to.bits) [[unlikely]] {
    plain = false;
    inDoubt.push_back(
        {count - 1, value, name, read.layout, !to.bits && hasElements(value)});
  }
  // Nearly all arrays of a launch lie where the one before lies.
  return (read.memory.index == place.index &&
          read.memory.accelerator == place.accelerator) ||
         settleMemory(read, value, name);
}

static std::string describe(const Memory &memory) {
  return memory.index < 0 ? "host memory"
                          : "the memory of " + memory.accelerator->framework +
                                "'s " + memory.accelerator->deviceType + ":" +
                                std::to_string(memory.index);
}

/// May a kernel of a device read it although it is in host memory? Asked only
/// where memories differ.
static bool isPinned(PyObject *value) {
  Reference method(PyObject_GetAttrString(value, "is_pinned"));
  Reference answer(method ? PyObject_CallNoArgs(method.get()) : nullptr);
  if (!answer) {
    PyErr_Clear();
    return false;
  }
  return answer.get() == Py_True;
}

bool Arguments::settleMemory(const Array &array, PyObject *value,
                             PyObject *name) {
  if (array.memory.index == Memory::Unknown) {
    return true;
  }
  if (place.index == Memory::Unknown) {
    // Pinned memory is the host's until a device's array comes along, which
    // the mismatch below sorts out.
    place = array.memory;
    placedBy = name;
    return true;
  }
  if (place.index == array.memory.index &&
      (place.index < 0 || !place.accelerator || !array.memory.accelerator ||
       place.accelerator->target == array.memory.accelerator->target)) {
    const Accelerator *other = array.memory.accelerator;
    if (place.index >= 0 && other && other != place.accelerator) {
      plain = false;
      auto &others = extra().others;
      if (std::find(others.begin(), others.end(), other) == others.end()) {
        others.push_back(other);
      }
    }
    return true;
  }
  if (array.memory.index == Memory::Host && isPinned(value)) {
    return true;
  }
  return wrong(name, "lies in " + describe(array.memory) + ", but argument '" +
                         textOf(placedBy) + "' lies in " + describe(place) +
                         "; a launch takes arrays of one memory");
}

//===----------------------------------------------------------------------===//
// What Python code must look at
//===----------------------------------------------------------------------===//

/// A tuple of integers into a fixed array. False with the error set.
template <typename T>
static bool integers(PyObject *list, T *to, uint32_t rank) {
  Reference items(PySequence_Fast(list, "a list of integers is expected"));
  if (!items) {
    return false;
  }
  if (PySequence_Fast_GET_SIZE(items.get()) != Py_ssize_t(rank)) {
    return fail("ArgumentError",
                "shape, strides and block_shape of a tensor descriptor have "
                "one length");
  }
  for (uint32_t i = 0; i < rank; ++i) {
    long long number =
        PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items.get(), i));
    if (number == -1 && PyErr_Occurred()) {
      return false;
    }
    to[i] = T(number);
  }
  return true;
}

/// (base, shape, strides, block_shape, pads with NaN)
bool Arguments::descriptor(PyObject *value, PyObject *name, tz_arg &to) {
  PyObject *base, *shape, *strides, *block;
  int padsWithNaN;
  if (!PyArg_ParseTuple(value, "OOOOp", &base, &shape, &strides, &block,
                        &padsWithNaN)) {
    return false;
  }
  Py_ssize_t rank = PySequence_Size(shape);
  if (rank < 0) {
    return false;
  }
  if (rank < 1 || rank > TZ_DESCRIPTOR_MAX_RANK) {
    return wrong(name, "is a tensor descriptor of " + std::to_string(rank) +
                           " dimensions; 1 to 5 are possible");
  }
  tz_arg pointer;
  if (!convert(base, name, pointer)) {
    return false;
  }
  if (pointer.type != TZ_TYPE_PTR) {
    return wrong(name, "is a tensor descriptor whose base is no array");
  }
  tz_descriptor &made = extra().descriptors.emplace_back();
  made = {};
  made.struct_size = sizeof(made);
  made.data = pointer.bits;
  made.element = pointer.element;
  made.rank = uint32_t(rank);
  made.padding = padsWithNaN ? TZ_PADDING_NAN : TZ_PADDING_ZERO;
  to = tz_descriptor_arg(&made);
  return integers(shape, made.shape, made.rank) &&
         integers(strides, made.strides, made.rank) &&
         integers(block, made.block, made.rank);
}

namespace {
/// The first objects that are names of the language (dtypes, say), and their
/// spelling.
struct Spelled {
  PyObject *object, *text;
};
} // namespace
static Spelled spelled[64];
static size_t numSpelled = 0;

/// runtime/arguments.py says what it is: a kind and what belongs to it.
bool Arguments::convertOther(PyObject *value, PyObject *name, tz_arg &to,
                             bool asConstant) {
  for (size_t i = 0; i < numSpelled; ++i) {
    if (spelled[i].object == value) {
      to = tz_expression(PyUnicode_AsUTF8(spelled[i].text));
      return true;
    }
  }
  static PyObject *questions[2] = {};
  PyObject *&ask = questions[asConstant];
  if (!ask && !(ask = packageAttribute("terrazzo.runtime.arguments",
                                       asConstant ? "constant" : "convert"))) {
    return false;
  }
  Reference answer(PyObject_CallOneArg(ask, value));
  const char *kind = nullptr;
  PyObject *made = nullptr;
  if (!answer || !PyArg_ParseTuple(answer.get(), "sO", &kind, &made)) {
    return false;
  }
  extra().kept.push_back(std::move(answer));
  std::string_view what(kind);
  if (what == "unknown") {
    return wrong(name, "is of type " + typeOf(value) +
                           ", which no kernel takes; arrays, numbers, strings, "
                           "None, dtypes, jit functions, tensor descriptors "
                           "and tuples of them are possible");
  }
  if (what == "constant") {
    return constant(made, name, to);
  }
  if (what == "expression" || what == "spelling") {
    const char *text = PyUnicode_AsUTF8(made);
    if (text) {
      to = tz_expression(text);
    }
    if (text && what == "spelling" && numSpelled < std::size(spelled)) {
      Py_INCREF(value);
      Py_INCREF(made);
      spelled[numSpelled++] = {value, made};
    }
    return text;
  }
  if (asConstant) {
    return what == "value"
               ? constant(made, name, to)
               : wrong(name, "is constexpr and cannot be a " + typeOf(value));
  }
  if (what == "value") {
    return convert(made, name, to);
  }
  if (what == "descriptor") {
    return descriptor(made, name, to);
  }
  Array read;
  return readFacts(made, read) && array(read, value, name, to);
}

} // namespace tz::python
