//===- Devices.h - where a launch goes ------------------------------------===//
//
// What   The device that the arrays lie on, and the stream that their framework
//        would use now.
// Why    One process launches on several devices; the arguments decide, not a
//        global.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_PYTHON_SESSION_DEVICES_H
#define TERRAZZO_PYTHON_SESSION_DEVICES_H

#include "session/PythonSession.h"
#include "values/PythonArguments.h"

namespace tz::python {

struct Place {
  Device *device = nullptr;
  void *native = nullptr; // the framework's stream; of no use on the host
  tz_stream_t stream = nullptr;
  Stream *shared = nullptr; // of `stream`, if others may use it: by turns
  bool knowsMemory = false; // the thread knows what the launch may touch: it
                            // tells `stream`, at its turn if others use it

  /// Device and native stream. False with the error set.
  bool find(const Memory &memory, const std::string &kernel);
  /// `stream`, until leaveStream(). False with the error set.
  bool findStream();
  void leaveStream();
  /// Other frameworks whose arrays a launch has: `before` it, the stream waits
  /// for what theirs hold; after it, theirs wait for the stream. False with the
  /// error set.
  bool orderWith(const Arguments &arguments, bool before);

private:
  bool findAccelerator(const Memory &memory, const std::string &kernel);
};

/// (address, bytes, name) each: what this thread's next launches may touch.
/// False with the error set.
bool knowMemory(PyObject *ranges);
/// Tells the stream of it. False with the error set.
bool tellMemory(tz_stream_t stream);
/// Neither the stream nor this thread knows any.
void forgetMemory(tz_stream_t stream);

} // namespace tz::python

#endif
