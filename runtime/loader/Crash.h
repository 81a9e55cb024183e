//===- Crash.h - which plugin ended the process -----------------*- C++ -*-===//
//
// What   Marks calls into plugins; a handler of fatal signals prints the mark
//        of the thread that it runs on, and passes the signal on.
// Why    A plugin is somebody else's code in this process. Without its name a
//        crash in it looks like one of Terrazzo, or of the program.
//
// Handlers are installed for sessions that catch faults
// (RegistryOptions::catchFaults), once for the process; they stay.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_CRASH_H
#define TERRAZZO_RUNTIME_LOADER_CRASH_H

#include <string>

namespace tz::runtime {

/// Installs the handlers: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT.
void nameCrashes();

/// This thread is in a plugin while it lives. [thread: any]
class PluginCall {
public:
  /// "plugin 'x' (/lib/x.json 1.2) ... while it compiled kernel 'k'": `does` is
  /// what comes after "while it".
  PluginCall(const std::string &plugin, const std::string &manifest,
             const std::string &does);
  ~PluginCall();
  PluginCall(const PluginCall &) = delete;

  const char *text() const { return line.c_str(); }

private:
  std::string line;
  const PluginCall *outer;
};

} // namespace tz::runtime

#endif
