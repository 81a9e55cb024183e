//===- Devices.cpp - where a launch goes ----------------------------------===//
//
// What   See Devices.h.
// Why    TERRAZZO_TARGET says which of the devices that share a memory runs
//        the kernel; it cannot move arrays.
//===----------------------------------------------------------------------===//
#include "session/Devices.h"

#include "values/DlpackExchange.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace tz::python {

/// What the environment asks for, or nothing.
static std::string wanted() {
  const char *target = std::getenv("TERRAZZO_TARGET");
  return target ? target : "";
}

/// By thread: what its next launches may touch.
static thread_local std::vector<std::pair<tz_memory_range, std::string>>
    knownMemory;

bool knowMemory(PyObject *list) {
  knownMemory.clear();
  Reference items(PySequence_Fast(list, "a list of ranges is expected"));
  if (!items) {
    return false;
  }
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); ++i) {
    unsigned long long address, bytes;
    const char *name;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items.get(), i), "KKs",
                          &address, &bytes, &name)) {
      return false;
    }
    knownMemory.push_back({{address, bytes, nullptr}, name});
  }
  return true;
}

bool tellMemory(tz_stream_t stream) {
  std::vector<tz_memory_range> ranges;
  for (auto &[range, name] : knownMemory) {
    ranges.push_back({range.address, range.bytes, name.c_str()});
  }
  return settle(tz_stream_know_memory(stream, ranges.data(), ranges.size()));
}

void forgetMemory(tz_stream_t stream) {
  tz_status_release(tz_stream_know_memory(stream, nullptr, 0));
  knownMemory.clear();
}

static Device *hostDevice(Session &session, const std::string &kernel) {
  std::string target = wanted();
  Device *device =
      session.device(target.empty() || target == "auto" ? "cpu" : target);
  if (device && !device->isHost()) {
    fail("LaunchError",
         "the arrays of kernel '" + kernel +
             "' lie in host memory, which TERRAZZO_TARGET=" + target +
             " cannot read; move them to the device, or unset "
             "TERRAZZO_TARGET");
    return nullptr;
  }
  return device;
}

/// The entry of the comma list `targets` that is about the plugin: ":1:v2" of
/// "a,plugin:1:v2". Nothing: it names others alone.
static std::optional<std::string> entryOf(const std::string &targets,
                                          const std::string &plugin) {
  for (size_t begin = 0; begin <= targets.size();) {
    const size_t end = std::min(targets.find(',', begin), targets.size());
    const std::string one = targets.substr(begin, end - begin);
    begin = end + 1;
    if (one == "auto") {
      return std::string();
    }
    const size_t colon = std::min(one.find(':'), one.size());
    if (one.compare(0, colon, plugin) == 0) {
      return one.substr(colon);
    }
  }
  return std::nullopt;
}

/// The device of `index` of the framework's accelerator, for the code target
/// that TERRAZZO_TARGET names.
static Device *acceleratorDevice(Session &session, const Memory &memory,
                                 const std::string &kernel) {
  const std::string &plugin = memory.accelerator->target;
  const std::string own = plugin + ":" + std::to_string(memory.index);
  const std::string target = wanted();
  std::optional<std::string> entry =
      target.empty() ? std::string() : entryOf(target, plugin);
  if (!entry) {
    fail("LaunchError", "the arrays of kernel '" + kernel +
                            "' lie in the "
                            "memory of " +
                            own + ", but TERRAZZO_TARGET is " + target);
    return nullptr;
  }
  // Arrays say which device it is; what stands before the code is its number.
  const size_t code = entry->find_first_not_of("0123456789", 1);
  if (entry->size() > 1 && code != std::string::npos) {
    entry->erase(0, (*entry)[code] == ':' ? code : 0);
  } else {
    entry->clear();
  }
  return session.device(own + *entry);
}

bool Place::findStream() {
  if (device->isHost()) {
    stream = device->take();
    knowsMemory = device->isInterpreter() || !knownMemory.empty();
    if (stream && knowsMemory && !tellMemory(stream)) {
      leaveStream();
      return false;
    }
  } else if ((shared = device->stream(native))) {
    stream = shared->handle;
    knowsMemory = !knownMemory.empty();
  }
  return stream;
}

void Place::leaveStream() {
  if (shared) {
    return;
  }
  if (knowsMemory) [[unlikely]] {
    // Of this launch alone: the next one on the stream is another thread's.
    if (device->isInterpreter()) {
      tz_status_release(tz_stream_know_memory(stream, nullptr, 0));
    } else {
      forgetMemory(stream);
    }
  }
  device->giveBack(stream);
}

/// The device of the host's memory; null with the error set. One launch after
/// another goes to the same, unless TERRAZZO_TARGET changes.
static Device *lastHostDevice(Session &session, const std::string &kernel) {
  static constinit Device *last = nullptr;
  static std::string lastTarget;
  const char *target = std::getenv("TERRAZZO_TARGET");
  if (!last || lastTarget != (target ? target : "")) {
    last = hostDevice(session, kernel);
    lastTarget = wanted();
  }
  return last;
}

static bool askForStream(const Accelerator &accelerator, int index,
                         void *&native) {
  PyErr_Clear();
  Reference number(PyLong_FromLong(index));
  Reference stream(
      number ? PyObject_CallOneArg(accelerator.stream.get(), number.get())
             : nullptr);
  if (!stream) {
    return false;
  }
  native = PyLong_AsVoidPtr(stream.get());
  return !PyErr_Occurred();
}

/// The stream that the framework uses now. False with the error set.
[[gnu::always_inline]] static inline bool
nativeStream(const Accelerator &accelerator, int index, void *&native) {
  return (accelerator.table && !accelerator.table->currentStream(
                                   accelerator.tableType, index, &native)) ||
         askForStream(accelerator, index, native);
}

/// The devices of the accelerator that launches went to last.
static constinit Device *acceleratorDevices[64] = {};
static constinit const Accelerator *knownAccelerator = nullptr;

bool Place::findAccelerator(const Memory &memory, const std::string &kernel) {
  if (knownAccelerator != memory.accelerator) [[unlikely]] {
    std::fill(std::begin(acceleratorDevices), std::end(acceleratorDevices),
              nullptr);
    knownAccelerator = memory.accelerator;
  }
  const bool isKept = size_t(memory.index) < std::size(acceleratorDevices);
  device = isKept ? acceleratorDevices[memory.index] : nullptr;
  if (!device) [[unlikely]] {
    Session *session = Session::get();
    device = session ? acceleratorDevice(*session, memory, kernel) : nullptr;
    if (!device) {
      return false;
    }
    if (isKept) {
      acceleratorDevices[memory.index] = device;
    }
  }
  return nativeStream(*memory.accelerator, memory.index, native);
}

bool Place::orderWith(const Arguments &arguments, bool before) {
  for (const Accelerator *other : *arguments.others()) {
    void *theirs = nullptr;
    if (!nativeStream(*other, arguments.memory().index, theirs)) {
      return false;
    }
    Stream *stream = device->stream(theirs);
    if (!stream ||
        (stream != shared && !device->order(before ? *stream : *shared,
                                            before ? *shared : *stream))) {
      return false;
    }
  }
  return true;
}

bool Place::find(const Memory &memory, const std::string &kernel) {
  if (memory.index >= 0) [[likely]] {
    return findAccelerator(memory, kernel);
  }
  Session *session = Session::get();
  if (!session) {
    return false;
  }
  device = memory.index == Memory::Host ? lastHostDevice(*session, kernel)
                                        : session->device(wanted());
  return device;
}

} // namespace tz::python
