//===- Launch.cpp - from a call's values to the driver --------------------===//
//
// What   The launch of a Function: the kernel for its options, the stream's
//        turn, hooks of launches.
// Why    See Function.h. A launch whose code is known allocates nothing here
//        and takes no lock but the interpreter's.
//===----------------------------------------------------------------------===//
#include "compile/Names.h"
#include "launch/Function.h"
#include "launch/LaunchHooks.h"

#include <cstdlib>
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

/// Are launches captured, with the arrays as far as they reach?
static bool isCaptured() {
  const char *folder = std::getenv("TERRAZZO_CAPTURE");
  return folder && *folder;
}

/// Does the code ask where arrays end? As the library decides, which reads the
/// same options and variables.
static bool isChecked(const std::vector<Option> &options) {
  const char *checked = std::getenv("TERRAZZO_CHECKED");
  bool asks = checked && std::strcmp(checked, "1") == 0;
  const char *checks = std::getenv("TERRAZZO_SANITIZE");
  for (const Option &option : options) {
    if (PyUnicode_CompareWithASCIIString(option.name, "checked") == 0) {
      asks = option.value.bits != 0;
    } else if (PyUnicode_CompareWithASCIIString(option.name, "sanitize") == 0) {
      checks = option.value.type == TZ_TYPE_STRING
                   ? reinterpret_cast<const char *>(option.value.bits)
                   : nullptr;
    }
  }
  return asks || (checks && (std::strstr(checks, "bounds") ||
                             std::strstr(checks, "race") ||
                             std::strstr(checks, "uninitialized")));
}

PartsToRecord &partsToRecord() {
  static PartsToRecord wanted;
  return wanted;
}

