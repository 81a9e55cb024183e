//===- PythonSession.h - the process's session, its devices and streams ---===//
//
// What   One tz_session for all kernels of the process, made at first use; the
//        devices that launches went to; their streams.
// Why    Python has one process-wide world, as the frameworks around it do.
//        Nothing here is destroyed at exit: drivers may be gone by then.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_SESSION_PYTHONSESSION_H
#define TERRAZZO_PYTHON_SESSION_PYTHONSESSION_H

#include "Failure.h"

#include <memory>
#include <optional>
#include <unordered_map>

namespace tz::python {

/// A stream may be used by one thread at a time: by whose turn it is.
struct Stream {
  tz_stream_t handle = nullptr;
  bool isTaken = false; // changed with the GIL held
  bool hasLog = false;  // a kernel that prints or asserts was launched

  /// The first such kernel was: what it says will be asked for. False with the
  /// error set.
  bool beginLog();
  /// Says what kernels printed; a failed assert is DeviceAssertionError. Waits
  /// for the stream, or tells of kernels that have ended. False with the error
  /// set.
  bool tell(bool waits);
};

/// Made and ended with the GIL held; between, others may run.
class StreamTurn {
public:
  explicit StreamTurn(Stream &stream) : stream(stream) {
    if (stream.isTaken) [[unlikely]] {
      (void)wait(false);
    }
    stream.isTaken = true;
  }
  /// For callers that ask isMine(): a signal's exception ends the wait.
  struct Interruptible {};
  StreamTurn(Stream &stream, Interruptible) : stream(stream) {
    if (stream.isTaken) [[unlikely]] {
      mine = wait(true);
    }
    stream.isTaken |= mine;
  }
  ~StreamTurn() {
    if (mine) {
      stream.isTaken = false;
    }
  }
  StreamTurn(const StreamTurn &) = delete;
  /// False with the error set.
  bool isMine() const { return mine; }

private:
  bool wait(bool hearsSignals) const;
  Stream &stream;
  bool mine = true;
};

class Device {
public:
  explicit Device(tz_device_t handle);

  tz_device_t handle() const { return native; }
  /// Kernels read and write the process's own memory.
  bool isHost() const { return hostMemory; }
  /// Accesses are checked.
  bool isInterpreter() const { return interpreter; }
  /// With its number and what code is made for: "cpu:0:x86-64-v3".
  const std::string &target() const { return targetName; }

  /// The stream that a framework calls `framework`. Null with the error set.
  Stream *stream(void *framework) {
    return lastStream && framework == lastFramework ? lastStream
                                                    : findStream(framework);
  }
  /// A stream of ours for one call; give it back. Null with the error set.
  tz_stream_t take();
  void giveBack(tz_stream_t stream) { idle.push_back(stream); }
  /// Stream::tell of all streams, or of the one that a framework calls `only`.
  bool tellLogs(std::optional<void *> only);
  /// What is enqueued on `later` from now on begins when what is on `earlier`
  /// has ended. False with the error set.
  bool order(Stream &earlier, Stream &later);

private:
  Stream *findStream(void *framework);

  tz_device_t native;
  void *lastFramework = nullptr;
  Stream *lastStream = nullptr;
  bool hostMemory = false, interpreter = false;
  std::string targetName;
  std::unordered_map<void *, std::unique_ptr<Stream>> wrapped;
  std::vector<tz_stream_t> idle;
  std::vector<tz_event_t> idleEvents;
};

/// All functions: with the GIL held.
class Session {
public:
  /// Null with the error set.
  static Session *get() { return session ? session : make(); }

  tz_session_t handle() const { return native; }
  /// Waits for the streams whose kernels print or assert, and tells what they
  /// said; `only`: as for Device::tellLogs. False with the error set.
  static bool tellLogs(std::optional<void *> only);
  /// "cpu", "auto", "": TERRAZZO_TARGET. Null with the error set.
  Device *device(const std::string &target);

private:
  static Session *make();
  static Session *session;

  tz_session_t native = nullptr;
  std::unordered_map<std::string, Device *> byName;
  std::unordered_map<tz_device_t, std::unique_ptr<Device>> devices;
};

} // namespace tz::python

#endif
