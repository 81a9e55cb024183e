//===- Crash.h - which plugin ended the process -----------------*- C++ -*-===//
//
// What   Marks calls into plugins; a handler of fatal signals prints the mark
//        of the thread that it runs on: the plugin, the function and its
//        library. It prints the last kernel that ran in the process' own memory
//        where that may be the cause, and passes the signal on.
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

/// One of a plugin's libraries, as the handler tells it.
struct PluginHalf {
  PluginHalf(const std::string &plugin, const std::string &manifest,
             const std::string &library, bool isCompiler);

  const std::string plugin;  ///< " in plugin 'x' (/lib/x.json)"
  const std::string library; ///< " of /lib/x.so", or empty
  const std::string advice;  ///< the end of the line
  const bool isCompiler;
};

/// What this thread calls. The handler reads it; not allocated at its first
/// use, which may be in the handler.
struct PluginPlace {
  const PluginHalf *half = nullptr;
  const char *function = nullptr; ///< null: the library is being opened
};
extern constinit thread_local PluginPlace pluginPlace
    __attribute__((tls_model("initial-exec")));

/// This thread is in a function of a plugin while it lives. For each call, so
/// it costs next to nothing. [thread: any]
class PluginMark {
public:
  PluginMark(const PluginHalf &half, const char *function)
      : outer(pluginPlace) {
    pluginPlace = {&half, function};
  }
  ~PluginMark() { pluginPlace = outer; }
  PluginMark(const PluginMark &) = delete;
  PluginMark &operator=(const PluginMark &) = delete;

private:
  const PluginPlace outer;
};

/// This thread is in the program's own code, which a plugin called, while it
/// lives.
class ProgramCode {
public:
  ProgramCode();
  ~ProgramCode();
  ProgramCode(const ProgramCode &) = delete;
  ProgramCode &operator=(const ProgramCode &) = delete;

private:
  const PluginPlace place;
  const class PluginCall *const call;
};

/// What calls into a plugin are for, while it lives. [thread: any]
class PluginCall {
public:
  /// "plugin 'x' (/lib/x.json) ... while it compiled kernel 'k'": `does` is
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
