//===- Devices.cpp - where a launch goes ----------------------------------===//
//
// What   See Devices.h.
// Why    TERRAZZO_TARGET says which of the devices that share a memory runs
//        the kernel; it cannot move arrays.
//===----------------------------------------------------------------------===//
#include "Devices.h"

#include "Exchange.h"

#include <cstdlib>

namespace tz::python {

/// What the environment asks for, or nothing.
static std::string wanted() {
  const char *target = std::getenv("TERRAZZO_TARGET");
  return target ? target : "";
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

/// The device of `index` of the framework's accelerator.
static Device *acceleratorDevice(Session &session, const Memory &memory,
                                 const std::string &kernel) {
  const std::string own =
      memory.accelerator->target + ":" + std::to_string(memory.index);
  std::string target = wanted();
  if (!target.empty() && target != "auto" &&
      target.compare(0, memory.accelerator->target.size(),
                     memory.accelerator->target) != 0) {
    fail("LaunchError", "the arrays of kernel '" + kernel +
                            "' lie in the "
                            "memory of " +
                            own + ", but TERRAZZO_TARGET is " + target);
    return nullptr;
  }
  return session.device(own);
}

bool Place::findStream() {
  if (device->isHost()) {
    stream = device->take();
  } else if ((shared = device->stream(native))) {
    stream = shared->handle;
  }
  return stream;
}

void Place::leaveStream() {
  if (!shared) {
    device->giveBack(stream);
  }
}

bool Place::find(const Memory &memory, const std::string &kernel) {
  Session *session = Session::get();
  if (!session) {
    return false;
  }
  if (memory.index == Memory::Unknown) {
    device = session->device(wanted());
    return device;
  }
  if (memory.index == Memory::Host) {
    // One launch after another goes to the same device.
    static Device *last = nullptr;
    static std::string lastTarget;
    if (!last || lastTarget != wanted()) {
      last = hostDevice(*session, kernel);
      lastTarget = wanted();
    }
    device = last;
    return device;
  }
  static std::vector<Device *> known;
  static const Accelerator *knownAccelerator = nullptr;
  if (knownAccelerator != memory.accelerator) {
    known.clear();
    knownAccelerator = memory.accelerator;
  }
  auto index = size_t(memory.index);
  if (index >= known.size()) {
    known.resize(index + 1);
  }
  if (!known[index]) {
    known[index] = acceleratorDevice(*session, memory, kernel);
    if (!known[index]) {
      return false;
    }
  }
  device = known[index];
  const Accelerator &accelerator = *memory.accelerator;
  if (accelerator.table && !accelerator.table->currentStream(
                               accelerator.tableType, memory.index, &native))
      [[likely]] {
    return true;
  }
  PyErr_Clear();
  Reference number(PyLong_FromLong(memory.index));
  Reference stream(
      number ? PyObject_CallOneArg(accelerator.stream.get(), number.get())
             : nullptr);
  if (!stream) {
    return false;
  }
  native = PyLong_AsVoidPtr(stream.get());
  return !PyErr_Occurred();
}

} // namespace tz::python
