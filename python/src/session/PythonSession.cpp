//===- PythonSession.cpp - the process's session, its devices and streams -===//
//
// What   See PythonSession.h.
// Why    What kernels print goes through sys.stdout, so that notebooks and
//        tests see it.
//===----------------------------------------------------------------------===//
#include "session/PythonSession.h"

#include "session/Interruption.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace tz::python {

static void print(void *, const char *line) {
  PyGILState_STATE state = PyGILState_Ensure();
  PySys_FormatStdout("%s\n", line);
  PyGILState_Release(state);
}

Session *Session::session = nullptr;

Session *Session::make() {
  tz_session_options options{};
  options.struct_size = sizeof(options);
  options.flags = TZ_SESSION_NULL_ARRAYS; // frameworks' empty arrays
  options.on_diagnostic = Diagnostics::report;
  options.on_print = print;
  options.on_wait = askSignals;
  options.flags |= TZ_SESSION_CATCH_FAULTS;
  // Triton's names of the cache's settings, where ours say nothing.
  if (!std::getenv("TERRAZZO_CACHE_DIR")) {
    options.cache_folder = std::getenv("TRITON_CACHE_DIR");
  }
  const char *always = std::getenv("TRITON_ALWAYS_COMPILE");
  if (always && std::strcmp(always, "1") == 0) {
    options.cache_folder = "";
  }
  auto made = std::make_unique<Session>();
  Diagnostics diagnostics;
  if (!settle(tz_session_create(&options, &made->native), diagnostics)) {
    return nullptr;
  }
  return session = made.release();
}

Device *Session::device(const std::string &target) {
  if (auto known = byName.find(target); known != byName.end()) {
    return known->second;
  }
  tz_device_t opened = nullptr;
  tz_status_t status;
  Diagnostics diagnostics;
  Py_BEGIN_ALLOW_THREADS;
  status = tz_device_open(native, target.c_str(), &opened);
  Py_END_ALLOW_THREADS;
  if (!settle(status, diagnostics)) {
    return nullptr;
  }
  std::unique_ptr<Device> &device = devices[opened];
  if (!device) {
    device = std::make_unique<Device>(opened);
  }
  return byName[target] = device.get();
}

Device::Device(tz_device_t handle) : native(handle) {
  tz_device_facts facts{};
  facts.struct_size = sizeof(facts);
  if (tz_status_t status = tz_device_describe(native, &facts)) {
    tz_status_release(status);
    return;
  }
  hostMemory = facts.host_memory;
  interpreter = std::string_view(facts.plugin) == "interp";
  const std::string_view code(facts.target);
  targetName = std::string(facts.plugin) + ":" + std::to_string(facts.index);
  targetName += code.substr(std::min(code.find(':'), code.size()));
}

Stream *Device::findStream(void *framework) {
  std::unique_ptr<Stream> &known = wrapped[framework];
  if (!known) {
    auto made = std::make_unique<Stream>();
    if (!settle(tz_stream_wrap(native, framework, &made->handle))) {
      return nullptr;
    }
    known = std::move(made);
  }
  lastFramework = framework;
  return lastStream = known.get();
}

bool Stream::beginLog() {
  hasLog = true;
  Reference begin(packageAttribute("terrazzo.runtime.device_logs", "begin"));
  return begin && Reference(PyObject_CallNoArgs(begin.get()));
}

bool Stream::tell(bool waits) {
  tz_status_t status;
  {
    StreamTurn turn(*this);
    Py_BEGIN_ALLOW_THREADS;
    status = waits ? tz_stream_sync(handle) : tz_stream_poll(handle);
    Py_END_ALLOW_THREADS;
  }
  return settle(status);
}

bool Device::tellLogs(std::optional<void *> only) {
  std::vector<Stream *> told; // a print may launch, and wrap streams
  for (auto &[framework, stream] : wrapped) {
    if (stream->hasLog && (!only || framework == *only)) {
      told.push_back(stream.get());
    }
  }
  return std::all_of(told.begin(), told.end(),
                     [](Stream *stream) { return stream->tell(true); });
}

bool Session::tellLogs(std::optional<void *> only) {
  if (!session) {
    return true;
  }
  std::vector<Device *> known;
  for (auto &[handle, device] : session->devices) {
    known.push_back(device.get());
  }
  return std::all_of(known.begin(), known.end(),
                     [&](Device *device) { return device->tellLogs(only); });
}

/// Without the GIL, so that the one whose turn it is can end it.
bool StreamTurn::wait(bool hearsSignals) const {
  for (int tries = 0; stream.isTaken; ++tries) {
    Py_BEGIN_ALLOW_THREADS;
    if (tries < 100) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    Py_END_ALLOW_THREADS;
    if (hearsSignals && !checkSignals()) {
      return false;
    }
  }
  return true;
}

bool Device::order(Stream &earlier, Stream &later) {
  tz_event_t event = nullptr;
  if (!idleEvents.empty()) {
    event = idleEvents.back();
    idleEvents.pop_back();
  } else if (!settle(tz_event_create(native, &event))) {
    return false;
  }
  tz_status_t status;
  {
    StreamTurn turn(earlier);
    Py_BEGIN_ALLOW_THREADS;
    status = tz_event_record(event, earlier.handle);
    Py_END_ALLOW_THREADS;
  }
  if (!status) {
    StreamTurn turn(later);
    Py_BEGIN_ALLOW_THREADS;
    status = tz_stream_wait(later.handle, event);
    Py_END_ALLOW_THREADS;
  }
  // A wait is for what was recorded before it: the event is free again.
  idleEvents.push_back(event);
  return settle(status);
}

tz_stream_t Device::take() {
  if (!idle.empty()) {
    tz_stream_t stream = idle.back();
    idle.pop_back();
    return stream;
  }
  tz_stream_t made = nullptr;
  return settle(tz_stream_create(native, &made)) ? made : nullptr;
}

} // namespace tz::python