Function::Variant *Function::variant(PyObject *self, const Bound &bound) {
  for (const auto &known : variants) {
    if (known->options.size() != bound.numOptions ||
        known->records != partsToRecord()) {
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
  made->kernel = std::make_shared<KernelHandle>(loaded);
  made->options.assign(bound.options, bound.options + bound.numOptions);
  for (const Option &option : made->options) {
    made->held.push_back(Reference::borrow(option.name));
    made->held.push_back(Reference::borrow(option.text));
  }
  made->records = partsToRecord();
  made->needsMemory = isCaptured() || isChecked(made->options);
  variants.push_back(std::move(made));
  return variants.back().get();
}

/// What self._source() says: path, text, function, first line, scope, and
/// whether asserts are checked where no option says.
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
  int checks;
  if (!source || !PyArg_ParseTuple(source.get(), "ss#sIKp", &path, &text, &size,
                                   &function, &line, &scope, &checks)) {
    return nullptr;
  }
  std::vector<tz_named_arg> chosen;
  bool saysParts = partsToRecord().records.empty();
  bool saysLines = !partsToRecord().hasLines || getenv("TERRAZZO_DEBUG_LEVEL");
  for (size_t i = 0; i < bound.numOptions; ++i) {
    const Option &option = bound.options[i];
    const char *key = PyUnicode_AsUTF8(option.name);
    if (!key) {
      return nullptr;
    }
    chosen.push_back({key, option.value});
    checks |= std::strcmp(key, "debug") == 0;
    saysParts |= std::strcmp(key, "records") == 0;
    saysLines |= std::strcmp(key, "debug_level") == 0;
  }
  if (!saysParts) {
    chosen.push_back({"records", tz_string(partsToRecord().records.c_str())});
    chosen.push_back(
        {"record_warps", tz_string(partsToRecord().warps.c_str())});
  }
  if (!saysLines) {
    chosen.push_back({"debug_level", tz_i64(1)});
  }
  if (!checks) {
    chosen.push_back({"debug", tz_bool(false)});
  }
  tz_kernel_source request{};
  request.struct_size = sizeof(request);
  request.path = path;
  request.text = text;
  request.text_size = size_t(size);
  request.function = function;
  request.options = chosen.data();
  request.num_options = chosen.size();
  request.names = &ProgramNames;
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
// Launch
//===----------------------------------------------------------------------===//

/// What a call gives, without a device for it.
bool Function::read(PyObject *self, const Call &call, Prepared &to) {
  return bind(call, to.bound) && checkWatched() &&
         convert(to.bound, to.arguments) &&
         (to.variant = variant(self, to.bound));
}

bool Function::prepare(PyObject *self, const Call &call, Prepared &to) {
  return read(self, call, to) && to.place.find(to.arguments.memory(), name);
}

/// Arrays that the kernel must not write or cannot reach, and a warning of
/// those that it may misread: false with the error set.
bool Function::settleDoubts(PyObject *self, Prepared &prepared) const {
  if (prepared.arguments.doubts().empty()) {
    return true;
  }
  Compiled *made = compile(self, prepared);
  if (!made) {
    return false;
  }
  const tz_code_t code = made->code;
  const Arguments &arguments = prepared.arguments;
  for (const Doubt &doubt : arguments.doubts()) {
    tz_pointer_use use{};
    use.struct_size = sizeof(use);
    tz_status_t status = tz_code_pointer_use(code, doubt.argument, &use);
    const bool isKnown = !status;
    tz_status_release(status);
    const bool isCertain = doubt.isCertain(isKnown ? &use : nullptr);
    if (!isCertain && !doubt.isLikely(isKnown ? &use : nullptr,
                                      arguments.data(), arguments.size())) {
      continue;
    }
    Reference check(packageAttribute("terrazzo.runtime.array_checks", "check"));
    const Layout &layout = doubt.layout;
    Reference gaps(PyTuple_New(isCertain ? 0 : layout.numGaps));
    for (Py_ssize_t i = 0; gaps && i < PyTuple_GET_SIZE(gaps.get()); ++i) {
      PyTuple_SET_ITEM(gaps.get(), i, PyLong_FromLongLong(layout.gaps[i]));
    }
    Reference done(
        check && gaps ? PyObject_CallFunction(
                            check.get(), "OOOOO", self, doubt.name, doubt.value,
                            doubt.hasNoMemory ? Py_True : Py_False, gaps.get())
                      : nullptr);
    if (!done) {
      return false;
    }
  }
  return true;
}

/// Where the memory of the arrays begins and ends, for the launch that follows.
/// False with the error set.
bool Function::tellArrays(const Prepared &prepared) const {
  Reference find(packageAttribute("terrazzo.runtime.interpreter", "ranges_of"));
  Reference arguments(find ? boundAsDict(prepared.bound) : nullptr);
  Reference ranges(arguments ? PyObject_CallOneArg(find.get(), arguments.get())
                             : nullptr);
  return ranges && knowMemory(ranges.get());
}

/// Launches; on the host also waits. Neither status nor code: a signal's
/// exception ended the wait for the stream.
tz_status_t Function::start(Variant &variant, const Place &place,
                            const int64_t (&sizes)[3],
                            const Arguments &arguments, tz_code_t &code) const {
  tz_kernel_t kernel = variant.kernel->handle();
  tz_status_t status;
  if (place.shared) [[likely]] {
    StreamTurn turn(*place.shared, StreamTurn::Interruptible());
    if (!turn.isMine() || (place.knowsMemory && !tellMemory(place.stream)))
        [[unlikely]] {
      return nullptr;
    }
    Py_BEGIN_ALLOW_THREADS;
    status = tz_kernel_launch_code(kernel, place.stream, sizes,
                                   arguments.data(), arguments.size(), &code);
    Py_END_ALLOW_THREADS;
    if (place.knowsMemory) [[unlikely]] {
      forgetMemory(place.stream);
    }
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

/// Null with the error set.
Function::Compiled *Function::launchPrepared(PyObject *self, Prepared &prepared,
                                             const int64_t (&sizes)[3]) const {
  Place &place = prepared.place;
  if (prepared.variant->needsMemory && !place.device->isInterpreter() &&
      !tellArrays(prepared)) [[unlikely]] {
    return nullptr;
  }
  if (!place.findStream() ||
      (place.shared && place.shared->hasLog && !place.shared->tell(false))) {
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
  Compiled *made = code ? compiled(self, prepared, code) : nullptr;
  if (made && made->hasLog && place.shared && !place.shared->hasLog &&
      !place.shared->beginLog()) [[unlikely]] {
    return nullptr;
  }
  return made;
}

/// In the order of the streams of all frameworks whose arrays it has.
Function::Compiled *Function::launchOrdered(PyObject *self, Prepared &prepared,
                                            const int64_t (&sizes)[3]) const {
  const Arguments &arguments = prepared.arguments;
  if (!arguments.others()) {
    return launchPrepared(self, prepared, sizes);
  }
  Place &place = prepared.place;
  if (!place.findStream() || !place.orderWith(arguments, true)) {
    return nullptr;
  }
  Compiled *made = launchPrepared(self, prepared, sizes);
  return made && place.orderWith(arguments, false) ? made : nullptr;
}

/// `which`: "launch_enter_hook" or "launch_exit_hook"; false with the error
/// set.
bool Function::callHook(const char *which, PyObject *self, PyObject *code,
                        const int64_t (&sizes)[3],
                        const Prepared &prepared) const {
  Reference call(
      packageAttribute("terrazzo.compiler.compiled_kernel", "call_hook"));
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
      !launchOrdered(self, prepared, sizes) ||
      !callHook("launch_exit_hook", self, object.get(), sizes, prepared)) {
    return nullptr;
  }
  return object.release();
}

/// With hooks of launches or compilations, now or before.
PyObject *Function::launchHooked(PyObject *self, Prepared &prepared,
                                 const int64_t (&sizes)[3],
                                 bool isEmpty) const {
  bool isRefused = false;
  if (isCompilationHooked() &&
      !tellCompilation(self, prepared, false, false, isRefused)) {
    return nullptr;
  }
  if (isRefused) {
    Py_RETURN_NONE;
  }
  if (!isEmpty && !settleDoubts(self, prepared)) {
    return nullptr;
  }
  if (!isEmpty && isLaunchHooked()) {
    return launchWatched(self, prepared, sizes);
  }
  return objectOf(isEmpty ? compile(self, prepared)
                          : launchOrdered(self, prepared, sizes));
}

PyObject *Function::launch(PyObject *self, PyObject *grid, const Call &call) {
  Prepared prepared(name);
  int64_t sizes[3];
  if (!prepare(self, call, prepared) ||
      !readGrid(grid, prepared.bound, sizes)) {
    return nullptr;
  }
  const bool isEmpty = sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0;
  if (everHooked) [[unlikely]] {
    return launchHooked(self, prepared, sizes, isEmpty);
  }
  if (isEmpty) [[unlikely]] {
    return objectOf(compile(self, prepared));
  }
  if (!prepared.arguments.isPlain()) [[unlikely]] {
    return settleDoubts(self, prepared)
               ? objectOf(launchOrdered(self, prepared, sizes))
               : nullptr;
  }
  return objectOf(launchPrepared(self, prepared, sizes));
}

} // namespace tz::python
