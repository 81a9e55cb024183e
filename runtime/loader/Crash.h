//===- Crash.h - which plugin ended the process -----------------*- C++ -*-===//
//
// What   Marks calls into plugins; a handler of fatal signals prints the mark
//        of the thread that it runs on, else the last kernel that ran in the
//        process' own memory, and passes the signal on.
// Why    A plugin is somebody else's code in this process. Without its name a
//        crash in it looks like one of Terrazzo, or of the program. A kernel
//        that writes outside of its arrays damages the heap, and the process
//        ends elsewhere and later.
//
// Handlers are installed for sessions that catch faults
// (RegistryOptions::catchFaults), once for the process; they stay.
//===----------------------------------------------------------------------===//
#ifndef TERRAZZO_RUNTIME_LOADER_CRASH_H
#define TERRAZZO_RUNTIME_LOADER_CRASH_H

#include <atomic>
#include <string>

namespace tz::runtime {

/// Installs the handlers: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT.
void nameCrashes();

/// A kernel's name for the handler, which may find the heap damaged: the text
/// lies outside of it and stays. Of the first 256 different names; others share
/// one text.
const char *keepKernelName(const std::string &name);

/// Of the kernel that was launched last on the host's memory; null: none.
extern std::atomic<const char *> lastHostKernel;

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
